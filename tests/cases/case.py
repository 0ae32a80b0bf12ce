"""Small cases with stated values, run many at once: one program per target."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch import nn
from torch.utils import _pytree as pytree

import mbc
from mbc.frontend.torch_export import import_model
from tests.codegen.exact import STYLES, available_runner
from tests.frontend.support import Function, run

WAYS = ("eager", "execute", *STYLES)
"""PyTorch itself, the IR's own meaning, and every target; CUDA is emulated."""


@dataclass(frozen=True)
class Case:
    """A model, what it is given, and the leaves of what it must return.

    `tolerance` is relative and absolute. Where it is 0, all bits must agree but those
    of NaN.
    """

    name: str
    model: nn.Module | Callable[..., Any]
    inputs: tuple[Any, ...]
    wanted: tuple[Any, ...]
    tolerance: float = 0.0
    after: tuple[Any, ...] = ()
    """What the inputs must be after the call, where that changes them."""
    raises_in_eager: bool = False


class Together(nn.Module):
    """The models of many cases, each with its own arguments."""

    def __init__(self, cases: Sequence[Case]):
        super().__init__()
        self.parts = nn.ModuleList(as_module(case.model) for case in cases)

    def forward(self, *groups: Any) -> Any:
        pairs = zip(self.parts, groups, strict=True)
        return tuple(part(*group) for part, group in pairs)


def as_module(model: nn.Module | Callable[..., Any]) -> nn.Module:
    return model if isinstance(model, nn.Module) else Function(model)


def check(cases: Sequence[Case], way: str) -> None:
    """Every case gives its values; all that do not are named."""
    if way == "eager":
        cases = [case for case in cases if not case.raises_in_eager]
    groups = copy.deepcopy([case.inputs for case in cases])
    results = results_of(cases, way, groups)
    wrong = [
        f"{case.name}, {what}: {found} is not {wanted}"
        for case, result, group in zip(cases, results, groups, strict=True)
        for what, found, wanted in rows_of(case, result, group)
        if not same(found, wanted, case.tolerance)
    ]
    assert not wrong, "\n".join(wrong)


def rows_of(case: Case, result: Any, group: Any) -> Iterator[tuple[str, Any, Any]]:
    leaves = pytree.tree_leaves(result)
    assert len(leaves) == len(case.wanted), case.name
    for index, (leaf, wanted) in enumerate(zip(leaves, case.wanted, strict=True)):
        yield f"result {index}", leaf, wanted
    for index, (value, wanted) in enumerate(zip(group, case.after)):
        yield f"input {index} after the call", value, wanted


def results_of(cases: Sequence[Case], way: str, groups: Sequence[Any]) -> Any:
    """What each model returns; `groups` are the arguments, which a call may change."""
    model = Together(cases).eval()
    if way == "eager":
        with torch.no_grad():
            return model(*groups)
    examples = copy.deepcopy(groups)
    if way == "execute":
        imported = import_model(model, examples)
        results, updates = run(imported, groups)
        for name, value in updates.items():
            imported.signature.input_values(groups)[name].copy_(torch.as_tensor(value))
        return results
    name, options = STYLES[way]
    artifact = mbc.lower(mbc.import_model(model, examples), name, options)
    with available_runner(name) as runner:
        artifact.use_runner(runner)
        return artifact(*groups)


def same(found: Any, wanted: Any, tolerance: float) -> bool:
    if not isinstance(wanted, torch.Tensor):
        return found == wanted
    one, other = torch.as_tensor(found), wanted
    if one.dtype != other.dtype or one.shape != other.shape:
        return False
    if tolerance:
        options = {"rtol": tolerance, "atol": tolerance, "equal_nan": True}
        return torch.allclose(one, other, **options)
    return np.array_equal(bits(one), bits(other))


def bits(tensor: torch.Tensor) -> np.ndarray[Any, Any]:
    """The bytes of a tensor's elements; every NaN has the same."""
    if tensor.is_floating_point():
        tensor = torch.where(tensor.isnan(), torch.nan, tensor)
    return np.frombuffer(tensor.contiguous().numpy().tobytes(), np.uint8)
