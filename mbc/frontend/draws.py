"""PyTorch's random numbers, recorded, so that another evaluation can be fed them.

`RecordedDraws` writes down what operators draw, in order; `ReplayedDraws` gives the
same to a model in another precision; `with_draws_as_arguments` lets imported IR take
them in place of its own.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import torch
from torch.utils._python_dispatch import TorchDispatchMode
from xdsl.dialects import func
from xdsl.dialects.builtin import FunctionType
from xdsl.rewriter import Rewriter

from mbc.errors import InvalidInput
from mbc.ir.ops.random import RandomOp

ATEN = torch.ops.aten
IN_PLACE: tuple[object, ...] = (ATEN.bernoulli_.float,)
NEW: tuple[object, ...] = (ATEN.rand.default, ATEN.randn.default)
LIKE: tuple[object, ...] = (ATEN.rand_like.default, ATEN.randn_like.default)


class RecordedDraws(TorchDispatchMode):
    """As a context: `draws` are the random tensors that operators made in it."""

    def __init__(self) -> None:
        super().__init__()  # pyright: ignore[reportUnknownMemberType]  # torch's is untyped
        self.draws: list[torch.Tensor] = []

    def __torch_dispatch__(
        self,
        func: Any,
        types: object,
        args: Sequence[Any] = (),
        kwargs: Mapping[str, Any] | None = None,
    ) -> Any:
        made = func(*args, **(kwargs or {}))
        if func in (*IN_PLACE, *NEW, *LIKE):
            self.draws.append(made.clone())
        return made


class ReplayedDraws(TorchDispatchMode):
    """As a context: operators get these draws, in the dtype they ask for."""

    def __init__(self, draws: Sequence[torch.Tensor]) -> None:
        super().__init__()  # pyright: ignore[reportUnknownMemberType]  # torch's is untyped
        self._draws = iter(draws)

    def __torch_dispatch__(
        self,
        func: Any,
        types: object,
        args: Sequence[Any] = (),
        kwargs: Mapping[str, Any] | None = None,
    ) -> Any:
        given = dict(kwargs or {})
        if func in IN_PLACE:
            return args[0].copy_(next(self._draws))
        if func in NEW:
            dtype = given.get("dtype") or torch.get_default_dtype()
            return next(self._draws).to(dtype)
        if func in LIKE:
            return next(self._draws).to(given.get("dtype") or args[0].dtype)
        return func(*args, **given)


def with_draws_as_arguments(function: func.FuncOp, count: int) -> func.FuncOp:
    """A copy whose last arguments, `count`, are what its random ops would draw.

    They come in the order of the draws. A chance p of one is drawn as whether a uniform
    number is at least 1 - p, which 0 and 1 are, too. `InvalidInput` where PyTorch drew
    in another way.
    """
    copy = function.clone()
    block = copy.body.block
    drawn = [op for op in block.walk() if isinstance(op, RandomOp)]
    if len(drawn) != count:
        raise InvalidInput(
            f"the model draws {len(drawn)} random tensors, {count} were recorded"
        )
    for op in sorted(drawn, key=lambda op: op.int_of("stream")):
        argument = block.insert_arg(op.result.type, len(block.args))
        Rewriter.replace_op(op, [], [argument])
    returned = block.last_op
    assert returned is not None
    copy.function_type = FunctionType.from_lists(
        [argument.type for argument in block.args],
        [value.type for value in returned.operands],
    )
    return copy
