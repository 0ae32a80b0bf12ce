"""Integers as MLIR means them: signless, of a width, wrapping."""

from __future__ import annotations

from xdsl.dialects.builtin import IndexType, IntegerType
from xdsl.ir import Attribute

INDEX_WIDTH = 32
"""What every target's index holds at least."""


def width_of(kind: Attribute) -> int:
    if isinstance(kind, IndexType):
        return INDEX_WIDTH
    assert isinstance(kind, IntegerType)
    return kind.bitwidth


def wrapped(number: int, kind: Attribute) -> int:
    """The signed integer with the low bits of `number`.

    An index has no width of its own, so `OverflowError` where it does not fit.
    """
    width = width_of(kind)
    low = number & ((1 << width) - 1)
    signed = low - (1 << width) if low >> (width - 1) else low
    if isinstance(kind, IndexType) and signed != number:
        raise OverflowError(number)
    return signed


def unsigned(number: int, kind: Attribute) -> int:
    """The same bits without a sign; a negative index has none."""
    if isinstance(kind, IndexType) and number < 0:
        raise OverflowError(number)
    return number & ((1 << width_of(kind)) - 1)


def is_bit(kind: Attribute) -> bool:
    """Whose only set bit is a sign to MLIR, and the number 1 to everybody else."""
    return kind == IntegerType(1)
