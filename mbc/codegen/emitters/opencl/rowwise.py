"""rowwise on OpenCL: a work item walks rows (cpu), or a work group shares one (gpu)."""

from __future__ import annotations

from collections.abc import Callable

from xdsl.dialects.linalg import ops as linalg

from mbc.codegen.emitters.opencl.elements import Lanes
from mbc.codegen.emitters.opencl.frame import Frame, ceil_div, fitting_width, number
from mbc.codegen.emitters.opencl.map import row_indices, row_names
from mbc.codegen.emitters.opencl.row_text import (
    RowStyle,
    RowWriter,
    cpu_style,
    gpu_style,
)
from mbc.codegen.families import Match, Schedule
from mbc.codegen.families.row_program import Pass, RowProgram, Statement
from mbc.codegen.families.rowwise import RowwiseMatch
from mbc.codegen.loops import Access
from mbc.codegen.program import Buffer, KernelCode
from mbc.codegen.targets import Target
from mbc.ir.ops.reduce import ReduceOp


def emit(match: Match, schedule: Schedule, target: Target) -> KernelCode:
    assert isinstance(match, RowwiseMatch)
    program = match.program
    extents = tuple((f"N{d}", extent) for d, extent in enumerate(program.extents))
    places = sorted({p for p in program.kept.values() if p.startswith("s")})
    scratch = tuple(
        Buffer(p, "f32", (match.rows, program.length), "scratch") for p in places
    )
    frame = Frame(match, schedule, target, extents, scratch)

    def write(width: int, style: RowStyle) -> RowWriter:
        return write_program(frame, program, width, style)

    rows = row_indices(frame.named_extents()[: len(program.rows)])
    segment = program.extents[-1]
    return emit_rows(frame, match.rows, segment, rows, write)


Write = Callable[[int, RowStyle], RowWriter]
Rows = list[tuple[str, str]]


def emit_rows(
    frame: Frame,
    rows: int,
    length: int,
    row_indices: Rows,
    write: Write,
) -> KernelCode:
    """A kernel that walks rows, in the target's style.

    `length` is that of a segment, where rows have segments.
    """
    return frame.target.in_style(STYLES)(frame, rows, length, row_indices, write)


def emit_cpu(
    frame: Frame, rows: int, length: int, row_indices: Rows, write: Write
) -> KernelCode:
    width = fitting_width(number(frame.schedule, "vector"), length)
    rows_per_item = min(number(frame.schedule, "parallel"), rows)
    return frame.code(
        "opencl/cpu_rowwise.cl.j2",
        (ceil_div(rows, rows_per_item), 1, 1),
        (1, 1, 1),
        rows=rows,
        rows_per_item=rows_per_item,
        row_indices=row_indices,
        **write(width, cpu_style(width)).context(),
    )


def emit_gpu(
    frame: Frame, rows: int, length: int, row_indices: Rows, write: Write
) -> KernelCode:
    width = fitting_width(number(frame.schedule, "vector"), length)
    group = number(frame.schedule, "parallel")
    return frame.code(
        "opencl/gpu_rowwise.cl.j2",
        (rows, 1, 1),
        (group, 1, 1),
        row_indices=row_indices,
        **write(width, gpu_style(width, group)).context(),
    )


STYLES = {"cpu": emit_cpu, "gpu": emit_gpu}


def write_program(
    frame: Frame, program: RowProgram, width: int, style: RowStyle
) -> RowWriter:
    named, rows = frame.named_extents(), len(program.rows)
    names = [name for name, _ in named[rows:]]
    length = f"({' * '.join(names)})" if len(names) > 1 else names[0]
    count = f"{length} - i" if program.length % width else ""
    segment = [style.segment.format(part=names[-1])] if len(names) > 1 else []
    indices = (*row_names(rows), *segment, "i")
    lanes = Lanes(width, indices, named, len(indices) - 1, count)
    writer = RowWriter(lanes, style, length)
    homes = kept_places(program)
    for step in program.passes:
        in_segments = program.in_segments(step)
        begin = writer.begin_in_segments if in_segments else writer.begin
        write_pass(writer, step, homes, begin)
    return writer


def kept_places(program: RowProgram) -> dict[str, Access]:
    """Where each kept row value is stored."""
    outputs = {s.access.buffer: s.access for p in program.passes for s in p.stores}
    return {
        name: outputs.get(place) or program.whole_rows(place)
        for name, place in program.kept.items()
    }


def write_pass(
    writer: RowWriter,
    step: Pass,
    homes: dict[str, Access],
    begin: Callable[[str], None],
) -> None:
    if step.first:
        writer.begin("values per row")
    for statement in step.first:
        writer.scalar(_generic(statement), statement.inputs, statement.result)
    begin(pass_comment(step))
    for name in step.loads:
        writer.values[name] = writer.loader.read_again(homes[name])
    for statement in step.rows:
        writer.element(_generic(statement), statement.inputs, statement.result)
    for name in step.keeps:
        writer.keep(homes[name], writer.values[name])
    for statement in step.reduces:
        assert isinstance(statement.op, ReduceOp)
        kind = statement.op.str_of("kind")
        writer.fold(kind, statement.inputs[0], statement.result)
    for statement in step.scalars:
        writer.scalar(_generic(statement), statement.inputs, statement.result)
    for store in step.stores:
        write = writer.keep if store.kind == "row" else writer.store_scalar
        write(store.access, writer.values[store.name])


def _generic(statement: Statement) -> linalg.GenericOp:
    assert isinstance(statement.op, linalg.GenericOp)
    return statement.op


def pass_comment(step: Pass) -> str:
    kinds = [s.op.str_of("kind") for s in step.reduces if isinstance(s.op, ReduceOp)]
    outputs = [s.access.buffer for s in step.stores]
    return ", ".join([*(f"{kind} of the row" for kind in kinds), *outputs])
