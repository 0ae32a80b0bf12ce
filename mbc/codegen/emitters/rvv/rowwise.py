"""rowwise on RVV: softmax, norms and their kin, one row after the other."""

from __future__ import annotations

from mbc.codegen.emitters.rvv.frame import Frame
from mbc.codegen.emitters.rvv.knobs import number
from mbc.codegen.emitters.rvv.row_text import RowText
from mbc.codegen.emitters.rvv.values import Vectors
from mbc.codegen.families import Match, Schedule
from mbc.codegen.families.row_program import RowProgram
from mbc.codegen.families.rowwise import RowwiseMatch
from mbc.codegen.program import Buffer, KernelCode
from mbc.codegen.targets import Target


def emit(match: Match, schedule: Schedule, target: Target) -> KernelCode:
    assert isinstance(match, RowwiseMatch)
    return emit_rows(match, match.program, schedule, target)


def emit_rows(
    match: Match, program: RowProgram, schedule: Schedule, target: Target
) -> KernelCode:
    """The kernel of any match that can be said as a row program."""
    extents = tuple((f"N{d}", extent) for d, extent in enumerate(program.extents))
    scratch = tuple(
        Buffer(place, "f32", (program.length,), "scratch")
        for place in program.kept.values()
        if place.startswith("s")
    )
    frame = Frame(match, target, schedule, extents, scratch)
    vectors = Vectors(number(schedule, "vector"))
    unroll = number(schedule, "unroll")
    text = RowText(program, target, vectors, unroll, frame.constants)
    passes = text.passes()
    rows = frame.constants[: len(program.rows)]
    loops = [(f"i{d}", name) for d, (name, _) in enumerate(rows)]
    return frame.code(
        "rvv/rowwise.c.j2",
        text.headers,
        loops=loops,
        passes=passes,
        vectors=vectors,
        unroll=unroll,
    )
