"""Images at other sizes, and borders that repeat what lies inside."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import torch
from xdsl.ir import SSAValue

from mbc.frontend.aten.call import Call, Lowering
from mbc.ir import build
from mbc.ir.ops.interpolate import InterpolateOp
from mbc.ir.ops.pad import PadOp
from mbc.ir.types import shape_of

Factors = Sequence[float] | None


def nearest(half_pixel: bool) -> Lowering:
    def lower(call: Call, x: SSAValue, size: object, factors: Factors) -> SSAValue:
        extents, sizes = shape_of(x)[2:], call.shape[2:]
        steps = _steps(call, extents, sizes, factors)
        return InterpolateOp.resized(x, "nearest", sizes, steps, half_pixel)

    return lower


def smooth(mode: str) -> Lowering:
    def lower(
        call: Call, x: SSAValue, size: object, align_corners: bool, factors: Factors
    ) -> SSAValue:
        extents, sizes = shape_of(x)[2:], call.shape[2:]
        if align_corners:
            ends = [n - 1 if size > 1 else 0 for n, size in zip(extents, sizes)]
            gaps = [max(size - 1, 1) for size in sizes]
            steps = _steps(call, ends, gaps, None)
        else:
            steps = _steps(call, extents, sizes, factors)
        return InterpolateOp.resized(x, mode, sizes, steps, not align_corners)

    return lower


def _steps(
    call: Call, extents: Sequence[int], sizes: Sequence[int], factors: Factors
) -> list[float]:
    """Input elements per output element, rounded as PyTorch does: f32 or f64."""
    exact = call.dtype == torch.float64
    steps = (
        [n / size for n, size in zip(extents, sizes, strict=True)]
        if factors is None
        else [1 / factor for factor in factors]
    )
    return [step if exact else float(np.float32(step)) for step in steps]


def border(mode: str) -> Lowering:
    """Amounts come in pairs from the last axis on; a negative one cuts off."""

    def lower(call: Call, x: SSAValue, amounts: Sequence[int]) -> SSAValue:
        shape = list(shape_of(x))
        rank = len(shape)
        low, high, start = [0] * rank, [0] * rank, [0] * rank
        for i in range(len(amounts) // 2):
            axis = rank - 1 - i
            before, behind = amounts[2 * i : 2 * i + 2]
            start[axis] = max(-before, 0)
            shape[axis] -= max(-before, 0) + max(-behind, 0)
            low[axis], high[axis] = max(before, 0), max(behind, 0)
        kept = x
        if tuple(shape) != shape_of(x):
            kept = build.extract_slice(x, start, shape, [1] * rank)
        padded = PadOp.of([kept], low=low, high=high, value=0.0, mode=mode)
        return padded.result

    return lower


LOWERINGS: dict[str, Lowering] = {
    **{f"upsample_nearest{n}d.vec": nearest(False) for n in (1, 2, 3)},
    **{f"_upsample_nearest_exact{n}d.vec": nearest(True) for n in (1, 2, 3)},
    "upsample_linear1d.vec": smooth("linear"),
    "upsample_bilinear2d.vec": smooth("linear"),
    "upsample_trilinear3d.vec": smooth("linear"),
    "upsample_bicubic2d.vec": smooth("cubic"),
    **{f"reflection_pad{n}d.default": border("reflect") for n in (1, 2, 3)},
    **{f"replication_pad{n}d.default": border("replicate") for n in (1, 2, 3)},
}
