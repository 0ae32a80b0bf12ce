"""Softmax and batch normalization from their elementwise and folding pieces."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects import arith, math
from xdsl.dialects.linalg import ops as linalg
from xdsl.ir import Operation, SSAValue

from mbc.ir.ops.batch_norm import BatchNormOp
from mbc.ir.ops.reduce import ReduceOp
from mbc.ir.ops.softmax import SoftmaxOp
from mbc.ir.structured import axis_of, maps_of
from mbc.ir.types import shape_of
from mbc.passes.recognize.values import (
    inputs_of_body,
    reads_in_place,
    scalar_of,
    single_op,
    unviewed,
)


def softmax(op: Operation) -> Sequence[SSAValue] | None:
    """exp(x - max(x)) / sum(exp(x - max(x))) along one axis."""
    parts = _binary(op, arith.DivfOp)
    if parts is None:
        return None
    raised, total = parts
    shifted = _unary(raised, math.ExpOp)
    axis = _folded_axis(op, total, raised, "sum")
    if shifted is None or axis is None or not isinstance(shifted.owner, Operation):
        return None
    differences = _binary(shifted.owner, arith.SubfOp)
    if differences is None:
        return None
    source, highest = differences
    if _folded_axis(shifted.owner, highest, source, "max") != axis:
        return None
    return [SoftmaxOp.along(source, axis).result]


def batch_norm(op: Operation) -> Sequence[SSAValue] | None:
    """((x - mean) * (1 / sqrt(variance + eps))) * scale + shift per channel."""
    shifted = _per_channel(op, arith.AddfOp)
    scaled = shifted and _per_channel(shifted[0].owner, arith.MulfOp)
    normal = scaled and _per_channel(scaled[0].owner, arith.MulfOp)
    centred = normal and _per_channel(normal[0].owner, arith.SubfOp)
    if not shifted or not scaled or not normal or not centred:
        return None
    inverse = _inverse_deviation(normal[1])
    if inverse is None:
        return None
    variance, eps = inverse
    operands = [centred[0], centred[1], variance, scaled[1], shifted[1]]
    return [BatchNormOp.of(operands, eps=eps).result]


def _binary(op: Operation, kind: type[Operation]) -> tuple[SSAValue, SSAValue] | None:
    """Both operands of an elementwise op whose first is read in place."""
    inner = single_op(op)
    if not isinstance(inner, kind) or not isinstance(op, linalg.GenericOp):
        return None
    if inputs_of_body(op, inner) != [0, 1] or not reads_in_place(op, 0):
        return None
    return op.inputs[0], op.inputs[1]


def _unary(value: SSAValue, kind: type[Operation]) -> SSAValue | None:
    """The operand of an elementwise op that is read in place."""
    op = value.owner
    if not isinstance(op, linalg.GenericOp):
        return None
    inner = single_op(op)
    if not isinstance(inner, kind) or inputs_of_body(op, inner) != [0]:
        return None
    return op.inputs[0] if reads_in_place(op, 0) else None


def _folded_axis(
    op: Operation, value: SSAValue, source: SSAValue, kind: str
) -> int | None:
    """The axis of `source` that `value` folds, where `op` reads it back along it."""
    fold = unviewed(value).owner
    if not isinstance(fold, ReduceOp) or fold.input is not source:
        return None
    axes = fold.ints_of("axes")
    if fold.str_of("kind") != kind or len(axes) != 1:
        return None
    assert isinstance(op, linalg.GenericOp)
    rank = len(shape_of(source))
    shape = [1 if i == axes[0] else n for i, n in enumerate(shape_of(source))]
    places = [axis_of(expr) for expr in maps_of(op)[1].results]
    with_axis = [None if i == axes[0] else i for i in range(rank)]
    without = [i for i in range(rank) if i != axes[0]]
    kept = list(shape_of(value)) == shape and _agree(places, with_axis, shape)
    return axes[0] if kept or places == without else None


def _agree(
    places: Sequence[int | None], wanted: Sequence[int | None], shape: Sequence[int]
) -> bool:
    """An axis of extent 1 may be read at its loop or at 0."""
    return len(places) == len(wanted) and all(
        place == want or (place is None and extent == 1)
        for place, want, extent in zip(places, wanted, shape, strict=True)
    )


def _per_channel(op: object, kind: type[Operation]) -> tuple[SSAValue, SSAValue] | None:
    """A tensor read in place, and one value for each index of its axis 1."""
    parts = _binary(op, kind) if isinstance(op, Operation) else None
    if parts is None or not isinstance(op, linalg.GenericOp):
        return None
    whole, channel = parts[0], unviewed(parts[1])
    places = [axis_of(expr) for expr in maps_of(op)[1].results]
    chosen = [place for place in places if place is not None]
    shape = shape_of(whole)
    if len(shape) < 2 or chosen != [1] or shape_of(channel) != (shape[1],):
        return None
    return whole, channel


def _inverse_deviation(value: SSAValue) -> tuple[SSAValue, float] | None:
    """variance and eps of 1 / sqrt(variance + eps) or rsqrt(variance + eps)."""
    root = _unary(value, math.RsqrtOp)
    if root is None:
        inverted = _inverted(value)
        root = None if inverted is None else _unary(inverted, math.SqrtOp)
    op = None if root is None else root.owner
    if not isinstance(op, linalg.GenericOp) or not reads_in_place(op, 0):
        return None
    inner = single_op(op)
    if not isinstance(inner, arith.AddfOp):
        return None
    eps = scalar_of(inner.rhs)
    if eps is None or inner.lhs is not op.body.block.args[0]:
        return None
    return op.inputs[0], float(eps)


def _inverted(value: SSAValue) -> SSAValue | None:
    """x of 1 / x."""
    op = value.owner
    if not isinstance(op, linalg.GenericOp) or not reads_in_place(op, 0):
        return None
    inner = single_op(op)
    if not isinstance(inner, arith.DivfOp) or scalar_of(inner.lhs) != 1:
        return None
    return op.inputs[0] if inner.rhs is op.body.block.args[0] else None
