"""attention on OpenCL, cpu style: a work item does a tile of queries of one head.

A launch before it turns the keys of every head into panels of as many columns as a
vector has lanes, and finds out whether causality may leave values out.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from mbc.codegen.emitters.attention_simt import emit as emit_gpu
from mbc.codegen.emitters.opencl.frame import Frame, ceil_div, number, numbers
from mbc.codegen.expression import float_literal
from mbc.codegen.families import Match, Schedule
from mbc.codegen.families.attention import AttentionMatch
from mbc.codegen.program import Buffer, KernelCode, Launch
from mbc.codegen.targets import Target


def emit(match: Match, schedule: Schedule, target: Target) -> KernelCode:
    return target.in_style(STYLES)(match, schedule, target)


def emit_cpu(match: Match, schedule: Schedule, target: Target) -> KernelCode:
    assert isinstance(match, AttentionMatch)
    rows, keys = numbers(schedule, "tile")
    lanes = number(schedule, "vector")
    panels = ceil_div(match.keys, lanes)
    heads = match.batch * match.groups
    scratch = [Buffer("s0", "f32", (heads, panels, match.depth, lanes), "scratch")]
    if match.causal:
        scratch.append(Buffer("s1", "f32", (heads, panels), "scratch"))
    frame = Frame(match, schedule, target, match.extents(), tuple(scratch))
    names = {name: frame.name(name) for name, _ in frame.extents}
    code = frame.code(
        "opencl/cpu_attention.cl.j2",
        (ceil_div(match.queries, rows), match.heads, match.batch),
        (1, 1, 1),
        match=match,
        n=names,
        rows=rows,
        keys=keys,
        lanes=lanes,
        panels=panels,
        value_lanes=_value_lanes(match.width, lanes),
        padded=ceil_div(match.width, lanes) * lanes,
        unroll=number(schedule, "unroll"),
        scale=float_literal(match.op.float_of("scale"), "f32"),
        mask=match.mask_index(names, ("b", "h", "i", "(start + j)")),
    )
    grid = (panels, match.groups, match.batch)
    arguments = tuple(buffer.name for buffer in frame.buffers)
    turn = Launch(f"{frame.label}_turn", arguments, grid)
    return replace(code, launches=(turn, *code.launches))


STYLES: dict[str, Callable[[Match, Schedule, Target], KernelCode]] = {
    "cpu": emit_cpu,
    "gpu": emit_gpu,
}


def _value_lanes(width: int, lanes: int) -> int:
    """As many lanes as divide a row of values, if four or more do."""
    while lanes > 4 and width % lanes:
        lanes //= 2
    return lanes
