"""sort on OpenCL: an item per row (cpu), a group per row or passes over all (gpu)."""

from __future__ import annotations

from mbc.codegen.emitters.opencl.frame import Frame, number
from mbc.codegen.emitters.sort_passes import emit_passes
from mbc.codegen.emitters.sorting import scratch, sort_context
from mbc.codegen.families import Match, Schedule
from mbc.codegen.families.sort import LOCAL_ROW, SortMatch
from mbc.codegen.program import KernelCode
from mbc.codegen.targets import Target


def emit(match: Match, schedule: Schedule, target: Target) -> KernelCode:
    assert isinstance(match, SortMatch)
    context = sort_context(match, target)
    if target.is_cpu_style:
        frame = Frame(match, schedule, target, (), scratch(match, match.rows))
        grid = (match.rows, 1, 1)
        return frame.code("opencl/cpu_sort.cl.j2", grid, (1, 1, 1), c=context)
    if match.padded > LOCAL_ROW:
        return emit_passes(match, schedule, target)
    frame = Frame(match, schedule, target, ())
    block = (min(number(schedule, "parallel"), max(1, match.padded // 2)), 1, 1)
    grid = (match.rows, 1, 1)
    return frame.code("opencl/gpu_sort.cl.j2", grid, block, c=context)
