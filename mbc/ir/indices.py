"""Indices that data hold: counted from the end where negative, and never outside."""

from __future__ import annotations

import numpy as np
from xdsl.dialects import arith
from xdsl.dialects.builtin import IndexType
from xdsl.ir import SSAValue

from mbc.ir.arithmetic import constant
from mbc.ir.types import Array


def wrapped_indices(indices: Array, extent: int) -> Array:
    """The places of an axis of `extent` that are read for `indices`."""
    at = indices.astype(np.int64)
    return np.clip(np.where(at < 0, at + extent, at), 0, max(0, extent - 1))


def index_into(at: SSAValue, extent: int) -> SSAValue:
    """The same for one scalar, as an `index`."""
    wide = arith.IndexCastOp(at, IndexType()).result
    zero, last = (constant(value, IndexType()) for value in (0, max(0, extent - 1)))
    negative = arith.CmpiOp(wide, zero, "slt").result
    back = arith.AddiOp(wide, constant(extent, IndexType())).result
    counted = arith.SelectOp(negative, back, wide).result
    return arith.MinSIOp(arith.MaxSIOp(counted, zero).result, last).result
