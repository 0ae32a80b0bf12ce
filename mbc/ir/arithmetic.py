"""Scalar arithmetic that picks the float or integer op by type."""

from __future__ import annotations

import math

from xdsl.dialects import arith
from xdsl.dialects import math as math_dialect
from xdsl.dialects.builtin import FloatAttr, IntegerAttr, IntegerType
from xdsl.ir import Attribute, SSAValue

from mbc.ir.types import FLOATS, is_float, is_int


def add(a: SSAValue, b: SSAValue) -> SSAValue:
    return (arith.AddfOp(a, b) if is_float(a.type) else arith.AddiOp(a, b)).result


def subtract(a: SSAValue, b: SSAValue) -> SSAValue:
    return (arith.SubfOp(a, b) if is_float(a.type) else arith.SubiOp(a, b)).result


def multiply(a: SSAValue, b: SSAValue) -> SSAValue:
    return (arith.MulfOp(a, b) if is_float(a.type) else arith.MuliOp(a, b)).result


def divide(a: SSAValue, b: SSAValue) -> SSAValue:
    return arith.DivfOp(a, b).result


def reciprocal(x: SSAValue) -> SSAValue:
    return divide(constant(1.0, x.type), x)


def rsqrt(x: SSAValue) -> SSAValue:
    return math_dialect.RsqrtOp(x).result


def widen(value: SSAValue, to: Attribute) -> SSAValue:
    """`arith.extf` to the accumulator type, where that is wider."""
    if value.type == to:
        return value
    return arith.ExtFOp(value, to).result


def constant(value: float | bool, element: Attribute) -> SSAValue:
    """A scalar `arith.constant` of any element type."""
    if isinstance(element, FLOATS):
        return arith.ConstantOp(FloatAttr(float(value), element)).result
    assert is_int(element)
    return arith.ConstantOp(IntegerAttr(int(value), element)).result


def maximum(a: SSAValue, b: SSAValue) -> SSAValue:
    """Propagates NaN, as torch does; booleans are ordered false < true."""
    if is_float(a.type):
        return arith.MaximumfOp(a, b).result
    if a.type == IntegerType(1):
        return arith.OrIOp(a, b).result
    return arith.MaxSIOp(a, b).result


def minimum(a: SSAValue, b: SSAValue) -> SSAValue:
    if is_float(a.type):
        return arith.MinimumfOp(a, b).result
    if a.type == IntegerType(1):
        return arith.AndIOp(a, b).result
    return arith.MinSIOp(a, b).result


def extreme_value(element: Attribute, which: str) -> float | int:
    """The neutral element of a maximum ("lowest") or minimum ("highest")."""
    lowest = which == "lowest"
    if is_float(element):
        return -math.inf if lowest else math.inf
    assert isinstance(element, IntegerType)
    width = element.bitwidth
    if width == 1:
        return 0 if lowest else 1
    return -(2 ** (width - 1)) if lowest else 2 ** (width - 1) - 1
