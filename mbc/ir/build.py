"""Building upstream ops: elementwise and reducing `linalg.generic` from functions.

All functions create ops at the implicit builder's insertion point (xDSL's
`ImplicitBuilder`) and return values, so that lowerings read like the formula.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from xdsl.builder import ImplicitBuilder
from xdsl.dialects import arith, tensor
from xdsl.dialects.builtin import (
    AffineMapAttr,
    ArrayAttr,
    IntegerAttr,
    bf16,
    f16,
    f32,
    i64,
)
from xdsl.dialects.linalg import ops as linalg
from xdsl.dialects.linalg.attrs import IteratorTypeAttr
from xdsl.ir import Attribute, Block, Region, SSAValue
from xdsl.ir.affine import AffineExpr, AffineMap

from mbc.ir.arithmetic import constant, widen
from mbc.ir.structured import axis_of, is_elementwise, is_projection, maps_of
from mbc.ir.types import element_of, elements, shape_of, tensor_type
from mbc.ir.types import tensor as tensor_of

Scalars = SSAValue | Sequence[SSAValue]
Body = (
    Callable[[SSAValue], Scalars]
    | Callable[[SSAValue, SSAValue], Scalars]
    | Callable[[SSAValue, SSAValue, SSAValue], Scalars]
    | Callable[[], Scalars]
)


def empty(shape: Sequence[int], element: Attribute) -> SSAValue:
    return tensor.EmptyOp([], tensor_of(shape, element)).tensor


def filled(shape: Sequence[int], element: Attribute, value: float) -> SSAValue:
    """A tensor with one value everywhere."""
    return elementwise([], shape, element, lambda: constant(value, element))


def identity_map(rank: int) -> AffineMap:
    return AffineMap.identity(rank)


def dims_map(rank: int, axes: Sequence[int | None]) -> AffineMap:
    """The map that picks loop `axes`; None stands for index 0."""
    exprs = [
        AffineExpr.constant(0) if axis is None else AffineExpr.dimension(axis)
        for axis in axes
    ]
    return AffineMap(rank, 0, tuple(exprs))


def broadcast_map(shape: Sequence[int], to: Sequence[int]) -> AffineMap:
    """Right-aligned NumPy broadcasting of `shape` to the loops of `to`."""
    lead = len(to) - len(shape)
    axes = [
        None if extent == 1 and to[lead + i] != 1 else lead + i
        for i, extent in enumerate(shape)
    ]
    return dims_map(len(to), axes)


def generic(
    inputs: Sequence[SSAValue],
    outputs: Sequence[SSAValue],
    maps: Sequence[AffineMap],
    iterators: Sequence[str],
    body: Body,
) -> tuple[SSAValue, ...]:
    """A `linalg.generic`; `body` gets the scalars of inputs and outputs in order."""
    scalars = [element_of(value) for value in (*inputs, *outputs)]
    block = Block(arg_types=scalars)
    with ImplicitBuilder(block):
        made = body(*block.args)
        linalg.YieldOp(*((made,) if isinstance(made, SSAValue) else made))
    kinds = {
        "parallel": IteratorTypeAttr.parallel(),
        "reduction": IteratorTypeAttr.reduction(),
    }
    op = linalg.GenericOp(
        list(inputs),
        list(outputs),
        Region(block),
        ArrayAttr(AffineMapAttr(m) for m in maps),
        ArrayAttr(kinds[name] for name in iterators),
        [value.type for value in outputs],
    )
    return tuple(op.results)


def elementwise(
    inputs: Sequence[SSAValue],
    shape: Sequence[int],
    element: Attribute,
    body: Body,
    maps: Sequence[AffineMap] | None = None,
) -> SSAValue:
    """A parallel generic over `shape`; inputs broadcast unless `maps` are given."""
    rank = len(shape)
    reads = maps or [broadcast_map(shape_of(value), shape) for value in inputs]
    init = empty(shape, element)

    def without_init(*scalars: SSAValue) -> Scalars:
        return body(*scalars[: len(inputs)])

    return generic(
        inputs,
        [init],
        [*reads, identity_map(rank)],
        ["parallel"] * rank,
        without_init,
    )[0]


def reduction(
    value: SSAValue,
    axes: Sequence[int],
    element: Attribute,
    start: float,
    body: Body,
) -> SSAValue:
    """Fold `axes` of `value` away; `body(x, accumulator)`, from `start`."""
    shape = shape_of(value)
    kept = [i for i in range(len(shape)) if i not in axes]
    init = filled([shape[i] for i in kept], element, start)
    iterators = ["reduction" if i in axes else "parallel" for i in range(len(shape))]
    maps = [identity_map(len(shape)), dims_map(len(shape), kept)]
    return generic([value], [init], maps, iterators, body)[0]


def transpose(value: SSAValue, permutation: Sequence[int]) -> SSAValue:
    """Result axis i is axis `permutation[i]` of `value`, as in `numpy.transpose`."""
    shape = shape_of(value)
    out = [shape[axis] for axis in permutation]
    inverse = [permutation.index(axis) for axis in range(len(shape))]
    reads = [dims_map(len(shape), inverse)]
    return elementwise([value], out, element_of(value), lambda x: x, reads)


def reassociation(groups: Sequence[Sequence[int]]) -> ArrayAttr[ArrayAttr[IntegerAttr]]:
    return ArrayAttr(ArrayAttr(IntegerAttr(i, i64) for i in group) for group in groups)


def reshape(value: SSAValue, shape: Sequence[int]) -> SSAValue:
    """A view of the same elements in row-major order: collapse, then expand.

    A scalar tensor is copied.
    """
    before = shape_of(value)
    if before == tuple(shape):
        return value
    if not shape:
        return _collapse(value, [], [])
    if not before:  # xDSL verifies no expansion of a scalar tensor
        return elementwise([value], shape, element_of(value), lambda x: x)
    groups = common_groups(before, shape)
    middle = [math.prod(before[i] for i in mine) for mine, _ in groups]
    if len(middle) != len(before):
        value = _collapse(value, [mine for mine, _ in groups], middle)
    if len(middle) != len(shape):
        value = _expand(value, [theirs for _, theirs in groups], shape)
    return value


def _collapse(
    value: SSAValue, groups: Sequence[Sequence[int]], shape: Sequence[int]
) -> SSAValue:
    result = tensor_of(shape, element_of(value))
    op = tensor.CollapseShapeOp(
        operands=[value],
        result_types=[result],
        properties={"reassociation": reassociation(groups)},
    )
    return op.result


def _expand(
    value: SSAValue, groups: Sequence[Sequence[int]], shape: Sequence[int]
) -> SSAValue:
    result = tensor_of(shape, element_of(value))
    return tensor.ExpandShapeOp(
        value, [], reassociation(groups), list(shape), result
    ).result


def common_groups(
    before: Sequence[int], after: Sequence[int]
) -> list[tuple[list[int], list[int]]]:
    """Smallest runs of axes of both shapes with equal products."""
    if 0 in before:
        return [(list(range(len(before))), list(range(len(after))))]
    groups: list[tuple[list[int], list[int]]] = []
    i = j = 0
    while i < len(before) and j < len(after):
        mine, theirs = [i], [j]
        a, b = before[i], after[j]
        i, j = i + 1, j + 1
        while a != b:
            if a < b:
                a *= before[i]
                mine.append(i)
                i += 1
            else:
                b *= after[j]
                theirs.append(j)
                j += 1
        groups.append((mine, theirs))
    groups[-1][0].extend(range(i, len(before)))
    groups[-1][1].extend(range(j, len(after)))
    return groups


def extract_slice(
    value: SSAValue,
    offsets: Sequence[int],
    sizes: Sequence[int],
    strides: Sequence[int],
) -> SSAValue:
    """The box at `offsets` of `sizes` elements `strides` apart, same rank.

    A box of a broadcast is a broadcast of a box: what may be huge is never made.
    """
    if (spread := broadcast_of(value)) is not None:
        source, read = spread
        axes = [axis_of(expr) for expr in read.results]
        boxes = [
            (0, 1, 1) if axis is None else (offsets[axis], sizes[axis], strides[axis])
            for axis in axes
        ]
        if [size for _, size, _ in boxes] != list(shape_of(source)):
            source = extract_slice(source, *zip(*boxes, strict=True))
        return elementwise([source], sizes, element_of(value), lambda x: x, [read])
    result = tensor_of(sizes, element_of(value))
    return tensor.ExtractSliceOp(value, offsets, sizes, strides, result).result


def broadcast_of(value: SSAValue) -> tuple[SSAValue, AffineMap] | None:
    """What `value` only repeats and how it is read, if it is such a generic."""
    op = value.owner
    if not isinstance(op, linalg.GenericOp) or not is_elementwise(op):
        return None
    returned = op.body.block.last_op
    if len(op.inputs) != 1 or returned is None:
        return None
    (source,), read = op.inputs, maps_of(op)[0]
    moves = list(returned.operands) == [op.body.block.args[0]]
    repeats = elements(tensor_type(source)) < elements(tensor_type(value))
    return (source, read) if moves and repeats and is_projection(read) else None


def narrow(value: SSAValue, element: Attribute) -> SSAValue:
    """Round a whole tensor to `element`, where it is another float type."""
    if element_of(value) == element:
        return value
    return elementwise(
        [value],
        shape_of(value),
        element,
        lambda x: arith.TruncFOp(x, element).result,
    )


def widened(value: SSAValue) -> SSAValue:
    """A tensor of 16-bit floats in f32; any other one as it is."""
    if element_of(value) not in (f16, bf16):
        return value
    return elementwise([value], shape_of(value), f32, lambda x: widen(x, f32))


def narrowed(value: SSAValue, element: Attribute) -> SSAValue:
    """`value`, of which `widened` made floats, with `element` again."""
    if element_of(value) == element:
        return value
    return elementwise(
        [value], shape_of(value), element, lambda x: arith.TruncFOp(x, element).result
    )
