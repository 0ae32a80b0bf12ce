"""Elementwise operators on floats, imported and compared with eager PyTorch."""

from collections.abc import Callable, Sequence

import pytest
import torch
import torch.nn.functional as F
from torch import Tensor

from mbc.errors import UnsupportedModel
from mbc.frontend.torch_export import import_model
from tests.frontend.support import Function, check
from tests.frontend.tables import (
    BOOLS,
    INTS,
    SPECIAL,
    Case,
    X,
    Y,
    batched,
    check_together,
    floats,
    inf,
    nan,
    positive,
    whole,
)

UNARY = (
    *(torch.relu, torch.abs, torch.neg, torch.sign, torch.floor, torch.ceil),
    *(torch.round, torch.trunc, torch.sigmoid, torch.tanh, torch.exp, torch.expm1),
    *(torch.sin, torch.cos, torch.erf, torch.reciprocal, torch.exp2, torch.square),
    *(F.silu, F.mish, F.hardswish, F.hardsigmoid, F.selu, F.elu, F.softplus),
    *(F.gelu, F.leaky_relu, F.relu6, F.logsigmoid, F.softsign, torch.frac),
    *(torch.sinh, torch.cosh, torch.asinh, torch.atan, torch.tan),
    *(torch.isnan, torch.isinf, torch.logical_not, torch.isfinite),
)
POSITIVE = (torch.log, torch.log1p, torch.log2, torch.log10, torch.sqrt, torch.rsqrt)


CASES: dict[str, Case] = {
    "arcs": (
        lambda x: (torch.acos(x), torch.asin(x), torch.atanh(x), torch.acosh(x + 1)),
        (torch.rand(5, generator=torch.Generator().manual_seed(1)),),
    ),
    "arcs outside": (lambda x: (torch.acos(x), torch.acosh(x)), (SPECIAL,)),
    "atan2": (torch.atan2, (X, Y)),
    "atan2 of integers": (torch.atan2, (INTS, whole(3, 4, low=-3, high=4))),
    "copysign": (lambda x: (torch.copysign(x, -x), torch.copysign(x, -2.0)), (X,)),
    "fmax": (
        lambda x, i: (
            torch.fmax(x, -x),
            torch.fmin(x, x.flip(0)),
            torch.fmax(i, i * 2),
        ),
        (SPECIAL, INTS),
    ),
    "gelu tanh": (lambda x: F.gelu(x, approximate="tanh"), (X,)),
    "softplus beta": (lambda x: F.softplus(x, 2.0, 0.5), (X,)),
    "elu alpha": (lambda x: F.elu(x, 0.5), (X,)),
    "clamp": (lambda x: (x.clamp(-1, 1), x.clamp(max=0.5), x.clamp(min=0)), (X,)),
    "clamp tensor": (lambda x, y: torch.clamp(x, min=y), (X, Y)),
    "add alpha": (lambda x, y: torch.add(x, y, alpha=-4), (X, Y)),
    "sub alpha": (lambda x, y: torch.sub(x, y, alpha=3), (X, Y)),
    "rsub": (lambda x: (1 - x, 2.5 / x), (positive(3, 4),)),
    "pow": (lambda x: (x**2, x**3, x**0.5, x**-1, x**-2, x**1.7, 2**x), (positive(5),)),
    "infinite pow": (lambda x: (x**inf, x**-inf, x**nan), (SPECIAL,)),
    "pow of tensors": (torch.pow, (positive(3, 4), Y)),
    "comparisons": (lambda x, y: (x < y, x >= 0, x == x, x != y, x > 0.5), (X, Y)),
    "mixed comparison": (lambda i, x: (i < x, i > 0.5, i == 2), (INTS, X)),
    "logic": (lambda x, b: (x.logical_and(b), x.logical_or(b), b ^ b), (X, BOOLS)),
    "where": (
        lambda b, x: (torch.where(b, x, 0.0), torch.where(b, x, x * 2)),
        (BOOLS, X),
    ),
    "where promotes": (lambda b, x, i: torch.where(b, x, i), (BOOLS, X, INTS)),
    "masked fill": (lambda x, b: x.masked_fill(b, -inf), (X, BOOLS)),
}


def test_unary():
    check(lambda x: tuple(function(x) for function in UNARY), floats(2, 5) * 2)
    check(lambda x: tuple(function(x) for function in POSITIVE), positive(2, 5))


@pytest.mark.parametrize("names", batched(CASES), ids=", ".join)
def test_cases(names: Sequence[str]):
    check_together(CASES, names)


def test_nan_survives():
    check(lambda x: (x.relu(), x.clamp(-1, 1), x.clamp(max=0.5), x.sign()), SPECIAL)
    check(lambda x: (torch.maximum(x, x * 0), torch.minimum(x, x.flip(0))), SPECIAL)
    check(lambda x: (F.elu(x), F.leaky_relu(x), F.hardswish(x), F.softplus(x)), SPECIAL)


INTEGER_REFUSALS: dict[str, Callable[[Tensor], Tensor]] = {
    "gelu": F.gelu,
    "silu": F.silu,
    "mish": F.mish,
    "softplus": F.softplus,
    "hardswish": F.hardswish,
    "hardsigmoid": F.hardsigmoid,
    "pow": lambda x: x**-1,
}


@pytest.mark.parametrize("name", INTEGER_REFUSALS)
def test_what_pytorch_refuses_for_integers(name: str):
    function = INTEGER_REFUSALS[name]
    with pytest.raises((RuntimeError, NotImplementedError)):
        function(INTS)
    with pytest.raises(UnsupportedModel, match=f"aten.{name}.*PyTorch has"):
        import_model(Function(function), (INTS,))
