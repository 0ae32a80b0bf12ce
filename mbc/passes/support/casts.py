"""Casts of constants: integers always, others where nothing is undefined."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from xdsl.dialects import arith
from xdsl.ir import Attribute, Operation

from mbc.ir.types import is_float, is_int, numpy_dtype
from mbc.passes.support.integers import is_bit, unsigned, wrapped

Number = float | int
Cast = Callable[[Number, Attribute, Attribute], Number | None]
"""From a number of the first type to one of the second, if it is certain."""


def folded_cast(op: Operation, number: Number) -> Number | None:
    source, kind = op.operands[0].type, op.results[0].type
    known = all(is_int(type) or is_float(type) for type in (source, kind))
    return CASTS[op.name](number, source, kind) if known else None


def _to_integer(number: Number, source: Attribute, kind: Attribute) -> int:
    return wrapped(int(number), kind)


def _unsigned_to_integer(number: Number, source: Attribute, kind: Attribute) -> int:
    return wrapped(unsigned(int(number), source), kind)


def _exact_float(number: Number, kind: Attribute) -> float | None:
    """Exactly, or not at all: in float64 mode an integer becomes a float unrounded."""
    with np.errstate(over="ignore"):
        rounded = float(np.asarray(number).astype(numpy_dtype(kind)))
    return rounded if math.isfinite(rounded) and int(rounded) == number else None


def _signed_to_float(
    number: Number, source: Attribute, kind: Attribute
) -> float | None:
    return None if is_bit(source) else _exact_float(number, kind)


def _unsigned_to_float(
    number: Number, source: Attribute, kind: Attribute
) -> float | None:
    return _exact_float(unsigned(int(number), source), kind)


def _float_to_signed(number: Number, source: Attribute, kind: Attribute) -> int | None:
    """Towards zero; what does not fit is undefined, and so are NaN and infinities."""
    whole = math.trunc(number)
    return whole if wrapped(whole, kind) == whole and not is_bit(kind) else None


def _float_to_unsigned(
    number: Number, source: Attribute, kind: Attribute
) -> int | None:
    whole = math.trunc(number)
    return wrapped(whole, kind) if unsigned(whole, kind) == whole else None


def _rounded(number: Number, source: Attribute, kind: Attribute) -> float | None:
    """One explicit rounding, which float64 mode makes, too. A NaN keeps its bits."""
    if math.isnan(number):
        return None
    with np.errstate(over="ignore"):
        own = np.asarray(number).astype(numpy_dtype(source))
        return float(own.astype(numpy_dtype(kind)))


CASTS: dict[str, Cast] = {
    arith.TruncIOp.name: _to_integer,
    arith.ExtSIOp.name: _to_integer,
    arith.ExtUIOp.name: _unsigned_to_integer,
    arith.IndexCastOp.name: _to_integer,
    arith.SIToFPOp.name: _signed_to_float,
    arith.UIToFPOp.name: _unsigned_to_float,
    arith.FPToSIOp.name: _float_to_signed,
    arith.FPToUIOp.name: _float_to_unsigned,
    arith.ExtFOp.name: _rounded,
    arith.TruncFOp.name: _rounded,
}
