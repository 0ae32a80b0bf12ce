"""What each op that only moves data is: rows, a transposition, or picked rows."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

from xdsl.dialects import arith
from xdsl.dialects import tensor as tensor_dialect
from xdsl.dialects.builtin import FloatAttr, i1
from xdsl.dialects.linalg import ops as linalg
from xdsl.ir import Operation, SSAValue

from mbc.codegen.families import move_panels
from mbc.codegen.families.move_rows import (
    FILL,
    Axis,
    Segment,
    TreeBuilder,
    axes_of,
    merged,
)
from mbc.codegen.families.movements import Movement, Picks, Rows, Scatter, copied
from mbc.codegen.loops import Access, Nest, collapse, nest_of, row_major
from mbc.ir.boxes import static_box
from mbc.ir.ops.concat import ConcatOp
from mbc.ir.ops.gather import GatherOp
from mbc.ir.ops.pack import PackOp
from mbc.ir.ops.pad import PadOp
from mbc.ir.ops.scatter import ScatterOp
from mbc.ir.ops.unpack import UnpackOp
from mbc.ir.structured import is_elementwise
from mbc.ir.types import element_of, shape_of

Names = Mapping[SSAValue, str]


def movement_of(op: Operation, names: Names) -> Movement | None:
    """What `op` moves where; None where it computes, or where a template is no help."""
    kinds = (kind for kind in OPS if isinstance(op, kind))
    recognize = OPS.get(next(kinds, type(op)))
    if recognize is None or len(op.results) != 1:
        return None
    touched = [*op.operands, *op.results]
    if any(0 in shape_of(v) for v in touched if hasattr(v.type, "get_shape")):
        return None
    return recognize(op, names)


def _copy(op: linalg.GenericOp, names: Names) -> Movement | None:
    """A generic whose body yields its one input."""
    body = list(op.body.block.ops)
    if not is_elementwise(op) or len(op.inputs) != 1 or len(body) != 1:
        return None
    if body[0].operands[0] is not op.body.block.args[0]:
        return None
    return copied(collapse(nest_of(op, names)))


def _transpose(op: linalg.TransposeOp, names: Names) -> Movement | None:
    """Result axis i is axis `permutation[i]` of the source."""
    source, result = op.inputs[0], op.results[0]
    strides = row_major(shape_of(source))
    dtype, shape = str(element_of(result)), shape_of(result)
    read = tuple(strides[int(axis)] for axis in op.permutation.get_values())
    nest = Nest(
        shape,
        ("parallel",) * len(shape),
        (Access(names[source], dtype, 0, read),),
        (Access(names[result], dtype, 0, row_major(shape)),),
    )
    return copied(collapse(nest))


def _concat(op: ConcatOp | tensor_dialect.ConcatOp, names: Names) -> Movement:
    axis = op.int_of("axis") if isinstance(op, ConcatOp) else op.dim.value.data
    shape, sources = shape_of(op.results[0]), list(op.inputs)
    axes = axes_of(shape, len(sources))
    extents = [shape_of(source)[axis] for source in sources]
    segments = [Segment(n, source) for source, n in enumerate(extents)]
    axes[axis] = Axis(tuple(segments), tuple(extents))
    return _rows(op, axes, names)


def _pad(op: PadOp, names: Names) -> Movement:
    pads = zip(shape_of(op.input), op.ints_of("low"), op.ints_of("high"), strict=True)
    axes = [padded_axis(n, low, high, op.kind) for n, low, high in pads]
    return _rows(op, axes, names, op.float_of("value"))


def _upstream_pad(op: tensor_dialect.PadOp, names: Names) -> Movement | None:
    """tensor.pad by static amounts with a constant of floats."""
    last = op.region.block.last_op
    assert last is not None
    value = last.operands[0].owner
    if op.low or op.high or not isinstance(value, arith.ConstantOp):
        return None
    amounts = (op.static_low.get_values(), op.static_high.get_values())
    negative = min((*amounts[0], *amounts[1]), default=0) < 0
    if negative or not isinstance(value.value, FloatAttr):
        return None
    axes = [
        padded_axis(extent, int(low), int(high), "constant")
        for extent, low, high in zip(shape_of(op.source), *amounts, strict=True)
    ]
    return _rows(op, axes, names, value.value.value.data)


def padded_axis(extent: int, low: int, high: int, mode: str) -> Axis:
    """Before, inside and behind an axis."""
    if not low and not high:
        return axes_of([extent])[0]
    before, behind = {
        "constant": (Segment(low, FILL), Segment(high, FILL)),
        "reflect": (Segment(low, 0, low, -1), Segment(high, 0, extent - 2, -1)),
        "replicate": (Segment(low, 0, 0, 0), Segment(high, 0, extent - 1, 0)),
        "circular": (Segment(low, 0, extent - low), Segment(high, 0, 0)),
    }[mode]
    return Axis((before, Segment(extent), behind), (extent,))


def _slice(op: tensor_dialect.ExtractSliceOp, names: Names) -> Movement:
    box = static_box(op)
    rows = zip(shape_of(op.source), box.offsets, box.sizes, box.strides, strict=True)
    axes = [Axis((Segment(n, 0, at, step),), (whole,)) for whole, at, n, step in rows]
    return _rows(op, axes, names)


def _rows(op: Operation, axes: list[Axis], names: Names, fill: float = 0.0) -> Movement:
    result = op.results[0]
    sources = tuple(names[value] for value in op.operands)
    builder = TreeBuilder(
        tuple(merged(axes or axes_of([1]))),
        sources,
        names[result],
        str(element_of(result)),
    )
    return Rows(builder.build(), fill)


def _scatter(op: ScatterOp, names: Names) -> Movement | None:
    axis, shape, kind = op.int_of("axis"), shape_of(op.input), op.str_of("kind")
    in_order = [names[value] for value in op.operands] == ["a0", "a1", "a2"]
    if not in_order or (kind != "set" and element_of(op.input) == i1):
        return None
    return Scatter(
        kind,
        math.prod(shape[:axis]),
        math.prod(shape_of(op.indices)),
        shape[axis],
        math.prod(shape[axis + 1 :]),
        str(element_of(op.indices)),
    )


def _gather(op: GatherOp, names: Names) -> Movement:
    axis, shape = op.int_of("axis"), shape_of(op.input)
    return Picks(
        math.prod(shape[:axis]),
        math.prod(shape_of(op.indices)),
        shape[axis],
        math.prod(shape[axis + 1 :]),
        str(element_of(op.indices)),
    )


OPS: dict[type[Operation], Callable[[Any, Names], Movement | None]] = {
    ConcatOp: _concat,
    GatherOp: _gather,
    PackOp: move_panels.packed,
    PadOp: _pad,
    ScatterOp: _scatter,
    UnpackOp: move_panels.unpacked,
    linalg.GenericOp: _copy,
    linalg.TransposeOp: _transpose,
    tensor_dialect.ConcatOp: _concat,
    tensor_dialect.ExtractSliceOp: _slice,
    tensor_dialect.PadOp: _upstream_pad,
}
