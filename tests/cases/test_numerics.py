"""Values that compilers have been reported to get wrong, on every target."""

from __future__ import annotations

import math
from typing import Any

import pytest
import torch
from torch import Tensor, nn
from torch.nn import functional as F

from tests.cases.case import WAYS, Case, check

INF, NAN = math.inf, math.nan
INT_MIN, INT_MAX = -(2**31), 2**31 - 1


def ints(*values: int, dtype: torch.dtype = torch.int32) -> Tensor:
    return torch.tensor(values, dtype=dtype)


def floats(*values: float, dtype: torch.dtype = torch.float32) -> Tensor:
    return torch.tensor(values, dtype=dtype)


def int64(value: int) -> Tensor:
    return torch.tensor(value)


DIVISION = [
    # The rounded quotients of 3/0.1 and 2/0.2 are integers, the exact ones less.
    Case(
        "floor of a quotient",
        lambda a, b: torch.div(a, b, rounding_mode="floor"),
        (
            floats(3, 2, 9, -5, 5, -0.0, INF, -INF, NAN, 1),
            floats(0.1, 0.2, 0.3, 2, -2, 4, 4, 4, 1, INF),
        ),
        (floats(29, 9, 29, -3, -3, -0.0, NAN, NAN, NAN, 0),),
    ),
    Case(
        "floor of a quotient in double precision",
        lambda a, b: a // b,
        (
            floats(3, 7.5, -7.5, INF, dtype=torch.float64),
            floats(0.1, 2, 2, 4, dtype=torch.float64),
        ),
        (floats(29, 3, -4, NAN, dtype=torch.float64),),
    ),
    Case(
        "floor division of integers",
        torch.floor_divide,
        (ints(-7, 7, -8, 8, INT_MIN), ints(2, -2, 2, 3, -1)),
        (ints(-4, -4, -4, 2, INT_MIN),),
    ),
    Case(
        "the remainder takes the divisor's sign",
        torch.remainder,
        (ints(-7, 7, -8, INT_MIN), ints(2, -2, 3, -1)),
        (ints(1, -1, 1, 0),),
    ),
    # What is there instead is not defined, but the process goes on.
    Case(
        "a zero divisor ends nothing",
        lambda a, b: torch.where(b == 0, 0, a // b + a.remainder(b)),
        (ints(7, -7, 0, 5, INT_MIN), ints(0, 0, 0, 2, 0)),
        (ints(0, 0, 0, 3, 0),),
        raises_in_eager=True,
    ),
]


def bounded(x: Tensor, y: Tensor) -> tuple[Tensor, ...]:
    return (
        torch.relu(x),
        x.clamp(min=-1, max=1),
        x.clamp(max=0.5),
        x.clamp(min=0.5),
        torch.maximum(x, y),
        torch.minimum(x, y),
    )


NOT_A_NUMBER = [
    Case(
        "NaN outlives bounds",
        bounded,
        (floats(NAN, -2, 2, 0.25, 3), floats(1, NAN, 1, -1, NAN)),
        (
            floats(NAN, 0, 2, 0.25, 3),
            floats(NAN, -1, 1, 0.25, 1),
            floats(NAN, -2, 0.5, 0.25, 0.5),
            floats(NAN, 0.5, 2, 0.5, 3),
            floats(NAN, NAN, 2, 0.25, NAN),
            floats(NAN, NAN, 1, -1, NAN),
        ),
    ),
    Case(
        "a softmax of nothing but -inf",
        lambda x: x.softmax(-1),
        (torch.tensor([[0, 0, -INF, -INF], [-INF] * 4]),),
        (torch.tensor([[0.5, 0.5, 0, 0], [NAN] * 4]),),
        1e-6,
    ),
    Case(
        "attention to nothing is zero",
        lambda q, k, v, m: F.scaled_dot_product_attention(q, k, v, attn_mask=m),
        (
            torch.ones(1, 1, 2, 4),
            torch.ones(1, 1, 3, 4),
            torch.arange(12.0).reshape(1, 1, 3, 4),
            torch.tensor([[True] * 3, [False] * 3]),
        ),
        (torch.tensor([[[[4.0, 5, 6, 7], [0, 0, 0, 0]]]]),),
        1e-6,
    ),
    Case(
        "logical not of NaN",
        lambda x: (x.logical_not(), x.bool()),
        (floats(1, NAN, 0, -0.0),),
        (
            torch.tensor([False, False, True, True]),
            torch.tensor([True, True, False, False]),
        ),
    ),
]


def erf_gelu(x: float) -> float:
    return 0.5 * x * math.erfc(-x / math.sqrt(2))


def tanh_gelu(x: float) -> float:
    return 0.5 * x * (1 + math.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)))


