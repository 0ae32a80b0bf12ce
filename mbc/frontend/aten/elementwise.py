"""Elementwise operators: one `linalg.generic` each, in PyTorch's compute dtype."""

from __future__ import annotations

from collections.abc import Callable

from xdsl.dialects import arith
from xdsl.dialects import math as math_ops
from xdsl.dialects.builtin import IntegerType
from xdsl.ir import SSAValue

from mbc.frontend.aten import division, formulas
from mbc.frontend.aten.call import Call, Lowering, Number, Operand, is_unsigned
from mbc.frontend.aten.formulas import Formula, like, scaled
from mbc.frontend.dtypes import dtype_name
from mbc.frontend.unsupported import Unsupported
from mbc.ir.arithmetic import (
    add,
    divide,
    maximum,
    minimum,
    multiply,
    subtract,
)
from mbc.ir.types import is_float

Combine = Callable[[SSAValue, SSAValue], SSAValue]


def unary(formula: Formula, wide: bool = True) -> Lowering:
    def lower(call: Call, x: SSAValue) -> SSAValue:
        return call.elementwise([x], formula, wide=wide)

    return lower


Rounding = math_ops.FloorOp | math_ops.CeilOp | math_ops.RoundEvenOp | math_ops.TruncOp


def rounding(op: type[Rounding]) -> Lowering:
    """Rounding to whole numbers; integers are whole already."""

    def body(x: SSAValue) -> SSAValue:
        return op(x).result

    def lower(call: Call, x: SSAValue) -> SSAValue:
        if not call.dtype.is_floating_point:
            return x
        return call.elementwise([x], body)

    return lower


def of_not_negative(formula: Formula) -> Lowering:
    """`formula` keeps what is not negative, and so every unsigned integer."""

    def lower(call: Call, x: SSAValue) -> SSAValue:
        return x if is_unsigned(call.dtype) else call.elementwise([x], formula)

    return lower


def sign(call: Call, x: SSAValue) -> SSAValue:
    formula = _sign_unsigned if is_unsigned(call.dtype) else formulas.sign
    return call.elementwise([x], formula)


def logical_or_sum(a: SSAValue, b: SSAValue) -> SSAValue:
    """PyTorch adds booleans as a disjunction."""
    return (arith.OrIOp(a, b).result) if a.type == IntegerType(1) else add(a, b)


def logical_and_product(a: SSAValue, b: SSAValue) -> SSAValue:
    return arith.AndIOp(a, b).result if a.type == IntegerType(1) else multiply(a, b)


def binary(combine: Combine, wide: bool = False) -> Lowering:
    def lower(call: Call, a: Operand, b: Operand) -> SSAValue:
        return call.elementwise([a, b], combine, wide=wide)

    return lower


def signed_or_unsigned(signed: Combine, unsigned: Combine, wide: bool) -> Lowering:
    def lower(call: Call, a: Operand, b: Operand) -> SSAValue:
        combine = unsigned if is_unsigned(call.dtype) else signed
        return call.elementwise([a, b], combine, wide=wide)

    return lower


def add_scaled(call: Call, a: Operand, b: Operand, alpha: Number = 1) -> SSAValue:
    def body(x: SSAValue, y: SSAValue) -> SSAValue:
        return logical_or_sum(x, scaled(y, alpha))

    return call.elementwise([a, b], body, wide=alpha != 1)


def subtract_scaled(call: Call, a: Operand, b: Operand, alpha: Number = 1) -> SSAValue:
    def body(x: SSAValue, y: SSAValue) -> SSAValue:
        return subtract(x, scaled(y, alpha))

    return call.elementwise([a, b], body, wide=alpha != 1)


def reverse_subtract(call: Call, a: Operand, b: Operand, alpha: Number = 1) -> SSAValue:
    return subtract_scaled(call, b, a, alpha)


def divide_mode(
    call: Call, a: Operand, b: Operand, rounding_mode: str | None = None
) -> SSAValue:
    if rounding_mode is None:
        return call.elementwise([a, b], divide)
    if is_unsigned(call.dtype):
        return call.elementwise([a, b], division.divide_unsigned)
    floor = rounding_mode == "floor"
    combine = division.divide_floor if floor else division.divide_trunc
    return call.elementwise([a, b], combine, wide=True)


