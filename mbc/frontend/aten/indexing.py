"""Reads at computed positions (embedding, index, gather); writes of a slice."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import torch
from xdsl.dialects import arith
from xdsl.dialects.builtin import i64
from xdsl.dialects.linalg.ops import IndexOp
from xdsl.dialects.tensor import ExtractOp
from xdsl.ir import SSAValue

from mbc.frontend.aten.call import Call, Lowering, cast, wrap
from mbc.frontend.aten.formulas import less, like, scaled, select
from mbc.frontend.aten.shape import box
from mbc.frontend.unsupported import Unsupported
from mbc.ir import build
from mbc.ir.arithmetic import add
from mbc.ir.indices import index_into
from mbc.ir.ops.concat import ConcatOp
from mbc.ir.ops.gather import GatherOp
from mbc.ir.ops.scatter import ScatterOp
from mbc.ir.types import element_of, shape_of


def embedding(
    call: Call, table: SSAValue, indices: SSAValue, *training_only: object
) -> SSAValue:
    return GatherOp.of([table, indices], axis=0).result


def index_select(call: Call, x: SSAValue, axis: int, indices: SSAValue) -> SSAValue:
    rank = len(shape_of(x))
    row = x if rank else build.reshape(x, (1,))
    found = GatherOp.of([row, indices], axis=wrap(axis, rank)).result
    return build.reshape(found, call.shape)


def index(call: Call, x: SSAValue, indices: Sequence[SSAValue | None]) -> SSAValue:
    """x[:, i, j]: adjacent index tensors become one index into merged axes."""
    axes = [axis for axis, value in enumerate(indices) if value is not None]
    given = [value for value in indices if value is not None]
    if any(call.dtype_of(value) in (torch.bool, torch.uint8) for value in given):
        raise Unsupported("a mask as an index gives a size that depends on data")
    if axes != list(range(axes[0], axes[0] + len(axes))):
        raise Unsupported("index tensors with a slice between them")
    if len(given) == 1:
        return GatherOp.of([x, given[0]], axis=axes[0]).result
    shape = shape_of(x)
    extents = [shape[axis] for axis in axes]
    wide = [cast(value, call.dtype_of(value), torch.int64) for value in given]
    merged = [*shape[: axes[0]], math.prod(extents), *shape[axes[-1] + 1 :]]
    position = row_major(wide, extents)
    return GatherOp.of([build.reshape(x, merged), position], axis=axes[0]).result


def row_major(indices: Sequence[SSAValue], extents: Sequence[int]) -> SSAValue:
    """The position in merged axes of broadcast indices, negative ones wrapped."""
    shape = np.broadcast_shapes(*(shape_of(value) for value in indices))

    def body(*scalars: SSAValue) -> SSAValue:
        position = wrapped(scalars[0], extents[0])
        for value, extent in zip(scalars[1:], extents[1:], strict=True):
            position = add(scaled(position, extent), wrapped(value, extent))
        return position

    return build.elementwise(indices, shape, element_of(indices[0]), body)


def wrapped(at: SSAValue, extent: int) -> SSAValue:
    """An index that counts from the end where it is negative."""
    return select(less(at, like(0, at)), add(at, like(extent, at)), at)


def gather(
    call: Call, x: SSAValue, axis: int, indices: SSAValue, sparse_grad: bool = False
) -> SSAValue:
    """result[i, j] = x[indices[i, j], j] for axis 0, and so on."""
    rank = len(shape_of(x))
    if not rank:
        return x
    along, element = wrap(axis, rank), element_of(x)
    extent = shape_of(x)[along]

    def body(at: SSAValue) -> SSAValue:
        place: list[SSAValue] = [IndexOp(i).result for i in range(rank)]
        place[along] = index_into(at, extent)
        return ExtractOp(x, place, element).result

    return build.elementwise([indices], call.shape, element, body)


def slice_scatter(
    call: Call,
    x: SSAValue,
    source: SSAValue,
    axis: int = 0,
    start: int | None = None,
    end: int | None = None,
    step: int = 1,
) -> SSAValue:
    """`x` with a slice replaced: what lies before, the new part, what lies behind.

    Elements with a step between them are written each at its index.
    """
    axis = wrap(axis, len(shape_of(x)))
    extent = shape_of(x)[axis]
    first, _, _ = slice(start, end).indices(extent)
    if step != 1:
        places = _places(first, step, shape_of(source)[axis])
        return ScatterOp.of([x, places, source], axis=axis, kind="set").result
    last = first + shape_of(source)[axis]
    parts = (box(x, axis, 0, first), source, box(x, axis, last, extent - last))
    kept = [part for part in parts if shape_of(part)[axis]]
    return ConcatOp.of(kept, axis=axis).result if kept else x


def _places(first: int, step: int, count: int) -> SSAValue:
    """first, first + step, ..."""

    def body() -> SSAValue:
        at = scaled(arith.IndexCastOp(IndexOp(0).result, i64).result, step)
        return add(at, like(first, at))

    return build.elementwise([], (count,), i64, body)


def select_scatter(
    call: Call, x: SSAValue, source: SSAValue, axis: int, index: int
) -> SSAValue:
    axis = wrap(axis, len(shape_of(x)))
    place = index % shape_of(x)[axis]
    row = list(shape_of(x))
    row[axis] = 1
    return slice_scatter(call, x, build.reshape(source, row), axis, place, place + 1)


LOWERINGS: dict[str, Lowering] = {
    "embedding.default": embedding,
    "index_select.default": index_select,
    "index.Tensor": index,
    "_unsafe_index.Tensor": index,
    "gather.default": gather,
    "slice_scatter.default": slice_scatter,
    "select_scatter.default": select_scatter,
}
