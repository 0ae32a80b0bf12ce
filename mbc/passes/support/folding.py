"""Scalar operations on constants, folded where the value is beyond doubt.

Integers wrap at their own width, as MLIR and every target say. Not folded is what MLIR
leaves undefined (division by zero, the lowest number over -1, shifts by the width or
more, floats that an integer type cannot hold), what rounds, and what is or makes a NaN.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from fractions import Fraction

import numpy as np
from xdsl.dialects import arith
from xdsl.dialects.builtin import FloatAttr, IntegerAttr
from xdsl.ir import Attribute, Operation, SSAValue

from mbc.ir.scalars import CMPF, SCALARS
from mbc.ir.types import is_float, is_int, numpy_dtype
from mbc.passes.support.casts import CASTS, Number, folded_cast
from mbc.passes.support.integers import is_bit, unsigned, width_of, wrapped

UNDEFINED = (ZeroDivisionError, OverflowError, ValueError)


def truncated_quotient(a: int, b: int) -> int:
    quotient = abs(a) // abs(b)
    return quotient if (a < 0) == (b < 0) else -quotient


def truncated_remainder(a: int, b: int) -> int:
    return a - b * truncated_quotient(a, b)


EITHER_SIGN: dict[str, Callable[[int, int], int]] = {
    "arith.addi": int.__add__,
    "arith.subi": int.__sub__,
    "arith.muli": int.__mul__,
    "arith.andi": int.__and__,
    "arith.ori": int.__or__,
    "arith.xori": int.__xor__,
    "arith.shli": int.__lshift__,
}
"""Right at any width once the result wraps."""

SIGNED: dict[str, Callable[[int, int], int]] = {
    "arith.divsi": truncated_quotient,
    "arith.remsi": truncated_remainder,
    "arith.floordivsi": int.__floordiv__,
    "arith.maxsi": max,
    "arith.minsi": min,
    "arith.shrsi": int.__rshift__,
}

UNSIGNED: dict[str, Callable[[int, int], int]] = {
    "arith.divui": int.__floordiv__,
    "arith.remui": int.__mod__,
    "arith.maxui": max,
    "arith.minui": min,
    "arith.shrui": int.__rshift__,
}

SHIFTS = frozenset({"arith.shli", "arith.shrsi", "arith.shrui"})
OVERFLOWING = frozenset({"arith.divsi", "arith.remsi", "arith.floordivsi"})

REAL: dict[str, Callable[[Fraction, Fraction], Fraction]] = {
    "arith.addf": lambda a, b: a + b,
    "arith.subf": lambda a, b: a - b,
    "arith.mulf": lambda a, b: a * b,
    "arith.divf": lambda a, b: a / b,
    "arith.negf": lambda a, _: -a,
    "math.absf": lambda a, _: abs(a),
}
"""The real number that an operation on floats rounds; of one operand, both are it."""

COMPARISONS = (
    *(operator.eq, operator.ne, operator.lt, operator.le, operator.gt, operator.ge),
    *(operator.lt, operator.le, operator.gt, operator.ge),
)
"""By MLIR's predicate number of `arith.cmpi`; from the seventh on unsigned."""
FIRST_UNSIGNED = 6


def folded(op: Operation) -> Number | None:
    """The value of `op`, of its result's type, where all operands are constants."""
    try:
        operands = [constant_number(value) for value in op.operands]
        known = [number for number in operands if number is not None]
        if not known or len(known) != len(operands):
            return None
        return _value(op, known)
    except UNDEFINED:
        return None


def _value(op: Operation, operands: list[Number]) -> Number | None:
    kind = op.results[0].type
    if isinstance(op, arith.CmpfOp | arith.CmpiOp):
        return _comparison(op, operands)
    if op.name in CASTS:
        return folded_cast(op, operands[0])
    if op.name in REAL and is_float(kind):
        return _float(op.name, operands, kind)
    return _integer(op.name, operands, kind)


def constant_number(value: SSAValue) -> Number | None:
    """The number that a scalar constant is, integers as signed ones.

    `OverflowError` for an index that not every target holds.
    """
    owner = value.owner
    if not isinstance(owner, arith.ConstantOp):
        return None
    match owner.value:
        case IntegerAttr() as integer:
            return wrapped(integer.value.data, value.type)
        case FloatAttr() as number:
            return number.value.data
        case _:
            return None


def _integer(name: str, numbers: list[Number], kind: Attribute) -> int | None:
    if len(numbers) != 2 or not is_int(kind):
        return None
    a, b = (int(number) for number in numbers)
    if name in SHIFTS and not 0 <= unsigned(b, kind) < width_of(kind):
        return None
    if name in UNSIGNED:
        low = UNSIGNED[name](unsigned(a, kind), unsigned(b, kind))
        return wrapped(low, kind)
    if name in EITHER_SIGN:
        return wrapped(EITHER_SIGN[name](a, b), kind)
    if name not in SIGNED or is_bit(kind):
        return None
    if name in OVERFLOWING and b == -1 and a == -(1 << (width_of(kind) - 1)):
        return None
    return wrapped(SIGNED[name](a, b), kind)


def _float(name: str, numbers: list[Number], kind: Attribute) -> float | None:
    """The result where it is a number of the type as it is."""
    arrays = [np.asarray(number, numpy_dtype(kind)) for number in numbers]
    with np.errstate(all="ignore"):
        rounded = float(SCALARS[name](*arrays))
    exact = REAL[name](Fraction(numbers[0]), Fraction(numbers[-1]))
    return rounded if math.isfinite(rounded) and Fraction(rounded) == exact else None


def _comparison(op: arith.CmpfOp | arith.CmpiOp, numbers: list[Number]) -> int | None:
    predicate, kind = op.predicate.value.data, op.lhs.type
    if isinstance(op, arith.CmpfOp):
        a, b = (np.asarray(number, np.float64) for number in numbers)
        return int(bool(CMPF[predicate](a, b)))
    if not is_int(kind):
        return None
    a, b = (int(number) for number in numbers)
    if predicate >= FIRST_UNSIGNED:
        a, b = unsigned(a, kind), unsigned(b, kind)
    elif predicate > 1 and is_bit(kind):
        return None
    return int(COMPARISONS[predicate](a, b))
