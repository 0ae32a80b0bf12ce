"""interpolate: images resampled, in rows of vectors or an item per place."""

from __future__ import annotations

import math
from collections.abc import Sequence
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
    """`planes` of elements along `axes`, outermost first."""

    op: InterpolateOp
    planes: int
    axes: tuple[Resampled, ...]
    dtype: str
    by_items: bool
    """Emitted as a work item per place, on any axes; else in strips of rows."""

    @property
    def rows(self) -> Resampled:
        """One axis alone is the columns of a single row."""
        return self.axes[-2] if len(self.axes) > 1 else Resampled(1, 1, 0.0)

    @property
    def columns(self) -> Resampled:
        return self.axes[-1]

    @property
    def names(self) -> str:
        """Of the axes, one letter each."""
        return "wzyx"[-len(self.axes) :]

    @property
    def mode(self) -> str:
        return self.op.str_of("mode")

    @property
    def linear(self) -> bool:
        return self.mode == "linear"

    @property
    def weighs(self) -> bool:
        """Whether elements are computed, not moved."""
        return self.mode != "nearest"

    @property
    def half_pixel(self) -> bool:
        return self.op.bool_of("half_pixel")


class InterpolateFamily:
    """Knobs: on RVV `vector`, the LMUL of columns, and for nearest elements `unroll`,
    rows in flight; by items, `parallel` of them per group, each with a place of
    `unroll` planes."""

    def match(self, kernel: KernelOp, target: Target) -> InterpolateMatch | None:
        ops = compute_ops(kernel)
        op = ops[0] if len(ops) == 1 else None
        if not isinstance(op, InterpolateOp) or not yields_each_once(kernel):
            return None
        before, after = shape_of(op.input), shape_of(op.result)
        axes = tuple(
            Resampled(*axis)
            for axis in zip(before[2:], after[2:], op.step_values, strict=True)
        )
        dtype, planes = str(element_of(op.input)), math.prod(before[:2])
        rows = (target.is_cpu_style or not target.simt) and _in_rows(op, axes, dtype)
        if 0 in (planes, *after) or len(axes) > 4 or not (rows or target.simt):
            return None
        return InterpolateMatch(
            "interpolate", kernel, op, planes, axes, dtype, not rows
        )

    def space(self, match: Match, target: Target) -> Space:
        assert isinstance(match, InterpolateMatch)
        if match.by_items:
            return {"parallel": (256, 64, 128), "unroll": _planes(match, target)}
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
        work, bytes = flops(match.kernel), fewest_bytes(match.kernel)
        places = math.prod(axis.size for axis in match.axes)
        if match.by_items:
            planes = schedule.get("unroll", 1)
            assert isinstance(planes, int)
            groups = -(-match.planes // planes)
            return Cost(work, bytes, places * groups, match.planes / (groups * planes))
        vector = schedule.get("vector", 1)
        assert isinstance(vector, int)
        lanes = vector * target.peaks.lanes
        size = match.columns.size
        use = size / (-(-size // lanes) * lanes)
        return Cost(work, bytes, match.planes * match.rows.size, use)


def _in_rows(op: InterpolateOp, axes: Sequence[Resampled], dtype: str) -> bool:
    """Whether the templates that walk rows of images take the op."""
    mode = op.str_of("mode")
    legal = dtype == "f32" or (mode == "nearest" and DTYPE_BYTES[dtype] == 4)
    known = mode != "cubic" and len(axes) <= 2
    return legal and known and axes[-1].extent <= WIDEST_ROW


ENOUGH = 1024
"""Work items per unit of a device that keep it busy."""


def _planes(match: InterpolateMatch, target: Target) -> tuple[int, ...]:
    """Planes per item: weights are computed once for all, if items are enough."""
    places = math.prod(axis.size for axis in match.axes)
    busy = places * match.planes >= 4 * ENOUGH * target.peaks.units
    return (4, 1, 2) if busy and match.planes >= 4 else (1, 2, 4)
