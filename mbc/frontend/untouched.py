"""Models of any size without their memory: tensors that nobody writes to or reads.

Fake tensors first. A constructor that reads values back, or keeps tensors that are no
parameters, gets real memory whose pages stay untouched: random numbers are not drawn
and large tensors not initialized. Only where that fails, too, the model is really made.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from typing import Any

import torch
from torch import nn
from torch._subclasses.fake_tensor import FakeTensor, FakeTensorMode
from torch.overrides import TorchFunctionMode
from torch.utils._pytree import tree_leaves

from mbc.errors import InvalidInput
from mbc.frontend.model_file import LoadedModel, ModelFile, seeded

SMALL = 4096
"""Elements up to which tensors are initialized as the model says."""

RANDOM = frozenset({"rand", "randn"})
INITS = frozenset(
    f"{name}_"
    for name in (
        "add",
        "bernoulli",
        "clamp",
        "erfinv",
        "fill",
        "kaiming_normal",
        "kaiming_uniform",
        "mul",
        "normal",
        "orthogonal",
        "trunc_normal",
        "uniform",
        "xavier_normal",
        "xavier_uniform",
        "zero",
    )
)


class UntouchedMemory(TorchFunctionMode):
    """Large random tensors are allocated only, in-place initializations skipped."""

    def __torch_function__(
        self, func: Any, types: Any, args: Any = (), kwargs: Any = None
    ) -> Any:
        kwargs = kwargs or {}
        name = getattr(func, "__name__", "")
        if name in RANDOM:
            return torch.empty(*args, **_place(kwargs))
        if name in INITS and _is_large(args[0] if args else kwargs.get("tensor")):
            return args[0] if args else kwargs["tensor"]
        return func(*args, **kwargs)


def _place(options: dict[str, Any]) -> dict[str, Any]:
    kept = ("size", "dtype", "device", "requires_grad")
    return {name: options[name] for name in kept if name in options}


def _is_large(value: Any) -> bool:
    return isinstance(value, torch.Tensor) and value.numel() > SMALL


WAYS: tuple[Callable[[], AbstractContextManager[Any]], ...] = (
    lambda: FakeTensorMode(allow_non_fake_inputs=True),
    UntouchedMemory,
    nullcontext,
)


def make_untouched(file: ModelFile) -> LoadedModel:
    """The model and its inputs, for export only; what the file's code raises really."""
    problem = None
    for way in WAYS:
        try:
            with seeded(), way(), torch.no_grad():
                loaded = file.make()
        except InvalidInput as error:
            problem = error
            continue
        register_tensors(loaded.model)
        if not hides_fake_tensors(loaded.model):
            return loaded
    assert problem is not None
    raise problem


def register_tensors(model: nn.Module) -> None:
    """Make tensors that are plain attributes buffers: export computes with constants,
    and cannot with fake ones."""
    for layer in _layers(model):
        plain = {n: v for n, v in vars(layer).items() if isinstance(v, torch.Tensor)}
        for name, value in plain.items():
            delattr(layer, name)
            layer.register_buffer(name, value, persistent=False)


def hides_fake_tensors(model: nn.Module) -> bool:
    """Whether there are some in containers, where nothing can be registered."""
    own = ("_parameters", "_buffers", "_modules")
    held = [v for m in _layers(model) for n, v in vars(m).items() if n not in own]
    return any(isinstance(leaf, FakeTensor) for leaf in tree_leaves(held))


def _layers(model: nn.Module) -> list[nn.Module]:
    modules: Any = model.modules
    return list(modules())