def floor_divide(call: Call, a: Operand, b: Operand) -> SSAValue:
    return divide_mode(call, a, b, "floor")


def clamp(
    call: Call, x: SSAValue, low: Operand | None = None, high: Operand | None = None
) -> SSAValue:
    """Either bound may be absent; NaN stays."""
    unsigned = is_unsigned(call.dtype)
    above = _max_unsigned if unsigned else maximum
    below = _min_unsigned if unsigned else minimum
    bounds = [bound for bound in (low, high) if bound is not None]

    def body(value: SSAValue, *limits: SSAValue) -> SSAValue:
        rest = list(limits)
        if low is not None:
            value = above(value, rest.pop(0))
        return below(value, rest.pop(0)) if high is not None else value

    return call.elementwise([x, *bounds], body)


def clamp_max(call: Call, x: SSAValue, high: Operand) -> SSAValue:
    return clamp(call, x, None, high)


def hardtanh(call: Call, x: SSAValue, low: float = -1.0, high: float = 1.0) -> SSAValue:
    return clamp(call, x, low, high)


def of_floats(formula: Formula) -> Lowering:
    """Activations that PyTorch's own kernels refuse for integers."""

    def lower(call: Call, x: SSAValue) -> SSAValue:
        require_floats(call)
        return call.elementwise([x], formula, wide=True)

    return lower


def require_floats(call: Call) -> None:
    if not call.dtype.is_floating_point:
        raise Unsupported(
            f"PyTorch has it for floats only, not {dtype_name(call.dtype)}"
        )


def gelu(call: Call, x: SSAValue, approximate: str = "none") -> SSAValue:
    require_floats(call)
    formula = formulas.gelu_tanh if approximate == "tanh" else formulas.gelu
    return call.elementwise([x], formula, wide=True)


def parametrized(make: Callable[..., Formula]) -> Lowering:
    """A formula of one float tensor with scalar arguments behind it."""

    def lower(call: Call, x: SSAValue, *scalars: Number) -> SSAValue:
        require_floats(call)
        return call.elementwise([x], make(*scalars), wide=True)

    return lower


def power_scalar(call: Call, x: SSAValue, exponent: Number) -> SSAValue:
    if not call.dtype.is_floating_point and exponent < 0:
        raise Unsupported("PyTorch has no negative powers of integers")

    def body(value: SSAValue) -> SSAValue:
        return formulas.power(value, exponent)

    return call.elementwise([x], body, wide=True)


def power(call: Call, a: Operand, b: Operand) -> SSAValue:
    if not call.dtype.is_floating_point:
        raise Unsupported("an integer to a power that is a tensor")
    return call.elementwise([a, b], _power)


def _power(a: SSAValue, b: SSAValue) -> SSAValue:
    return math_ops.PowFOp(a, b).result


def _max_unsigned(a: SSAValue, b: SSAValue) -> SSAValue:
    return arith.MaxUIOp(a, b).result


def _min_unsigned(a: SSAValue, b: SSAValue) -> SSAValue:
    return arith.MinUIOp(a, b).result


def _sign_unsigned(x: SSAValue) -> SSAValue:
    return _min_unsigned(x, like(1, x))


def _arc_tangent(a: SSAValue, b: SSAValue) -> SSAValue:
    return math_ops.Atan2Op(a, b).result


def _copysign(a: SSAValue, b: SSAValue) -> SSAValue:
    return math_ops.CopySignOp(a, b).result


def _larger_number(a: SSAValue, b: SSAValue) -> SSAValue:
    return arith.MaxnumfOp(a, b).result if is_float(a.type) else maximum(a, b)


def _smaller_number(a: SSAValue, b: SSAValue) -> SSAValue:
    return arith.MinnumfOp(a, b).result if is_float(a.type) else minimum(a, b)


