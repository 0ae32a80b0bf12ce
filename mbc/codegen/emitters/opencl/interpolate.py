"""interpolate on OpenCL: a row is sampled from a blend of two (cpu), or by items."""

from __future__ import annotations

from mbc.codegen.emitters.interpolate_simt import emit as emit_by_items
from mbc.codegen.emitters.opencl.frame import Frame
from mbc.codegen.emitters.samples import resample_context
from mbc.codegen.families import Match, Schedule
from mbc.codegen.families.interpolate import InterpolateMatch
from mbc.codegen.program import KernelCode
from mbc.codegen.targets import Target


def emit(match: Match, schedule: Schedule, target: Target) -> KernelCode:
    assert isinstance(match, InterpolateMatch)
    if match.by_items:
        return emit_by_items(match, schedule, target)
    frame = Frame(match, schedule, target, ())
    grid = (match.rows.size, match.planes, 1)
    context = resample_context(match)
    return frame.code("opencl/cpu_interpolate.cl.j2", grid, (1, 1, 1), **context)
