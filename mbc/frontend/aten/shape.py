"""Views and moves: reshapes, slices, permutations, broadcasts, joins and padding."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import torch
from xdsl.ir import SSAValue
from xdsl.ir.affine import AffineExpr, AffineMap

from mbc.frontend.aten.call import Call, Lowering, Number, same, wrap
from mbc.ir import build
from mbc.ir.ops.concat import ConcatOp
from mbc.ir.ops.pad import PadOp
from mbc.ir.types import element_of, shape_of

Expr = AffineExpr


def view(call: Call, x: SSAValue, *arguments: object) -> SSAValue:
    """Any operator that keeps the elements and their row-major order."""
    return build.reshape(x, call.shape)


def identity(
    call: Call, x: SSAValue, *arguments: object, **options: object
) -> SSAValue:
    return x


def nothing(call: Call, *arguments: object, **options: object) -> list[SSAValue]:
    """An assertion of torch.export that was checked when the program was made."""
    return []


def to_copy(
    call: Call,
    x: SSAValue,
    *arguments: object,
    dtype: torch.dtype | None = None,
    **options: object,
) -> SSAValue:
    return call.cast(x)


def copy(call: Call, x: SSAValue, source: SSAValue, *arguments: object) -> SSAValue:
    """`source` in the shape and dtype of `x`."""
    if call.shape == shape_of(source):
        return call.cast(source)
    return call.elementwise([source], same, call.dtype)


def permute(call: Call, x: SSAValue, axes: Sequence[int]) -> SSAValue:
    """A view where only axes of extent 1 change their place."""
    rank = len(shape_of(x))
    order = [wrap(axis, rank) for axis in axes]
    moved = [axis for axis in order if shape_of(x)[axis] != 1]
    if moved == sorted(moved):
        return build.reshape(x, call.shape)
    return build.transpose(x, order)


def transpose(call: Call, x: SSAValue, first: int = 0, second: int = 1) -> SSAValue:
    rank = len(shape_of(x))
    order = list(range(rank))
    if rank > 1:
        a, b = wrap(first, rank), wrap(second, rank)
        order[a], order[b] = b, a
    return permute(call, x, order)


def expand(call: Call, x: SSAValue, *arguments: object, **options: object) -> SSAValue:
    lead = len(call.shape) - len(shape_of(x))
    if (1,) * lead + shape_of(x) == call.shape:
        return build.reshape(x, call.shape)
    return build.elementwise([x], call.shape, element_of(x), same)


def repeat(call: Call, x: SSAValue, times: Sequence[int]) -> SSAValue:
    shape = (1,) * (len(times) - len(shape_of(x))) + shape_of(x)
    apart = [extent for s in shape for extent in (1, s)]
    wide = [extent for t, s in zip(times, shape, strict=True) for extent in (t, s)]
    source = build.reshape(x, apart)
    repeated = build.elementwise([source], wide, element_of(x), same)
    return build.reshape(repeated, call.shape)


def flip(call: Call, x: SSAValue, axes: Sequence[int]) -> SSAValue:
    shape = call.shape
    turned = {wrap(axis, len(shape)) for axis in axes}
    exprs = [
        Expr.constant(extent - 1) - Expr.dimension(i)
        if i in turned
        else Expr.dimension(i)
        for i, extent in enumerate(shape)
    ]
    reads = AffineMap(len(shape), 0, tuple(exprs))
    return build.elementwise([x], shape, element_of(x), same, [reads])


def unfold(call: Call, x: SSAValue, axis: int, size: int, step: int) -> SSAValue:
    """Windows along `axis`, their elements on a new last axis."""
    rank = len(shape_of(x))
    exprs = [Expr.dimension(i) for i in range(rank)]
    along = wrap(axis, rank)
    exprs[along] = exprs[along] * step + Expr.dimension(rank)
    reads = AffineMap(rank + 1, 0, tuple(exprs))
    return build.elementwise([x], call.shape, element_of(x), same, [reads])


def box(x: SSAValue, axis: int, start: int, size: int, step: int = 1) -> SSAValue:
    """`size` elements of one axis from `start`, `step` apart."""
    shape = list(shape_of(x))
    if (start, size, step) == (0, shape[axis], 1):
        return x
    offsets, strides = [0] * len(shape), [1] * len(shape)
    offsets[axis], strides[axis], shape[axis] = start, step, size
    return build.extract_slice(x, offsets, shape, strides)


def slice_axis(
    call: Call,
    x: SSAValue,
    axis: int = 0,
    start: int | None = None,
    end: int | None = None,
    step: int = 1,
) -> SSAValue:
    axis = wrap(axis, len(shape_of(x)))
    first, _, _ = slice(start, end, step).indices(shape_of(x)[axis])
    return box(x, axis, first, call.shape[axis], step)


def select(call: Call, x: SSAValue, axis: int, index: int) -> SSAValue:
    axis = wrap(axis, len(shape_of(x)))
    row = box(x, axis, index % shape_of(x)[axis], 1)
    return build.reshape(row, call.shape)


def split(call: Call, x: SSAValue, sizes: object, axis: int = 0) -> list[SSAValue]:
    axis = wrap(axis, len(shape_of(x)))
    return _pieces(x, axis, [int(part.shape[axis]) for part in call.outputs])


def unbind(call: Call, x: SSAValue, axis: int = 0) -> list[SSAValue]:
    axis = wrap(axis, len(shape_of(x)))
    rows = _pieces(x, axis, [1] * shape_of(x)[axis])
    return [build.reshape(row, call.shape) for row in rows]


def _pieces(x: SSAValue, axis: int, sizes: Sequence[int]) -> list[SSAValue]:
    starts = [sum(sizes[:i]) for i in range(len(sizes))]
    return [box(x, axis, a, n) for a, n in zip(starts, sizes, strict=True)]


def concat(call: Call, parts: Sequence[SSAValue], axis: int = 0) -> SSAValue:
    """PyTorch lets empty vectors join anything."""
    kept = [part for part in parts if shape_of(part) != (0,)] or list(parts[:1])
    values = [call.cast(part) for part in kept]
    return ConcatOp.of(values, axis=wrap(axis, len(call.shape))).result


def stack(call: Call, parts: Sequence[SSAValue], axis: int = 0) -> SSAValue:
    axis = wrap(axis, len(call.shape))
    shape = [*call.shape[:axis], 1, *call.shape[axis + 1 :]]
    values = [build.reshape(call.cast(part), shape) for part in parts]
    return ConcatOp.of(values, axis=axis).result


def pad(call: Call, x: SSAValue, amounts: Sequence[int], value: Number = 0) -> SSAValue:
    """Amounts come in pairs from the last axis on; a negative one cuts off."""
    rank = len(shape_of(x))
    low, high = [0] * rank, [0] * rank
    for i in range(len(amounts) // 2):
        low[rank - 1 - i], high[rank - 1 - i] = amounts[2 * i : 2 * i + 2]
    for axis, (a, b) in enumerate(zip(low, high, strict=True)):
        cut = max(-a, 0), max(-b, 0)
        x = box(x, axis, cut[0], shape_of(x)[axis] - sum(cut))
    padding = [max(a, 0) for a in low], [max(b, 0) for b in high]
    return PadOp.with_value(x, *padding, float(value))


VIEWS: tuple[str, ...] = (
    "view.default",
    "_unsafe_view.default",
    "reshape.default",
    "_reshape_copy.default",
    "flatten.using_ints",
    "squeeze.default",
    "squeeze.dim",
    "squeeze.dims",
    "unsqueeze.default",
)

IDENTITIES: tuple[str, ...] = (
    "alias.default",
    "clone.default",
    "detach.default",
    "lift_fresh_copy.default",
)

MOVES: dict[str, Callable[..., SSAValue | list[SSAValue]]] = {
    "_to_copy.default": to_copy,
    "prims.convert_element_type.default": to_copy,
    "copy.default": copy,
    "permute.default": permute,
    "transpose.int": transpose,
    "t.default": transpose,
    "expand.default": expand,
    "repeat.default": repeat,
    "flip.default": flip,
    "unfold.default": unfold,
    "slice.Tensor": slice_axis,
    "select.int": select,
    "split.Tensor": split,
    "split_with_sizes.default": split,
    "unbind.int": unbind,
    "cat.default": concat,
    "stack.default": stack,
    "constant_pad_nd.default": pad,
}

LOWERINGS: dict[str, Lowering] = {
    **dict.fromkeys(VIEWS, view),
    **dict.fromkeys(IDENTITIES, identity),
    **MOVES,
    "_assert_tensor_metadata.default": nothing,
}