MATH: dict[str, Formula] = {
    "acos": lambda x: math_ops.AcosOp(x).result,
    "acosh": lambda x: math_ops.AcoshOp(x).result,
    "asin": lambda x: math_ops.AsinOp(x).result,
    "asinh": lambda x: math_ops.AsinhOp(x).result,
    "atan": lambda x: math_ops.AtanOp(x).result,
    "atanh": lambda x: math_ops.AtanhOp(x).result,
    "cosh": lambda x: math_ops.CoshOp(x).result,
    "sinh": lambda x: math_ops.SinhOp(x).result,
    "erf": lambda x: math_ops.ErfOp(x).result,
    "exp": formulas.exp,
    "exp2": lambda x: math_ops.Exp2Op(x).result,
    "expm1": lambda x: math_ops.ExpM1Op(x).result,
    "log": lambda x: math_ops.LogOp(x).result,
    "log10": lambda x: math_ops.Log10Op(x).result,
    "log1p": lambda x: math_ops.Log1pOp(x).result,
    "log2": lambda x: math_ops.Log2Op(x).result,
    "sqrt": formulas.sqrt,
    "rsqrt": lambda x: math_ops.RsqrtOp(x).result,
    "sin": lambda x: math_ops.SinOp(x).result,
    "cos": lambda x: math_ops.CosOp(x).result,
    "tan": lambda x: math_ops.TanOp(x).result,
    "tanh": formulas.tanh,
    "reciprocal": lambda x: divide(like(1, x), x),
    "sigmoid": formulas.sigmoid,
}

ACTIVATIONS: dict[str, Formula] = {
    "silu": formulas.silu,
    "mish": formulas.mish,
    "hardswish": formulas.hardswish,
    "hardsigmoid": formulas.hardsigmoid,
    "selu": formulas.selu,
}

REMAINDERS = {
    "fmod": signed_or_unsigned(division.fmod, division.fmod_unsigned, wide=True),
    "remainder": signed_or_unsigned(
        division.remainder, division.fmod_unsigned, wide=True
    ),
}

LOWERINGS: dict[str, Lowering] = {
    **{f"{name}.default": unary(formula) for name, formula in MATH.items()},
    **{f"{name}.default": of_floats(f) for name, f in ACTIVATIONS.items()},
    "abs.default": of_not_negative(formulas.absolute),
    "neg.default": unary(formulas.negate, wide=False),
    "relu.default": of_not_negative(formulas.relu),
    "sign.default": sign,
    **{
        f"{name}.{form}": lowering
        for name, lowering in {
            "add": add_scaled,
            "sub": subtract_scaled,
            "rsub": reverse_subtract,
            "mul": binary(logical_and_product),
            "div": divide_mode,
            "floor_divide": floor_divide,
            **REMAINDERS,
        }.items()
        for form in ("Tensor", "Scalar")
    },
    "floor.default": rounding(math_ops.FloorOp),
    "ceil.default": rounding(math_ops.CeilOp),
    "round.default": rounding(math_ops.RoundEvenOp),
    "trunc.default": rounding(math_ops.TruncOp),
    "div.Tensor_mode": divide_mode,
    "div.Scalar_mode": divide_mode,
    "floor_divide.default": floor_divide,
    "remainder.Scalar_Tensor": REMAINDERS["remainder"],
    "maximum.default": signed_or_unsigned(maximum, _max_unsigned, wide=False),
    "minimum.default": signed_or_unsigned(minimum, _min_unsigned, wide=False),
    "fmax.default": signed_or_unsigned(_larger_number, _max_unsigned, wide=False),
    "fmin.default": signed_or_unsigned(_smaller_number, _min_unsigned, wide=False),
    "atan2.default": binary(_arc_tangent, wide=True),
    "copysign.Tensor": binary(_copysign),
    "copysign.Scalar": binary(_copysign),
    "clamp.default": clamp,
    "clamp.Tensor": clamp,
    "clamp_min.default": clamp,
    "clamp_min.Tensor": clamp,
    "clamp_max.default": clamp_max,
    "clamp_max.Tensor": clamp_max,
    "hardtanh.default": hardtanh,
    "gelu.default": gelu,
    "softplus.default": parametrized(formulas.softplus),
    "elu.default": parametrized(formulas.elu),
    "leaky_relu.default": parametrized(formulas.leaky_relu),
    "pow.Tensor_Scalar": power_scalar,
    "pow.Tensor_Tensor": power,
    "pow.Scalar": power,
}
