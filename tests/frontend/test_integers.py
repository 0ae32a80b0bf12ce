"""Integers, booleans, casts and roundings, imported and compared with eager PyTorch."""

from collections.abc import Sequence

import pytest
import torch
import torch.nn.functional as F

from tests.frontend.support import check
from tests.frontend.tables import (
    BOOLS,
    COUNTS,
    INTS,
    Case,
    X,
    Y,
    batched,
    check_together,
    inf,
    positive,
    whole,
)

CASES: dict[str, Case] = {
    "int add float": (lambda i, x: (i + x, i * 2, i / 3, i + 0.5), (INTS, X)),
    "bool arithmetic": (lambda b: (b + b, b * b, b + 1, ~b, b & b.roll(1)), (BOOLS,)),
    "int pow": (lambda i: (i**2, i**5), (INTS,)),
    "bool comparison": (lambda b: (b < True, b >= b, b == b), (BOOLS,)),
    "bitwise": (lambda i, j: (i & j, i | j, i ^ j, ~i, i & 3), (INTS, COUNTS)),
    "int division": (
        lambda i, j: (i // j, i % j, torch.fmod(i, j), torch.div(i, j)),
        (INTS, torch.where(whole(3, 4) < 0, -COUNTS, COUNTS)),
    ),
    "int trunc": (lambda i, j: torch.div(i, j, rounding_mode="trunc"), (INTS, COUNTS)),
    "float remainder": (lambda x, y: (x % y, torch.fmod(x, y), x // y), (X, Y)),
    "casts": (
        lambda x: (x.int(), x.to(torch.uint8), x.half(), x.double(), x.bool()),
        (positive(6) * 9,),
    ),
    "casts of ints": (
        lambda i: (i.float(), i.to(torch.int8), i.bool(), i.to(torch.uint8).float()),
        (INTS,),
    ),
    "uint8": (
        lambda u, v: (
            *(u + v, u // v, u < v, torch.maximum(u, v), u.amax(), u.float()),
            *(u.relu(), u.abs(), u.sign(), u.sgn(), (v - v).sign(), -u, 3 - u),
            *(u.clamp(4, 200), u.clamp(min=140), u.clamp(max=140), u.clamp(-1, 100)),
            *(u.clamp(min=v), u.clamp_max(v), F.hardtanh(u, 3, 200), F.relu6(u)),
            *(F.threshold(u, 140, 7), u % 7, u**2),
        ),
        (
            torch.tensor([250, 6, 130], dtype=torch.uint8),
            torch.tensor([5, 200, 3], dtype=torch.uint8),
        ),
    ),
    "integer sums": (
        lambda u, i, b: (u.cumsum(0), i.sum(), b.sum(), u.prod(), b.cumsum(0)),
        (
            torch.tensor([250, 6, 130], dtype=torch.uint8),
            torch.tensor([2**31 - 1, 1, 1], dtype=torch.int32),
            torch.ones(256, dtype=torch.bool),
        ),
    ),
    "matmul int": (torch.matmul, (whole(3, 4), whole(4, 5))),
}


@pytest.mark.parametrize("names", batched(CASES), ids=", ".join)
def test_cases(names: Sequence[str]):
    check_together(CASES, names)


def test_floor_division_of_floats_is_exact():
    a = torch.tensor([3.0, 2.0, 9.0, -5.0, 5.0, inf, -inf, 1.0, -0.0])
    b = torch.tensor([0.1, 0.2, 0.3, 2.0, -2.0, 4.0, 4.0, 0.0, 3.0])
    check(lambda a, b: (a // b, torch.remainder(a, b)), a, b, float64=False)
    check(lambda a, b: a // b, a.double(), b.double(), float64=False)


def test_int32_floor_division_wraps():
    a = torch.tensor([-7, 7, -8, -(2**31)], dtype=torch.int32)
    b = torch.tensor([2, -2, 2, -1], dtype=torch.int32)
    check(torch.floor_divide, a, b)


def test_explicit_rounding_is_kept():
    x = torch.tensor([1.0, 1.00390625, 1.001, 3.14159265, 1e-40, 3.4e38, inf])
    check(lambda x: x.to(torch.bfloat16).float() * 2.0, x)
