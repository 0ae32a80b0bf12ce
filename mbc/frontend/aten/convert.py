"""Scalar conversions between torch dtypes, as `arith` casts."""

from __future__ import annotations

import torch
from xdsl.dialects import arith
from xdsl.dialects.builtin import IntegerType
from xdsl.ir import SSAValue

from mbc.frontend.dtypes import FLOATS, INTEGERS, UNSIGNED
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
    if source.is_floating_point:
        cast = arith.FPToUIOp if target in UNSIGNED else arith.FPToSIOp
        return cast(x, INTEGERS[target]).result
    unsigned = source in UNSIGNED or source == torch.bool
    if target.is_floating_point:
        cast = arith.UIToFPOp if unsigned else arith.SIToFPOp
        return cast(x, FLOATS[target]).result
    before, after = INTEGERS[source].width.data, INTEGERS[target].width.data
    if before > after:
        return arith.TruncIOp(x, INTEGERS[target]).result
    if before == after:
        return x
    return (arith.ExtUIOp if unsigned else arith.ExtSIOp)(x, INTEGERS[target]).result


def nonzero(x: SSAValue) -> SSAValue:
    """Whether a scalar is true, which NaN is."""
    if x.type == IntegerType(1):
        return x
    zero = constant(0, x.type)
    if is_float(x.type):
        return arith.CmpfOp(x, zero, "une").result
    return arith.CmpiOp(x, zero, "ne").result


def _between_floats(x: SSAValue, source: torch.dtype, target: torch.dtype) -> SSAValue:
    element = FLOATS[target]
    if source.itemsize < target.itemsize:
        return arith.ExtFOp(x, element).result
    if source.itemsize > target.itemsize:
        return arith.TruncFOp(x, element).result
    single = convert(x, source, torch.float32)
    return convert(single, torch.float32, target)