POINTS = (-5.0, -3.0, -1.0, -0.0, 0.5, 2.0)


def scaled(x: Tensor, y: Tensor, b: Tensor, m: Tensor, n: Tensor) -> tuple[Tensor, ...]:
    return (
        torch.add(x, y, alpha=-4),
        torch.sub(x, y, alpha=3),
        torch.rsub(x, y, alpha=2),
        torch.addmm(b, m, n, beta=0.5, alpha=2),
        torch.addmm(b * NAN, m, n, beta=0),
    )


def reduced(x: Tensor, y: Tensor) -> tuple[Tensor, ...]:
    return (
        torch.mean(x),
        x.amax((-1, 0), keepdim=True),
        x.sum(dim=(-2,)),
        y.var(correction=0),
        y.var(),
        y[:1].std(),
    )


def accumulated(u: Tensor, i: Tensor, b: Tensor, s: Tensor) -> tuple[Tensor, ...]:
    """Narrow integers and booleans sum up in int64."""
    return u.cumsum(0), i.sum(), b.sum(), u.prod(), b.cumsum(0)[-1], s.sum(0)


FORMULAS = [
    Case(
        "fractions keep their sign",
        torch.frac,
        (floats(1.5, -2.25, 0, -0.0, 16777216),),
        (floats(0.5, -0.25, 0, 0, 0),),
    ),
    # PyTorch's own is 1e-4 off at -3.
    Case(
        "both gelus",
        lambda x: (F.gelu(x), F.gelu(x, approximate="tanh")),
        (floats(*POINTS),),
        (floats(*map(erf_gelu, POINTS)), floats(*map(tanh_gelu, POINTS))),
        2e-4,
    ),
    Case(
        "factors of sums",
        scaled,
        (
            floats(1, 2),
            floats(0.5, -1),
            floats(2, 4),
            torch.tensor([[1.0, 2], [3, 4]]),
            torch.tensor([[1.0, 0], [1, 1]]),
        ),
        (
            floats(-1, 6),
            floats(-0.5, 5),
            floats(-1.5, -5),
            torch.tensor([[7.0, 6], [15, 10]]),
            torch.tensor([[3.0, 2], [7, 4]]),
        ),
        1e-6,
    ),
    Case(
        "means, maxima and variances",
        reduced,
        (torch.arange(24.0).reshape(2, 3, 4), torch.arange(6.0)),
        (
            torch.tensor(11.5),
            torch.tensor([[[15.0], [19], [23]]]),
            torch.tensor([[12.0, 15, 18, 21], [48, 51, 54, 57]]),
            torch.tensor(35 / 12),
            torch.tensor(3.5),
            torch.tensor(NAN),
        ),
        1e-6,
    ),
    Case(
        "sums of narrow integers",
        accumulated,
        (
            ints(250, 6, 130, dtype=torch.uint8),
            ints(INT_MAX, 1, 1),
            torch.ones(256, dtype=torch.bool),
            ints(100, 100, -1, dtype=torch.int8),
        ),
        (
            torch.tensor([250, 256, 386]),
            int64(INT_MAX + 2),
            int64(256),
            int64(195000),
            int64(256),
            int64(199),
        ),
    ),
]


def batch_norm() -> nn.Module:
    layer = nn.BatchNorm2d(2, eps=1e-3)
    values = (layer.running_mean, layer.running_var, layer.weight, layer.bias)
    rows = ((1.0, -1.0), (4.0, 0.0), (2.0, 0.5), (0.0, 1.0))
    with torch.no_grad():
        for value, row in zip(values, rows, strict=True):
            assert value is not None
            value.copy_(torch.tensor(row))
    return nn.Sequential(layer, nn.Dropout(0.5))


def of_ones(layer: nn.Module) -> nn.Module:
    with torch.no_grad():
        for parameter in layer.parameters():
            parameter.fill_(1)
    return layer


