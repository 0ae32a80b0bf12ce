"""sort on RVV: rows one after the other, by merges or by insertion of the best."""

from __future__ import annotations

from mbc.codegen.emitters.rvv.frame import Frame
from mbc.codegen.emitters.sorting import scratch, sort_context
from mbc.codegen.families import Match, Schedule
from mbc.codegen.families.sort import SortMatch
from mbc.codegen.program import KernelCode
from mbc.codegen.targets import Target


def emit(match: Match, schedule: Schedule, target: Target) -> KernelCode:
    assert isinstance(match, SortMatch)
    frame = Frame(match, target, schedule, (), scratch(match, 1))
    return frame.code("rvv/sort.c.j2", (), c=sort_context(match, target))
