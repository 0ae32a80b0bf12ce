"""Pools as `mbc.pool`; adaptive averages as a mean or as an even pool."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from xdsl.ir import SSAValue

from mbc.frontend.aten.call import Call, Lowering, integers
from mbc.frontend.unsupported import Unsupported
from mbc.ir import build
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
        spatial = len(self.window)
        batched = with_batch(x, spatial)
        result = PoolOp.of(
            [batched],
            kind=self.kind,
            window=self.window,
            strides=self.strides,
            low=self.low,
            high=self._high(shape_of(x)[-spatial:], call.shape[-spatial:]),
            dilation=self.dilation,
            count_padding=count_padding,
            divisor=divisor,
        ).result
        return build.reshape(result, call.shape)

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
    def lower(call: Call, x: SSAValue, size: Sequence[int]) -> SSAValue:
        if all(extent == 1 for extent in call.shape[-spatial:]):
            rank = len(shape_of(x))
            axes = range(rank - spatial, rank)
            return ReduceOp.over(x, "mean", axes, keepdims=True).result
        window = even_windows(call, x, spatial)
        return Pool(spatial, "avg", window, (), 0, 1)(call, x)

    return lower


def adaptive_maximum(spatial: int) -> Lowering:
    def lower(call: Call, x: SSAValue, size: Sequence[int]) -> list[SSAValue | None]:
        window = even_windows(call, x, spatial)
        return [Pool(spatial, "max", window, (), 0, 1)(call, x), None]

    return lower


def even_windows(call: Call, x: SSAValue, spatial: int) -> list[int]:
    """Extents of the windows of an adaptive pool, where all are alike."""
    before, after = shape_of(x)[-spatial:], call.shape[-spatial:]
    for extent, out in zip(before, after, strict=True):
        if extent % out:
            raise Unsupported(f"{extent} does not divide into {out} windows")
    return [a // b for a, b in zip(before, after, strict=True)]


def values_only(lowering: Lowering) -> Lowering:
    """A pool whose second result, where the maxima are, is not supported."""

    def lower(call: Call, *arguments: object) -> list[SSAValue | None]:
        values = lowering(call, *arguments)
        assert isinstance(values, SSAValue)
        return [values, None]

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
    **{f"adaptive_max_pool{n}d.default": adaptive_maximum(n) for n in (2, 3)},
    **{f"max_pool{n}d_with_indices.default": values_only(max_pool(n)) for n in (2, 3)},
    "_adaptive_avg_pool2d.default": adaptive_average(2),
    "_adaptive_avg_pool3d.default": adaptive_average(3),
}
