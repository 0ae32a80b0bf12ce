"""interpolate on RVV: strips of columns, down all rows of a plane."""

from __future__ import annotations

from mbc.codegen.emitters.rvv.frame import Frame
from mbc.codegen.emitters.rvv.knobs import number
from mbc.codegen.emitters.samples import resample_context
from mbc.codegen.families import Match, Schedule
from mbc.codegen.families.interpolate import InterpolateMatch
from mbc.codegen.program import Buffer, KernelCode
from mbc.codegen.targets import Target

WIDEST_STEP = 2 / 3
"""Input columns per output column where a full vector of 4 or more output columns
reads no more input columns than it has lanes: ceil(3 * 2 / 3) + 2 = 4."""


def emit(match: Match, schedule: Schedule, target: Target) -> KernelCode:
    assert isinstance(match, InterpolateMatch)
    size = match.rows.size
    rows = Buffer("s0", "i32", (2 * size if match.linear else size,), "scratch")
    weights = Buffer("s1", "f32", (2 * size,), "scratch")
    scratch = (rows, weights) if match.linear else (rows,)
    frame = Frame(match, target, schedule, (), scratch)
    lmul = number(schedule, "vector")
    return frame.code(
        f"rvv/interpolate_{match.mode}.c.j2",
        (),
        window=match.columns.step <= WIDEST_STEP,
        lmul=lmul,
        unroll=1 if match.linear else number(schedule, "unroll"),
        f=f"f32m{lmul}",
        u=f"u32m{lmul}",
        floats=f"vfloat32m{lmul}_t",
        integers=f"vuint32m{lmul}_t",
        **resample_context(match),
    )
