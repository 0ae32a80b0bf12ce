"""NumPy meaning of every scalar op that a `linalg.generic` body may hold."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from xdsl.dialects import arith
from xdsl.dialects.builtin import (
    DenseIntOrFPElementsAttr,
    FloatAttr,
    IntegerAttr,
    IntegerType,
)
from xdsl.ir import Operation

from mbc.errors import InvalidInput
from mbc.ir.types import Array, is_float, numpy_dtype

Function = Callable[..., Any]
Compare = Callable[[Array, Array], Array]

_erf = np.frompyfunc(math.erf, 1, 1)


def erf(x: Array) -> Array:
    return np.asarray(_erf(x.astype(np.float64)), np.float64).astype(x.dtype)


def round_half_away(x: Array) -> Array:
    return np.copysign(np.floor(np.abs(x) + x.dtype.type(0.5)), x)


def rsqrt(x: Array) -> Array:
    return x.dtype.type(1) / np.sqrt(x)


def multiply_add(a: Array, b: Array, c: Array) -> Array:
    return a * b + c


def divide_towards_zero(a: Array, b: Array) -> Array:
    """i32 minimum over -1 wraps, as PyTorch does on CPU."""
    quotient = np.floor_divide(a, b)
    inexact = np.not_equal(np.multiply(quotient, b), a)
    return quotient + (inexact & ((a < 0) != (b < 0))).astype(a.dtype)


def unsigned(x: Array) -> Array:
    return x if x.dtype == np.bool_ else x.view(f"u{x.dtype.itemsize}")


def _on_unsigned(function: Function) -> Function:
    def apply(a: Array, b: Array) -> Array:
        return function(unsigned(a), unsigned(b)).view(a.dtype)

    return apply


def _boolean(function: Function, on_bool: Function) -> Function:
    """i1 arithmetic is modulo 2, where NumPy's saturates."""

    def apply(a: Array, b: Array) -> Array:
        return (on_bool if a.dtype == np.bool_ else function)(a, b)

    return apply


SCALARS: dict[str, Function] = {
    "arith.addf": np.add,
    "arith.subf": np.subtract,
    "arith.mulf": np.multiply,
    "arith.divf": np.divide,
    "arith.remf": np.fmod,
    "arith.negf": np.negative,
    "arith.maximumf": np.maximum,
    "arith.minimumf": np.minimum,
    "arith.maxnumf": np.fmax,
    "arith.minnumf": np.fmin,
    "arith.addi": _boolean(np.add, np.logical_xor),
    "arith.subi": _boolean(np.subtract, np.logical_xor),
    "arith.muli": _boolean(np.multiply, np.logical_and),
    "arith.divsi": divide_towards_zero,
    "arith.floordivsi": np.floor_divide,
    "arith.divui": _on_unsigned(np.floor_divide),
    "arith.remsi": np.fmod,
    "arith.remui": _on_unsigned(np.remainder),
    "arith.maxsi": np.maximum,
    "arith.minsi": np.minimum,
    "arith.maxui": _on_unsigned(np.maximum),
    "arith.minui": _on_unsigned(np.minimum),
    "arith.andi": np.bitwise_and,
    "arith.ori": np.bitwise_or,
    "arith.xori": np.bitwise_xor,
    "arith.shli": np.left_shift,
    "arith.shrsi": np.right_shift,
    "arith.shrui": _on_unsigned(np.right_shift),
    "arith.select": np.where,
    "math.absf": np.abs,
    "math.absi": np.abs,
    "math.acos": np.arccos,
    "math.acosh": np.arccosh,
    "math.asin": np.arcsin,
    "math.asinh": np.arcsinh,
    "math.atan": np.arctan,
    "math.atan2": np.arctan2,
    "math.atanh": np.arctanh,
    "math.ceil": np.ceil,
    "math.copysign": np.copysign,
    "math.cos": np.cos,
    "math.cosh": np.cosh,
    "math.erf": erf,
    "math.exp": np.exp,
    "math.exp2": np.exp2,
    "math.expm1": np.expm1,
    "math.floor": np.floor,
    "math.fma": multiply_add,
    "math.log": np.log,
    "math.log10": np.log10,
    "math.log1p": np.log1p,
    "math.log2": np.log2,
    "math.powf": np.power,
    "math.round": round_half_away,
    "math.roundeven": np.rint,
    "math.rsqrt": rsqrt,
    "math.sin": np.sin,
    "math.sinh": np.sinh,
    "math.sqrt": np.sqrt,
    "math.tan": np.tan,
    "math.tanh": np.tanh,
    "math.trunc": np.trunc,
}


