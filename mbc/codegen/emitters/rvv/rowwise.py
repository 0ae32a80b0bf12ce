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
    unroll = number(schedule, "unroll")
    tile = unroll if program.rows and unroll <= program.rows[-1] else 1
    scratch = tuple(
        Buffer(place, "f32", (tile * program.length,), "scratch")
        for place in program.kept.values()
        if place.startswith("s")
    )
    frame = Frame(match, target, schedule, extents, scratch)
    vectors = Vectors(number(schedule, "vector"))
    texts = [
        RowText(program, target, vectors, count, frame.constants)
        for count in (tile, 1)[tile == 1 :]
    ]
    passes = [text.passes() for text in texts]
    rows = frame.constants[: len(program.rows)]
    return frame.code(
        "rvv/rowwise.c.j2",
        {header for text in texts for header in text.headers},
        loops=[(f"i{d}", name) for d, (name, _) in enumerate(rows)],
        tile=tile,
        tiled=passes[0] if tile > 1 else [],
        passes=passes[-1],
        vectors=vectors,
    )
