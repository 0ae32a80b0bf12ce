"""reduce on OpenCL: along contiguous rows as rowwise, else down columns of vectors."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from mbc.codegen.emitters.opencl.elements import Lanes, Loader
from mbc.codegen.emitters.opencl.frame import Frame, ceil_div, fitting_width, number
from mbc.codegen.emitters.opencl.reduce_parts import emit_parts
from mbc.codegen.emitters.opencl.row_text import FOLDINGS, RowStyle, RowWriter
from mbc.codegen.emitters.opencl.rowwise import emit_rows
from mbc.codegen.emitters.opencl.vector_body import Value
from mbc.codegen.families import Match, Schedule
from mbc.codegen.families.reduce import ReduceMatch
from mbc.codegen.loops import Access
from mbc.codegen.program import Buffer, KernelCode
from mbc.codegen.targets import Target


def emit(match: Match, schedule: Schedule, target: Target) -> KernelCode:
    assert isinstance(match, ReduceMatch)

    def whole(one: ReduceMatch, scratch: tuple[Buffer, ...] = ()) -> KernelCode:
        return _emit(one, schedule, target, scratch)

    parts = number(schedule, "split")
    return whole(match) if parts == 1 else emit_parts(match, parts, whole)


def _emit(
    match: ReduceMatch, schedule: Schedule, target: Target, scratch: tuple[Buffer, ...]
) -> KernelCode:
    outer, reduced = ("OUTER", match.outer), ("REDUCED", match.reduced)
    if match.inner > 1:
        extents = (outer, reduced, ("INNER", match.inner))
        frame = Frame(match, schedule, target, extents, scratch)
        return target.in_style(COLUMN_STYLES)(frame, match)
    frame = Frame(match, schedule, target, (outer, reduced), scratch)

    def write(width: int, style: RowStyle) -> RowWriter:
        return write_row(frame, match, width, style)

    return emit_rows(frame, match.outer, match.reduced, [], write)


def write_row(
    frame: Frame, match: ReduceMatch, width: int, style: RowStyle
) -> RowWriter:
    named = frame.named_extents()
    length = named[1][0]
    count = f"{length} - i" if match.reduced % width else ""
    writer = RowWriter(Lanes(width, ("row", "i"), named, 1, count), style, length)
    writer.begin(f"{match.kind} of the row")
    inputs = [_row_access(a) for a in match.inputs]
    source: Access | str = inputs[0]
    if match.prologue is not None:
        writer.element(match.prologue, inputs, "p")
        source = "p"
    writer.fold(match.kind, source, "fold")
    results = (writer.values["fold"],)
    if match.epilogue is not None:
        reads = ["fold" if a is None else _row_access(a) for a in match.extra]
        results = writer.scalar(match.epilogue, reads, "e").results
    for access, value in zip(match.out, results, strict=True):
        writer.store_scalar(_row_access(access), value)
    return writer


def _row_access(access: Access) -> Access:
    return replace(access, strides=access.strides[:2])


def emit_columns_cpu(frame: Frame, match: ReduceMatch) -> KernelCode:
    width = fitting_width(number(frame.schedule, "vector"), match.inner)
    most = ceil_div(match.inner, width)
    vectors = min(number(frame.schedule, "parallel"), most)
    return frame.code(
        "opencl/cpu_reduce.cl.j2",
        (ceil_div(match.inner, width * vectors), match.outer, 1),
        (1, 1, 1),
        vectors=vectors,
        **_columns(frame, match, width, width * vectors, "fold[v]"),
    )


def emit_columns_gpu(frame: Frame, match: ReduceMatch) -> KernelCode:
    width = fitting_width(number(frame.schedule, "vector"), match.inner)
    group = number(frame.schedule, "parallel")
    per_row = ceil_div(match.inner, width)
    items = match.outer * per_row
    return frame.code(
        "opencl/gpu_reduce.cl.j2",
        (ceil_div(items, group), 1, 1),
        (group, 1, 1),
        items=items,
        per_row=per_row,
        **_columns(frame, match, width, width, "fold"),
    )


COLUMN_STYLES: dict[str, Callable[[Frame, ReduceMatch], KernelCode]] = {
    "cpu": emit_columns_cpu,
    "gpu": emit_columns_gpu,
}


def _columns(
    frame: Frame, match: ReduceMatch, width: int, span: int, fold: str
) -> dict[str, object]:
    """One step down the columns, and what happens below the last one."""
    named, folding = frame.named_extents(), FOLDINGS[match.kind]
    count = f"{named[2][0]} - i" if match.inner % span else ""
    lanes = Lanes(width, ("o", "r", "i"), named, 2, count)
    step, value = _column_step(match, Loader(lanes))
    combined = folding.combine.format(fold, lanes.printer.spread(value))
    return {
        "type": lanes.printer.type("float"),
        "kind": match.kind,
        "start": lanes.printer.spread(Value(folding.start, uniform=True)),
        "width": width,
        "outer": named[0][0],
        "reduced": named[1][0],
        "step": [*step, f"{fold} = {combined};"],
        "below": _below(match, Loader(lanes), fold, named[1][0]),
    }


def _column_step(match: ReduceMatch, loader: Loader) -> tuple[list[str], Value]:
    inputs = loader.read_all(match.inputs)
    lines = [*loader.uniform, *loader.lines]
    if match.prologue is None:
        return lines, inputs[0]
    printed = loader.lanes.printer.body(match.prologue.body.block, inputs, "p")
    return [*lines, *printed.lines], printed.results[0]


def _below(match: ReduceMatch, loader: Loader, fold: str, reduced: str) -> list[str]:
    total = f"{fold} / {reduced}" if match.kind == "mean" else fold
    results: tuple[Value, ...] = (Value(total),)
    lines: list[str] = []
    if match.epilogue is not None:
        inputs = [
            Value("total") if access is None else loader.read(access)
            for access in match.extra
        ]
        printed = loader.lanes.printer.body(match.epilogue.body.block, inputs, "e")
        declared = f"const {loader.lanes.printer.type('float')} total = {total};"
        lines = [declared, *loader.uniform, *loader.lines, *printed.lines]
        results = printed.results
    stores = [
        loader.lanes.store(access, value)
        for access, value in zip(match.out, results, strict=True)
    ]
    return [*lines, *stores]
