"""Division and remainders with PyTorch's rounding, for floats and integers."""

from __future__ import annotations

from xdsl.dialects import arith
from xdsl.dialects import math as math_ops
from xdsl.ir import SSAValue

from mbc.frontend.aten.formulas import less, like, select
from mbc.ir.arith_repair import RemFOp
from mbc.ir.arithmetic import add, divide, subtract
from mbc.ir.types import is_float


def truncate(x: SSAValue) -> SSAValue:
    return math_ops.TruncOp(x).result


def divide_floor(a: SSAValue, b: SSAValue) -> SSAValue:
    if is_float(a.type):
        return _divide_floor_float(a, b)
    return arith.FloorDivSIOp(a, b).result


def divide_trunc(a: SSAValue, b: SSAValue) -> SSAValue:
    if is_float(a.type):
        return truncate(divide(a, b))
    return arith.DivSIOp(a, b).result


def divide_unsigned(a: SSAValue, b: SSAValue) -> SSAValue:
    return arith.DivUIOp(a, b).result


def fmod(a: SSAValue, b: SSAValue) -> SSAValue:
    """The remainder with the sign of `a`."""
    if is_float(a.type):
        return RemFOp(a, b).result
    return arith.RemSIOp(a, b).result


def fmod_unsigned(a: SSAValue, b: SSAValue) -> SSAValue:
    return arith.RemUIOp(a, b).result


def remainder(a: SSAValue, b: SSAValue) -> SSAValue:
    """The remainder with the sign of `b`, as Python's `%`."""
    rest = fmod(a, b)
    return select(_signs_differ(rest, b), add(rest, b), rest)


def _signs_differ(rest: SSAValue, b: SSAValue) -> SSAValue:
    """Whether a remainder is not zero and has not the sign of the divisor."""
    zero = like(0, b)
    differ = arith.XOrIOp(less(rest, zero), less(b, zero)).result
    return arith.AndIOp(_not_equal(rest, zero), differ).result


def _not_equal(a: SSAValue, b: SSAValue) -> SSAValue:
    if is_float(a.type):
        return arith.CmpfOp(a, b, "une").result
    return arith.CmpiOp(a, b, "ne").result


def _divide_floor_float(a: SSAValue, b: SSAValue) -> SSAValue:
    """By the exact remainder: floor(a / b) is wrong where a / b rounds up.

    The quotient is a whole number up to rounding, so that it is snapped to the
    nearest one; a zero keeps the sign of a / b, and a zero divisor gives a / b.
    """
    zero, one = like(0, a), like(1, a)
    plain = divide(a, b)
    rest = fmod(a, b)
    exact = divide(subtract(a, rest), b)
    exact = select(_signs_differ(rest, b), subtract(exact, one), exact)
    floor = math_ops.FloorOp(exact).result
    beyond = less(like(0.5, a), subtract(exact, floor))
    snapped = select(beyond, add(floor, one), floor)
    signed_zero = math_ops.CopySignOp(zero, plain).result
    result = select(_not_equal(exact, zero), snapped, signed_zero)
    return select(_not_equal(b, zero), result, plain)
