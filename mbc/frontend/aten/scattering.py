"""Writes at computed positions: index_put, scatter and their accumulating forms."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import torch
from xdsl.dialects import arith
from xdsl.dialects.builtin import i64
from xdsl.dialects.linalg.ops import IndexOp
from xdsl.ir import SSAValue

from mbc.frontend.aten.call import Call, Lowering, Number, cast, same, wrap
from mbc.frontend.aten.formulas import less, like, scaled, select
from mbc.frontend.aten.indexing import row_major, wrapped
from mbc.frontend.unsupported import Unsupported
from mbc.ir import build
from mbc.ir.arithmetic import add
from mbc.ir.ops.scatter import ScatterOp
from mbc.ir.types import element_of, shape_of

REDUCTIONS = {
    "sum": "add",
    "add": "add",
    "prod": "mul",
    "multiply": "mul",
    "amax": "max",
    "amin": "min",
}


def index_put(
    call: Call,
    x: SSAValue,
    indices: Sequence[SSAValue | None],
    values: SSAValue,
    accumulate: bool = False,
) -> SSAValue:
    """x[:, i, j] = values: adjacent index tensors become one into merged axes."""
    given = [value for value in indices if value is not None]
    axes = [axis for axis, value in enumerate(indices) if value is not None]
    if any(call.dtype_of(value) in (torch.bool, torch.uint8) for value in given):
        if accumulate:
            raise Unsupported("sums at a mask")
        return _put_where(call, x, axes[0], given, call.cast(values))
    if axes != list(range(axes[0], axes[0] + len(axes))):
        raise Unsupported("index tensors with a slice between them")
    shape, first, behind = shape_of(x), axes[0], axes[-1] + 1
    extents = [shape[axis] for axis in axes]
    wide = [cast(value, call.dtype_of(value), torch.int64) for value in given]
    position = row_major(wide, extents) if len(given) > 1 else wide[0]
    merged = (*shape[:first], math.prod(extents), *shape[behind:])
    target = (*shape[:first], *shape_of(position), *shape[behind:])
    updates = _spread(call.cast(values), target)
    kind = "add" if accumulate else "set"
    written = ScatterOp.of(
        [build.reshape(x, merged), position, updates],
        axis=first,
        kind=_kind(call, kind),
    )
    return build.reshape(written.result, shape)


def _put_where(
    call: Call, x: SSAValue, axis: int, masks: Sequence[SSAValue], values: SSAValue
) -> SSAValue:
    """x[:, mask] = values, which are the same wherever the mask is true."""
    shape, (mask, *more) = shape_of(x), masks
    seen = shape_of(mask)
    behind = len(shape) - axis - len(seen)
    given = shape_of(values)
    placed = (*(1,) * (axis + 1 + behind - len(given)), *given)
    if more or placed[axis] != 1:
        raise Unsupported("a mask as an index gives a size that depends on data")
    hits = cast(mask, call.dtype_of(mask), torch.bool)
    wide = build.reshape(hits, (*seen, *(1,) * behind))
    ones = (1,) * len(seen)
    new = build.reshape(values, (*placed[:axis], *ones, *placed[axis + 1 :]))

    def body(old: SSAValue, hit: SSAValue, new: SSAValue) -> SSAValue:
        return select(hit, new, old)

    return build.elementwise([x, wide, new], shape, element_of(x), body)


def _kind(call: Call, kind: str) -> str:
    """What booleans do: a sum is whether any is true."""
    if call.dtype != torch.bool:
        return kind
    return {"add": "max", "mul": "min"}.get(kind, kind)


def _spread(values: SSAValue, shape: Sequence[int]) -> SSAValue:
    if shape_of(values) == tuple(shape):
        return values
    return build.elementwise([values], shape, element_of(values), same)


def scatter_source(kind: str) -> Lowering:
    def lower(
        call: Call, x: SSAValue, axis: int, indices: SSAValue, source: SSAValue
    ) -> SSAValue:
        return _scatter(call, x, axis, indices, source, kind)

    return lower


def scatter_value(
    call: Call, x: SSAValue, axis: int, indices: SSAValue, value: Number
) -> SSAValue:
    source = build.filled(shape_of(indices), call.element, value)
    return _scatter(call, x, axis, indices, source, "set")


def scatter_reduce(
    call: Call,
    x: SSAValue,
    axis: int,
    indices: SSAValue,
    source: SSAValue,
    reduce: str,
    include_self: bool = True,
) -> SSAValue:
    if reduce not in REDUCTIONS or not include_self:
        raise Unsupported(f"reduction '{reduce}', include_self = {include_self}")
    return _scatter(call, x, axis, indices, source, REDUCTIONS[reduce])


def _scatter(
    call: Call, x: SSAValue, axis: int, indices: SSAValue, source: SSAValue, kind: str
) -> SSAValue:
    """x[i, indices[i, j]] = source[i, j] for axis 1: into all axes merged."""
    picked = shape_of(indices)
    places = cast(indices, call.dtype_of(indices), torch.int64)
    if not picked:
        raise Unsupported("a scalar as the index")
    shape, along = shape_of(x), wrap(axis, len(picked))
    if shape_of(source) != picked:
        zeros, ones = [0] * len(picked), [1] * len(picked)
        source = build.extract_slice(source, zeros, picked, ones)
    position = _flat(places, along, shape)
    count, total = math.prod(picked), math.prod(shape)
    flat = [
        build.reshape(value, (extent,))
        for value, extent in ((x, total), (position, count), (source, count))
    ]
    written = ScatterOp.of(flat, axis=0, kind=_kind(call, kind)).result
    return build.reshape(written, call.shape)


def _flat(indices: SSAValue, along: int, shape: Sequence[int]) -> SSAValue:
    """Where in `shape` each update goes, row-major, or a place that is dropped."""

    def body(at: SSAValue) -> SSAValue:
        inside = wrapped(at, shape[along])
        place = scaled(inside, math.prod(shape[along + 1 :]))
        for axis in range(len(shape)):
            if axis != along:
                here = arith.IndexCastOp(IndexOp(axis).result, i64).result
                place = add(place, scaled(here, math.prod(shape[axis + 1 :])))
        return _guarded(inside, place, shape[along], math.prod(shape))

    return build.elementwise([indices], shape_of(indices), i64, body)


def _guarded(at: SSAValue, place: SSAValue, extent: int, total: int) -> SSAValue:
    """`place`, or a place that mbc.scatter drops where `at` is not in its axis."""
    low = less(at, like(0, at))
    dropped = like(total, place)
    high = less(like(extent - 1, at), at)
    return select(low, dropped, select(high, dropped, place))


MORE: dict[str, Callable[..., SSAValue]] = {
    "index_put.default": index_put,
    "_unsafe_index_put.default": index_put,
    "scatter.value": scatter_value,
    "scatter.reduce": scatter_reduce,
    "scatter_reduce.two": scatter_reduce,
}

LOWERINGS: dict[str, Lowering] = {
    "scatter.src": scatter_source("set"),
    "scatter_add.default": scatter_source("add"),
    **MORE,
}
