"""PyTorch's scalar functions of one float, written in `arith` and `math`."""

from __future__ import annotations

import math
from collections.abc import Callable

from xdsl.dialects import arith
from xdsl.dialects import math as math_ops
from xdsl.ir import SSAValue

from mbc.ir.arithmetic import (
    add,
    constant,
    divide,
    maximum,
    minimum,
    multiply,
    reciprocal,
    subtract,
)
from mbc.ir.types import is_float

Formula = Callable[[SSAValue], SSAValue]

SELU_ALPHA = 1.6732632423543772848170429916717
SELU_SCALE = 1.0507009873554804934193349852946


def like(value: float, x: SSAValue) -> SSAValue:
    return constant(value, x.type)


def scaled(x: SSAValue, factor: float) -> SSAValue:
    return x if factor == 1 else multiply(x, like(factor, x))


def exp(x: SSAValue) -> SSAValue:
    return math_ops.ExpOp(x).result


def tanh(x: SSAValue) -> SSAValue:
    return math_ops.TanhOp(x).result


def sqrt(x: SSAValue) -> SSAValue:
    return math_ops.SqrtOp(x).result


def select(condition: SSAValue, a: SSAValue, b: SSAValue) -> SSAValue:
    return arith.SelectOp(condition, a, b).result


def less(a: SSAValue, b: SSAValue) -> SSAValue:
    """Signed or ordered a < b."""
    if is_float(a.type):
        return arith.CmpfOp(a, b, "olt").result
    return arith.CmpiOp(a, b, "slt").result


def negate(x: SSAValue) -> SSAValue:
    if is_float(x.type):
        return arith.NegfOp(x).result
    return subtract(like(0, x), x)


def absolute(x: SSAValue) -> SSAValue:
    if is_float(x.type):
        return math_ops.AbsFOp(x).result
    return math_ops.AbsIOp(x).result


def sign(x: SSAValue) -> SSAValue:
    """1, 0 or -1; NaN gives 0, as PyTorch does."""
    zero = like(0, x)
    below = select(less(x, zero), like(-1, x), zero)
    return select(less(zero, x), like(1, x), below)


def relu(x: SSAValue) -> SSAValue:
    return maximum(x, like(0, x))


def clamp(low: float, high: float) -> Formula:
    return lambda x: minimum(maximum(x, like(low, x)), like(high, x))


def sigmoid(x: SSAValue) -> SSAValue:
    return reciprocal(add(like(1, x), exp(negate(x))))


def silu(x: SSAValue) -> SSAValue:
    return divide(x, add(like(1, x), exp(negate(x))))


def gelu(x: SSAValue) -> SSAValue:
    error = math_ops.ErfOp(scaled(x, math.sqrt(0.5))).result
    return multiply(scaled(x, 0.5), add(like(1, x), error))


def gelu_tanh(x: SSAValue) -> SSAValue:
    cube = multiply(multiply(x, x), x)
    inner = scaled(add(x, scaled(cube, 0.044715)), math.sqrt(2 / math.pi))
    return multiply(scaled(x, 0.5), add(like(1, x), tanh(inner)))


def softplus(beta: float = 1.0, threshold: float = 20.0) -> Formula:
    def formula(x: SSAValue) -> SSAValue:
        inner = scaled(x, beta)
        smooth = math_ops.Log1pOp(exp(inner)).result
        return select(less(like(threshold, x), inner), x, scaled(smooth, 1 / beta))

    return formula


def mish(x: SSAValue) -> SSAValue:
    return multiply(x, tanh(math_ops.Log1pOp(exp(x)).result))


def hardsigmoid(x: SSAValue) -> SSAValue:
    return divide(clamp(0.0, 6.0)(add(x, like(3, x))), like(6, x))


def hardswish(x: SSAValue) -> SSAValue:
    return multiply(x, hardsigmoid(x))


def elu(alpha: float = 1.0, scale: float = 1.0, input_scale: float = 1.0) -> Formula:
    def formula(x: SSAValue) -> SSAValue:
        curve = math_ops.ExpM1Op(scaled(x, input_scale)).result
        negative = scaled(curve, alpha * scale)
        return select(
            arith.CmpfOp(x, like(0, x), "ole").result, negative, scaled(x, scale)
        )

    return formula


selu = elu(SELU_ALPHA, SELU_SCALE)


def leaky_relu(slope: float = 0.01) -> Formula:
    return lambda x: select(less(like(0, x), x), x, scaled(x, slope))


def power(x: SSAValue, exponent: float) -> SSAValue:
    """x to a constant: products for small whole exponents, as PyTorch does."""
    if exponent == 0:
        return like(1, x)
    if exponent == 0.5 and is_float(x.type):
        return sqrt(x)
    if exponent < 0 and exponent in (-0.5, -1, -2) and is_float(x.type):
        return reciprocal(power(x, -exponent))
    small = exponent in (1, 2, 3)
    if float(exponent).is_integer() and (small or not is_float(x.type)):
        return _whole_power(x, int(exponent))
    return math_ops.PowFOp(x, like(exponent, x)).result


def _whole_power(x: SSAValue, exponent: int) -> SSAValue:
    if exponent == 1:
        return x
    half = _whole_power(x, exponent // 2)
    square = multiply(half, half)
    return multiply(square, x) if exponent % 2 else square
