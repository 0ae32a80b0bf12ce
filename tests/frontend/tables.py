"""Tables of small functions, checked several in one program, and what they are given.

Most of the time of a check is torch.export's own, so a program holds many cases.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import torch
from torch import Tensor, nn

from tests.frontend.support import check

Case = tuple[Callable[..., Any], tuple[Any, ...]]
nan, inf = float("nan"), float("inf")


def floats(*shape: int, seed: int = 0) -> Tensor:
    generator = torch.Generator().manual_seed(seed)
    return torch.randn(shape, generator=generator)


def positive(*shape: int) -> Tensor:
    return floats(*shape).abs() + 0.1


def whole(*shape: int, low: int = -9, high: int = 9, dtype: torch.dtype = torch.int64):
    generator = torch.Generator().manual_seed(0)
    return torch.randint(low, high, shape, generator=generator).to(dtype)


X = floats(3, 4)
Y = floats(3, 4, seed=1)
INTS = whole(3, 4)
COUNTS = whole(3, 4, low=1)
BOOLS = floats(3, 4) > 0
SPECIAL = torch.tensor([nan, -2.0, 2.0, 0.25, -0.0, inf, -inf])


def batched(names: Iterable[str], size: int = 13) -> list[tuple[str, ...]]:
    listed = list(names)
    return [tuple(listed[i : i + size]) for i in range(0, len(listed), size)]


def check_together(cases: Mapping[str, Case], names: Sequence[str]) -> None:
    """One program that returns what each of `names` does."""

    def function(inputs: dict[str, Any]) -> dict[str, Any]:
        return {name: cases[name][0](*inputs[name]) for name in names}

    check(function, {name: cases[name][1] for name in names})


class Together(nn.Module):
    """Models side by side, each with inputs of its own."""

    def __init__(self, models: Mapping[str, nn.Module]):
        super().__init__()
        self.order = list(models)
        self.models = nn.ModuleList(models.values())

    def forward(self, inputs: dict[str, Any]) -> dict[str, Any]:
        pairs = zip(self.order, self.models, strict=True)
        return {name: model(*inputs[name]) for name, model in pairs}


Model = tuple[Callable[[], nn.Module], tuple[Any, ...]]


def check_models(table: Mapping[str, Model], names: Sequence[str]) -> None:
    """In evaluation mode, with weights that hide no term behind another."""
    torch.manual_seed(0)
    models = {name: table[name][0]() for name in names}
    together = Together(models).eval()
    for parameter in together.parameters():
        nn.init.normal_(parameter, std=0.5)
    check(together, {name: table[name][1] for name in names})
