"""What mixtures of experts use: counts per expert, and a product per group of rows.

A row's group is known when the model runs, so every row is multiplied by every group's
matrix, and its own product kept: as many times the work as there are groups.
"""

from __future__ import annotations

import math

import torch
from xdsl.dialects import arith
from xdsl.ir import SSAValue

from mbc.frontend.aten.call import Call, Lowering, Number
from mbc.frontend.aten.convert import convert
from mbc.frontend.aten.creation import position
from mbc.frontend.aten.formulas import less, like, minimum, scaled, select
from mbc.frontend.unsupported import Unsupported
from mbc.ir import build
from mbc.ir.arithmetic import divide, subtract
from mbc.ir.ops.contract import ContractOp
from mbc.ir.ops.pad import PadOp
from mbc.ir.ops.reduce import ReduceOp
from mbc.ir.types import element_of, shape_of


def histogram(
    call: Call, x: SSAValue, bins: int = 100, min: Number = 0, max: Number = 0
) -> SSAValue:
    """How many elements lie in each of `bins` equal parts; the last holds `max`."""
    if not min < max:
        raise Unsupported("bins between the least and the greatest element")
    dtype, count = call.dtype_of(x), math.prod(shape_of(x))
    if not dtype.is_floating_point:
        raise Unsupported("bins of integers")
    flat = build.reshape(x, (count,))

    def body(value: SSAValue) -> SSAValue:
        outside = arith.OrIOp(less(value, low := like(min, value)), _beyond(value, max))
        inside = select(outside.result, low, value)
        parts = divide(scaled(subtract(inside, low), bins), like(max - min, value))
        place = convert(parts, dtype, torch.int64)
        own = minimum(place, like(bins - 1, place))
        here = arith.CmpiOp(own, position(0), "eq").result
        one, zero = like(1, value), like(0, value)
        return select(outside.result, zero, select(here, one, zero))

    hits = build.elementwise(
        [flat], (bins, count), element_of(x), body, [build.dims_map(2, [1])]
    )
    return ReduceOp.over(hits, "sum", [1]).result


def _beyond(value: SSAValue, limit: Number) -> SSAValue:
    """Above the limit, or not a number."""
    return arith.CmpfOp(value, like(limit, value), "ugt").result


def grouped_product(
    call: Call, rows: SSAValue, weights: SSAValue, ends: SSAValue
) -> SSAValue:
    """rows[i] @ weights[g] for the rows from ends[g - 1] to ends[g]; zeros behind."""
    if len(shape_of(rows)) != 2 or len(shape_of(weights)) != 3:
        raise Unsupported("groups of other axes than the rows")
    groups, _, columns = shape_of(weights)
    every = ContractOp.einsum("sk,gkn->gsn", rows, weights).result
    before = build.extract_slice(ends, [0], [groups - 1], [1])
    starts = PadOp.with_value(before, [1], [0], 0.0)
    shape = (groups, shape_of(rows)[0], columns)
    maps = [build.identity_map(3), build.dims_map(3, [0]), build.dims_map(3, [0])]
    integers = call.dtype_of(ends)

    def body(product: SSAValue, start: SSAValue, end: SSAValue) -> SSAValue:
        row = position(1)
        first, last = (convert(x, integers, torch.int64) for x in (start, end))
        early, belongs = less(row, first), less(row, last)
        off = like(0, product)
        return select(early, off, select(belongs, product, off))

    own = build.elementwise([every, starts, ends], shape, call.element, body, maps)
    return ReduceOp.over(own, "sum", [0]).result


LOWERINGS: dict[str, Lowering] = {
    "histc.default": histogram,
    "transformers.grouped_mm_fallback.default": grouped_product,
}
