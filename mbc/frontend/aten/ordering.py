"""Orders along an axis: sort, argsort, top-k, the k-th value."""

from __future__ import annotations

from xdsl.dialects.builtin import i64
from xdsl.ir import SSAValue

from mbc.frontend.aten.call import Call, Lowering, is_unsigned, wrap
from mbc.ir import build
from mbc.ir.ops.sort import SortOp
from mbc.ir.types import shape_of


def sort(
    call: Call, x: SSAValue, axis: int = -1, descending: bool = False
) -> list[SSAValue]:
    return _ordered(call, x, axis, None, descending)


def stable_sort(
    call: Call,
    x: SSAValue,
    *,
    stable: bool | None = None,
    dim: int = -1,
    descending: bool = False,
) -> list[SSAValue]:
    return _ordered(call, x, dim, None, descending)


def top(
    call: Call,
    x: SSAValue,
    count: int,
    axis: int = -1,
    largest: bool = True,
    sorted: bool = True,
) -> list[SSAValue]:
    return _ordered(call, x, axis, count, largest)


def kth(
    call: Call, x: SSAValue, count: int, axis: int = -1, keepdim: bool = False
) -> list[SSAValue]:
    """The last of the `count` smallest."""
    found = _ordered(call, x, axis, count, False)
    rank = len(shape_of(found[0]))
    along = wrap(axis, rank)
    shape, offsets = list(shape_of(found[0])), [0] * rank
    if rank:
        shape[along], offsets[along] = 1, count - 1
    rows = (build.extract_slice(v, offsets, shape, [1] * rank) for v in found)
    return [build.reshape(row, call.shape) for row in rows]


def _ordered(
    call: Call, x: SSAValue, axis: int, count: int | None, descending: bool
) -> list[SSAValue]:
    shape = shape_of(x)
    if not shape:
        return [x, build.filled((), i64, 0)]
    along = wrap(axis, len(shape))
    op = SortOp.of(
        [x],
        axis=along,
        count=shape[along] if count is None else count,
        descending=descending,
        unsigned=is_unsigned(call.dtype_of(x)),
    )
    return list(op.results)


LOWERINGS: dict[str, Lowering] = {
    "sort.default": sort,
    "sort.stable": stable_sort,
    "topk.default": top,
    "kthvalue.default": kth,
}
