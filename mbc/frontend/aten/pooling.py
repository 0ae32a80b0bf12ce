"""Pools as `mbc.pool`; adaptive ones also as reductions of slices."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from xdsl.ir import SSAValue

from mbc.frontend.aten.call import Call, Lowering, integers
from mbc.frontend.unsupported import Unsupported
from mbc.ir import build
from mbc.ir.ops.concat import ConcatOp
from mbc.ir.ops.pool import PoolOp
from mbc.ir.ops.reduce import ReduceOp
from mbc.ir.types import shape_of

Extents = int | Sequence[int]


def max_pool(spatial: int) -> Lowering:
    def lower(
        call: Call,
        x: SSAValue,
        window: Extents,
        stride: Extents = (),
        padding: Extents = 0,
        dilation: Extents = 1,
        ceil_mode: bool = False,
    ) -> SSAValue:
        pool = Pool(spatial, "max", window, stride, padding, dilation)
        return pool(call, x)

    return lower


def average_pool(spatial: int) -> Lowering:
    def lower(
        call: Call,
        x: SSAValue,
        window: Extents,
        stride: Extents = (),
        padding: Extents = 0,
        ceil_mode: bool = False,
        count_include_pad: bool = True,
        divisor_override: int | None = None,
    ) -> SSAValue:
        pool = Pool(spatial, "avg", window, stride, padding, 1)
        return pool(call, x, count_include_pad, divisor_override or 0)

    return lower


class Pool:
    """A window over the spatial axes of a batch, or of one image."""

    def __init__(
        self,
        spatial: int,
        kind: str,
        window: Extents,
        stride: Extents,
        padding: Extents,
        dilation: Extents,
    ):
        self.kind = kind
        self.window = integers(window, spatial)
        given = stride if isinstance(stride, int) or stride else self.window
        self.strides = integers(given, spatial)
        self.low = integers(padding, spatial)
        self.dilation = integers(dilation, spatial)

    def __call__(
        self, call: Call, x: SSAValue, count_padding: bool = False, divisor: int = 0
    ) -> SSAValue:
        op = self._op(call, x, count_padding, divisor, indices=False)
        return build.reshape(op.result, call.shape)

    def with_indices(self, call: Call, x: SSAValue) -> list[SSAValue]:
        """The maxima, and where in its plane each is."""
        op = self._op(call, x, False, 0, indices=True)
        assert op.where is not None
        return [build.reshape(value, call.shape) for value in (op.result, op.where)]

    def _op(
        self, call: Call, x: SSAValue, count_padding: bool, divisor: int, indices: bool
    ) -> PoolOp:
        spatial = len(self.window)
        return PoolOp.of(
            [with_batch(x, spatial)],
            kind=self.kind,
            window=self.window,
            strides=self.strides,
            low=self.low,
            high=self._high(shape_of(x)[-spatial:], call.shape[-spatial:]),
            dilation=self.dilation,
            count_padding=count_padding,
            divisor=divisor,
            indices=indices,
        )

    def _high(self, before: Sequence[int], after: Sequence[int]) -> tuple[int, ...]:
        """As much as in front, or more where a ceiling-mode window hangs over."""
        rows = zip(
            before,
            after,
            self.window,
            self.strides,
            self.low,
            self.dilation,
            strict=True,
        )
        return tuple(
            max(low, (out - 1) * stride + step * (window - 1) + 1 - extent - low)
            for extent, out, window, stride, low, step in rows
        )


def with_batch(x: SSAValue, spatial: int) -> SSAValue:
    """`x` with a batch axis of extent 1 where it has none."""
    batch = shape_of(x)[: -spatial - 1] or (1,)
    return build.reshape(x, (*batch, *shape_of(x)[-spatial - 1 :]))


def adaptive_average(spatial: int) -> Lowering:
    def lower(call: Call, x: SSAValue, size: Extents) -> SSAValue:
        return adaptive(call, x, "avg", spatial)

    return lower


def adaptive_maximum(spatial: int) -> Lowering:
    """The maxima, and where they are if anything reads that."""

    def lower(call: Call, x: SSAValue, size: Extents) -> list[SSAValue | None]:
        window = even_windows(call, x, spatial)
        if not call.reads(1):
            return [adaptive(call, x, "max", spatial), None]
        if window is None:
            raise Unsupported("indices of windows that are not all alike")
        return [*Pool(spatial, "max", window, (), 0, 1).with_indices(call, x)]

    return lower


def adaptive(call: Call, x: SSAValue, kind: str, spatial: int) -> SSAValue:
    """As one reduction, as a pool, or axis by axis where windows are not all alike."""
    rank, window = len(shape_of(x)), even_windows(call, x, spatial)
    axes = range(rank - spatial, rank)
    name = "mean" if kind == "avg" else "max"
    if all(call.shape[axis] == 1 for axis in axes):
        return ReduceOp.over(x, name, axes, keepdims=True).result
    if window is not None:
        return Pool(spatial, kind, window, (), 0, 1)(call, x)
    for axis in axes:
        x = uneven_windows(x, name, axis, call.shape[axis])
    return x


def uneven_windows(x: SSAValue, kind: str, axis: int, out: int) -> SSAValue:
    """Window o of an axis reaches from floor(o n / out) to ceil((o + 1) n / out)."""
    shape = list(shape_of(x))
    parts: list[SSAValue] = []
    for place in range(out):
        start = place * shape[axis] // out
        end = -(-(place + 1) * shape[axis] // out)
        offsets = [start if i == axis else 0 for i in range(len(shape))]
        sizes = [end - start if i == axis else n for i, n in enumerate(shape)]
        part = build.extract_slice(x, offsets, sizes, [1] * len(shape))
        parts.append(ReduceOp.over(part, kind, [axis], keepdims=True).result)
    return parts[0] if out == 1 else ConcatOp.of(parts, axis=axis).result


def even_windows(call: Call, x: SSAValue, spatial: int) -> list[int] | None:
    """Extents of the windows of an adaptive pool, where all are alike."""
    before, after = shape_of(x)[-spatial:], call.shape[-spatial:]
    if any(out == 0 or extent % out for extent, out in zip(before, after, strict=True)):
        return None
    return [a // b for a, b in zip(before, after, strict=True)]


def max_pool_with_indices(spatial: int) -> Lowering:
    """The maxima, and where they are if anything reads that."""

    def lower(
        call: Call,
        x: SSAValue,
        window: Extents,
        stride: Extents = (),
        padding: Extents = 0,
        dilation: Extents = 1,
        ceil_mode: bool = False,
    ) -> list[SSAValue | None]:
        pool = Pool(spatial, "max", window, stride, padding, dilation)
        if not call.reads(1):
            return [pool(call, x), None]
        return [*pool.with_indices(call, x)]

    return lower


KINDS: dict[str, Callable[[int], Lowering]] = {
    "max_pool": max_pool,
    "avg_pool": average_pool,
    "adaptive_avg_pool": adaptive_average,
}

LOWERINGS: dict[str, Lowering] = {
    f"{kind}{spatial}d.default": make(spatial)
    for kind, make in KINDS.items()
    for spatial in (1, 2, 3)
} | {
    **{f"adaptive_max_pool{n}d.default": adaptive_maximum(n) for n in (1, 2, 3)},
    **{
        f"max_pool{n}d_with_indices.default": max_pool_with_indices(n)
        for n in (1, 2, 3)
    },
    "_adaptive_avg_pool2d.default": adaptive_average(2),
    "_adaptive_avg_pool3d.default": adaptive_average(3),
}
