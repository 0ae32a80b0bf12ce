"""interpolate: images resampled along one or two axes, nearest or linear, in rows."""

from __future__ import annotations

import math
from dataclasses import dataclass

from mbc.codegen.families import Cost, Match, PackChoice, Schedule, Space
from mbc.codegen.families.body import compute_ops, yields_each_once
from mbc.codegen.program import DTYPE_BYTES
from mbc.codegen.targets import Target
from mbc.ir.cost import fewest_bytes, flops
from mbc.ir.kernel import KernelOp
from mbc.ir.ops.interpolate import InterpolateOp
from mbc.ir.types import element_of, shape_of

WIDEST_ROW = 8192
"""Elements of an input row that a work item keeps in private memory."""


@dataclass(frozen=True)
class Resampled:
    """One axis: its extents before and behind, and the step between elements."""

    extent: int
    size: int
    step: float


@dataclass(frozen=True)
class InterpolateMatch(Match):
    """`planes` of rows by columns; one axis alone is the columns of a single row."""

    op: InterpolateOp
    planes: int
    rows: Resampled
    columns: Resampled
    dtype: str

    @property
    def linear(self) -> bool:
        return self.op.str_of("mode") == "linear"

    @property
    def half_pixel(self) -> bool:
        return self.op.bool_of("half_pixel")


class InterpolateFamily:
    """Knobs on RVV: `vector`, the LMUL of columns, and for nearest elements `unroll`,
    rows in flight. GPUs take the plain nest, which has a work item per element."""

    def match(self, kernel: KernelOp, target: Target) -> InterpolateMatch | None:
        ops = compute_ops(kernel)
        op = ops[0] if len(ops) == 1 else None
        if not isinstance(op, InterpolateOp) or not yields_each_once(kernel):
            return None
        if target.simt and not target.is_cpu_style:
            return None
        before, after = shape_of(op.input), shape_of(op.result)
        axes = [
            Resampled(*axis)
            for axis in zip(before[2:], after[2:], op.step_values, strict=True)
        ]
        dtype, planes = str(element_of(op.input)), math.prod(before[:2])
        legal = dtype == "f32" or (
            op.str_of("mode") == "nearest" and DTYPE_BYTES[dtype] == 4
        )
        known = op.str_of("mode") != "cubic" and len(axes) <= 2
        if not legal or not known or 0 in after or before[-1] > WIDEST_ROW:
            return None
        rows = axes[0] if len(axes) == 2 else Resampled(1, 1, 0.0)
        return InterpolateMatch(
            "interpolate", kernel, op, planes, rows, axes[-1], dtype
        )

    def space(self, match: Match, target: Target) -> Space:
        assert isinstance(match, InterpolateMatch)
        if target.simt:
            return {}
        if match.linear:
            return {"vector": (4, 2, 1)}
        return {"vector": (2, 1, 4), "unroll": (4, 1, 2)}

    def refusal(self, match: Match, target: Target, schedule: Schedule) -> str:
        return ""

    def packable(self, match: Match, target: Target) -> tuple[PackChoice, ...]:
        return ()

    def cost(self, match: Match, target: Target, schedule: Schedule) -> Cost:
        assert isinstance(match, InterpolateMatch)
        vector = schedule.get("vector", 1)
        assert isinstance(vector, int)
        lanes = vector * target.peaks.lanes
        size = match.columns.size
        use = size / (-(-size // lanes) * lanes)
        rows = match.planes * match.rows.size
        return Cost(flops(match.kernel), fewest_bytes(match.kernel), rows, use)
