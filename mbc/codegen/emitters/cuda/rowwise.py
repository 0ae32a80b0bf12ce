"""rowwise in CUDA: every thread keeps its part of the row in registers.

The row is walked once per pass of the program. Where a thread's part is short, what
several passes need is loaded or computed once and stays in registers; longer rows are
read again in each pass, from the cache if they fit it.
"""

from __future__ import annotations

from mbc.codegen.emitters.cuda.lanes import Walk, fitting_width
from mbc.codegen.emitters.cuda.row_passes import RowWriter, held_items, row_accesses
from mbc.codegen.emitters.cuda.rows import RowSplit, coordinates
from mbc.codegen.emitters.cuda.signature import (
    Signature,
    number,
    op_summary,
    shape_text,
)
from mbc.codegen.families import Match, Schedule
from mbc.codegen.families.row_program import RowProgram
from mbc.codegen.families.rowwise import RowwiseMatch
from mbc.codegen.program import Buffer, KernelCode, Launch
from mbc.codegen.render import render
from mbc.codegen.targets import Target

KEPT_PER_THREAD = 64
"""Floats of its row that one thread may keep in registers."""


def emit(match: Match, schedule: Schedule, target: Target) -> KernelCode:
    assert isinstance(match, RowwiseMatch)
    program = match.program
    split = RowSplit(match.rows, number(schedule, "parallel"))
    wanted = number(schedule, "vector")
    width = fitting_width(wanted, program.extents[-1], row_accesses(program))
    steps = -(-program.length // (split.threads * width))
    held = held_items(program)
    in_registers = steps * width * max(1, len(held)) <= KEPT_PER_THREAD
    signature = _signature(match, target, () if in_registers else _scratch(program))
    rows = signature.constants[: len(program.rows)]
    parts = [name for name, _ in signature.constants[len(rows) :]]
    segment = [f"(i / {parts[-1]})"] if len(parts) > 1 else []
    indices, row_lines = coordinates("row", rows, "i", signature.index)
    walk = Walk((*indices, *segment, "i"), signature.constants, width)
    length = f"({' * '.join(parts)})" if len(parts) > 1 else parts[0]
    registers = held if in_registers else []
    writer = RowWriter(program, walk, target, split, length, registers)
    written = [b.name for b in (*signature.results, *signature.scratch)]
    source = render(
        "cuda/rowwise.cu.j2",
        sig=signature,
        parameters=signature.parameters(signature.names, written),
        summary=f"{op_summary(match.kernel)} over {shape_text(program.rows)} rows",
        rows=" * ".join(name for name, _ in rows) or "1",
        length=length,
        split=split,
        width=width,
        steps=steps,
        exact=steps * width * split.threads == program.length,
        in_registers=in_registers,
        row_lines=row_lines,
        passes=[writer.write(step) for step in program.passes],
        per_row=writer.per_row,
        held=writer.held_declarations(steps),
        reduces=writer.reduces,
    )
    grid, block = (split.blocks, 1, 1), (split.block, 1, 1)
    launch = Launch(signature.label, signature.names, grid, block)
    return signature.code(source, [launch], schedule)


def _signature(
    match: RowwiseMatch, target: Target, scratch: tuple[Buffer, ...]
) -> Signature:
    program = match.program
    names = [f"R{d}" for d in range(len(program.rows))]
    names += ["LENGTH"] if program.segments == 1 else ["SEGMENTS", "SEGMENT"]
    extents = list(zip(names, program.extents, strict=True))
    return Signature(match, target, extents, scratch)


def _scratch(program: RowProgram) -> tuple[Buffer, ...]:
    shape = (*program.rows, program.length)
    places = sorted({p for p in program.kept.values() if p.startswith("s")})
    return tuple(Buffer(place, "f32", shape, "scratch") for place in places)