def _ordered(a: Array, b: Array) -> Array:
    return ~(np.isnan(a) | np.isnan(b))


CMPF: tuple[Compare, ...] = (
    lambda a, b: np.zeros(np.broadcast(a, b).shape, np.bool_),
    np.equal,
    np.greater,
    np.greater_equal,
    np.less,
    np.less_equal,
    lambda a, b: _ordered(a, b) & np.not_equal(a, b),
    _ordered,
    lambda a, b: ~_ordered(a, b) | np.equal(a, b),
    lambda a, b: ~np.less_equal(a, b),
    lambda a, b: ~np.less(a, b),
    lambda a, b: ~np.greater_equal(a, b),
    lambda a, b: ~np.greater(a, b),
    np.not_equal,
    lambda a, b: ~_ordered(a, b),
    lambda a, b: np.ones(np.broadcast(a, b).shape, np.bool_),
)
"""By MLIR's predicate number: false oeq ogt oge olt ole one ord ueq ugt ... true."""

CMPI: tuple[Compare, ...] = (
    np.equal,
    np.not_equal,
    np.less,
    np.less_equal,
    np.greater,
    np.greater_equal,
    lambda a, b: np.less(unsigned(a), unsigned(b)),
    lambda a, b: np.less_equal(unsigned(a), unsigned(b)),
    lambda a, b: np.greater(unsigned(a), unsigned(b)),
    lambda a, b: np.greater_equal(unsigned(a), unsigned(b)),
)


def constant_value(op: arith.ConstantOp) -> Array:
    """The value of an `arith.constant` in its own type."""
    match op.value:
        case FloatAttr() | IntegerAttr() as scalar:
            number = scalar.value.data
            return np.asarray(number).astype(numpy_dtype(scalar.type))
        case DenseIntOrFPElementsAttr() as dense:
            dtype = numpy_dtype(dense.get_element_type())
            values = np.array(dense.get_values()).astype(dtype)
            shape = tuple(dense.get_shape())
            if values.size == 1:
                return np.full(shape, values.reshape(()))
            return values.reshape(shape)
        case _:
            raise InvalidInput(f"constant {op.value} is not supported")


def cast(op: Operation, value: Array, wide: bool) -> Array:
    """Conversions; with `wide`, floats stay float64 but keep explicit roundings."""
    target = op.results[0].type
    source = op.operands[0].type
    if op.name == "arith.bitcast":
        return value.view(numpy_dtype(target))
    if op.name in ("arith.extui", "arith.uitofp"):
        value = unsigned(value)
    if op.name == "arith.extsi" and source == IntegerType(1):
        return -value.astype(numpy_dtype(target))
    if op.name == "arith.trunci" and target == IntegerType(1):
        return (value & 1).astype(np.bool_)
    result = value.astype(numpy_dtype(target))
    if wide and is_float(target):
        return (
            result.astype(np.float64)
            if op.name == "arith.truncf"
            else value.astype(np.float64)
        )
    return result


CASTS = frozenset(
    f"arith.{name}"
    for name in (
        "bitcast",
        "extf",
        "truncf",
        "extsi",
        "extui",
        "trunci",
        "sitofp",
        "uitofp",
        "fptosi",
        "fptoui",
        "index_cast",
    )
)
