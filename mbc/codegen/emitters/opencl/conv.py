"""conv on OpenCL: the forms of both styles."""

from __future__ import annotations

from mbc.codegen.emitters.opencl.conv_cpu import emit_filters, emit_rows
from mbc.codegen.emitters.opencl.conv_gpu import emit_columns, emit_tiles
from mbc.codegen.families import Match, Schedule
from mbc.codegen.families.conv_match import ConvMatch
from mbc.codegen.program import KernelCode
from mbc.codegen.targets import Target


def emit(match: Match, schedule: Schedule, target: Target) -> KernelCode:
    assert isinstance(match, ConvMatch)
    return target.in_style(STYLES)(match, schedule, target)


def emit_cpu(match: ConvMatch, schedule: Schedule, target: Target) -> KernelCode:
    form = emit_rows if match.is_narrow else emit_filters
    return form(match, schedule, target)


def emit_gpu(match: ConvMatch, schedule: Schedule, target: Target) -> KernelCode:
    form = emit_columns if match.is_narrow else emit_tiles
    return form(match, schedule, target)


STYLES = {"cpu": emit_cpu, "gpu": emit_gpu}
