"""Scalar conversions between torch dtypes, as `arith` casts."""

from __future__ import annotations

import torch
from xdsl.dialects import arith
from xdsl.dialects.builtin import IntegerType
from xdsl.ir import Attribute, SSAValue

from mbc.frontend.dtypes import UNSIGNED, element_of_dtype
from mbc.ir.arithmetic import constant
from mbc.ir.types import is_float


def convert(x: SSAValue, source: torch.dtype, target: torch.dtype) -> SSAValue:
    """`x`, a scalar of dtype `source`, as `target`; nothing where they agree."""
    if source == target:
        return x
    if target == torch.bool:
        return nonzero(x)
    if source.is_floating_point and target.is_floating_point:
        return _between_floats(x, source, target)
    element = element_of_dtype(target)
    if source.is_floating_point:
        cast = arith.FPToUIOp if target in UNSIGNED else arith.FPToSIOp
        return cast(x, element).result
    unsigned = source in UNSIGNED or source == torch.bool
    if target.is_floating_point:
        return (arith.UIToFPOp if unsigned else arith.SIToFPOp)(x, element).result
    return _between_integers(x, unsigned, target)


def nonzero(x: SSAValue) -> SSAValue:
    """Whether a scalar is true, which NaN is."""
    if x.type == IntegerType(1):
        return x
    zero = constant(0, x.type)
    if is_float(x.type):
        return arith.CmpfOp(x, zero, "une").result
    return arith.CmpiOp(x, zero, "ne").result


def _between_floats(x: SSAValue, source: torch.dtype, target: torch.dtype) -> SSAValue:
    element = element_of_dtype(target)
    if source.itemsize < target.itemsize:
        return arith.ExtFOp(x, element).result
    if source.itemsize > target.itemsize:
        return arith.TruncFOp(x, element).result
    single = convert(x, source, torch.float32)
    return convert(single, torch.float32, target)


def _between_integers(x: SSAValue, unsigned: bool, target: torch.dtype) -> SSAValue:
    element = element_of_dtype(target)
    before, after = width(x.type), width(element)
    if before == after:
        return x
    if before > after:
        return arith.TruncIOp(x, element).result
    return (arith.ExtUIOp if unsigned else arith.ExtSIOp)(x, element).result


def width(element: Attribute) -> int:
    assert isinstance(element, IntegerType)
    return element.width.data