def pools(x: Tensor, y: Tensor, z: Tensor) -> tuple[Any, ...]:
    """A window that starts outside is none, and what is outside is no zero."""
    return (
        F.max_pool2d(x, 2, 2, ceil_mode=True).shape[-1],
        F.max_pool2d(y, 1, 3, ceil_mode=True).shape[-1],
        F.max_pool2d(z, 3, 2, padding=1, ceil_mode=True),
        F.max_pool2d(z, 2, 1, dilation=2),
    )


WINDOWS = [
    Case(
        "pools of negative numbers",
        pools,
        (
            torch.zeros(1, 1, 21, 21),
            torch.zeros(1, 1, 30, 30),
            -torch.arange(1.0, 17).reshape(1, 1, 4, 4),
        ),
        (
            11,
            10,
            -torch.tensor([[[[1.0, 2, 4], [5, 6, 8], [13, 14, 16]]]]),
            -torch.tensor([[[[1.0, 2], [5, 6]]]]),
        ),
    ),
    Case(
        "a window of even width pads more at the end",
        of_ones(nn.Conv1d(1, 1, 4, padding="same", bias=False)),
        (torch.ones(1, 1, 6),),
        (torch.tensor([[[3.0, 4, 4, 4, 3, 2]]]),),
        1e-6,
    ),
    Case(
        "one filter for each channel",
        of_ones(nn.Conv1d(4, 4, 8, padding=4, groups=4, bias=False)),
        (torch.ones(1, 4, 39),),
        (torch.tensor([4.0, 5, 6, 7, *[8.0] * 32, 7, 6, 5, 4]).expand(1, 4, 40),),
        1e-6,
    ),
    Case(
        "batch norm divides by a root that holds eps",
        batch_norm(),
        (floats(3, -0.5).reshape(1, 2, 1, 1),),
        (floats(4 / 4.001**0.5, 0.25 / 1e-3**0.5 + 1).reshape(1, 2, 1, 1),),
        1e-5,
    ),
]


def rounded(x: Tensor) -> Tensor:
    return x.to(torch.bfloat16).float() * 2


CASTS = [
    # Ties go to even; what lies beyond the largest becomes infinite.
    Case(
        "a round trip through bf16 rounds",
        rounded,
        (
            floats(1.00390625, 1.01171875, 1.001, 1 + 3 * 2**-9, math.pi, -0.0),
            floats(1e-40, 3.4e38, NAN, INF),
        )[:1],
        (floats(2, 2 * 1.015625, 2, 2 * 1.0078125, 2 * 3.140625, -0.0),),
    ),
    Case(
        "a round trip of special values",
        rounded,
        (floats(3.4e38, NAN, INF, -INF),),
        (floats(INF, NAN, INF, -INF),),
    ),
    Case(
        "numbers in range lose their fraction",
        lambda x, y: (x.to(torch.uint8), y.to(torch.int32), y.long()),
        (floats(0.9, 1.2, 254.99, 3), floats(-1.9, 1.9, -0.5)),
        (
            ints(0, 1, 254, 3, dtype=torch.uint8),
            ints(-1, 1, 0),
            torch.tensor([-1, 1, 0]),
        ),
    ),
]


def twice(x: Tensor) -> Tensor:
    """Reads both rows before it writes either."""
    x = x.clone()
    x[[0, 0]] += x[[0, 0]]
    return x


def added(a: Tensor, places: Tensor, v: Tensor) -> tuple[Tensor, ...]:
    return (
        a.index_put((places,), v, accumulate=True),
        a.index_add(0, places, v),
        a.scatter_add(0, places.unsqueeze(1).expand(-1, 2), v),
    )


COUNTS = torch.tensor([1.0, 2, 0, 1]).unsqueeze(1).expand(4, 2)
INDICES = [
    Case(
        "every hit of one place is added",
        added,
        (torch.zeros(4, 2), torch.tensor([1, 3, 1, 0]), torch.ones(4, 2)),
        (COUNTS, COUNTS, COUNTS),
    ),
    Case(
        "a place named twice is doubled once",
        twice,
        (torch.tensor([[-0.5, 0.25]]),),
        (torch.tensor([[-1, 0.5]]),),
    ),
]

THEMES = {
    "division": DIVISION,
    "not a number": NOT_A_NUMBER,
    "formulas": FORMULAS,
    "windows": WINDOWS,
    "casts": CASTS,
    "indices": INDICES,
}
ALL = [case for cases in THEMES.values() for case in cases]


@pytest.mark.parametrize("way", WAYS)
def test_values(way: str):
    check(ALL, way)
