"""pointwise on RVV: scalar loops that the compiler puts in vectors."""

from __future__ import annotations

from mbc.codegen.emitters.pointwise import statements, with_a_loop
from mbc.codegen.emitters.rvv.frame import Frame
from mbc.codegen.families import Match, Schedule
from mbc.codegen.families.map import MapMatch
from mbc.codegen.program import KernelCode
from mbc.codegen.targets import Target


def emit(match: Match, schedule: Schedule, target: Target) -> KernelCode:
    assert isinstance(match, MapMatch)
    nest = with_a_loop(match.nest)
    names = tuple((f"N{d}", extent) for d, extent in enumerate(nest.extents))
    frame = Frame(match, target, schedule, names)
    indices = [f"i{d}" for d in range(len(names))]
    found = statements(match, nest, target, indices, frame.constants)
    extents = [name for name, _ in frame.constants]
    return frame.code(
        "rvv/pointwise.c.j2",
        ["scalar_math"],
        outer=list(zip(indices[:-1], extents)),
        inner=[(indices[-1], extents[-1])],
        uniform=found.uniform,
        lines=found.lines,
    )
