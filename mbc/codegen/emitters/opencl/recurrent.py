"""recurrent on OpenCL, cpu style: a work item walks the whole sequence of its rows.

Batch rows never meet, so no step waits for another work item. Columns behind the last
whole vector are in vectors of half the lanes, and so on down to one.
"""

from __future__ import annotations

from collections.abc import Callable

from mbc.codegen.emitters.opencl.frame import Frame, ceil_div, number
from mbc.codegen.emitters.opencl.vector_body import Value, VectorPrinter
from mbc.codegen.emitters.recurrent_simt import emit as emit_gpu
from mbc.codegen.families import Match, Schedule
from mbc.codegen.families.recurrent import RecurrentMatch, rows_of
from mbc.codegen.program import Buffer, KernelCode
from mbc.codegen.targets import Target


def emit(match: Match, schedule: Schedule, target: Target) -> KernelCode:
    return target.in_style(STYLES)(match, schedule, target)


def emit_cpu(match: Match, schedule: Schedule, target: Target) -> KernelCode:
    assert isinstance(match, RecurrentMatch)
    rows, lanes = rows_of(schedule), number(schedule, "vector")
    products = Buffer("s0", "f32", (match.batch, match.columns), "scratch")
    frame = Frame(match, schedule, target, match.extents(), (products,))
    names = {name: frame.name(name) for name, _ in frame.extents}
    strips = _strips(match.hidden, lanes)
    return frame.code(
        "opencl/cpu_recurrent.cl.j2",
        (ceil_div(match.batch, rows), 1, 1),
        (1, 1, 1),
        match=match,
        n=names,
        rows=rows,
        unroll=number(schedule, "unroll"),
        product_strips=_strips(match.columns, lanes),
        cell_strips=strips,
        cells={w: _cell(match, w, names["H"]) for w, _, _ in strips},
    )


STYLES: dict[str, Callable[[Match, Schedule, Target], KernelCode]] = {
    "cpu": emit_cpu,
    "gpu": emit_gpu,
}


def _strips(extent: int, lanes: int) -> list[tuple[int, int, int]]:
    """(lanes, start, end) of all columns, each as wide as what is left allows."""
    strips: list[tuple[int, int, int]] = []
    start = 0
    while start < extent:
        end = start + (extent - start) // lanes * lanes
        if end > start:
            strips.append((lanes, start, end))
        start, lanes = end, lanes // 2
    return strips


def _cell(match: RecurrentMatch, width: int, hidden: str) -> list[str]:
    """From the products of unit `j` of row `b` to its states."""
    at = f"b * {hidden} + j"
    printer, lines = VectorPrinter(width), list[str]()

    def read(name: str, buffer: str, place: str) -> None:
        text = f"vload{width}(0, {buffer} + {place})"
        text = text if width > 1 else f"{buffer}[{place}]"
        lines.append(f"const {printer.type('float')} {name} = {text};")
        values.append(Value(name))

    values: list[Value] = []
    for name, buffer in (("x", "inputs"), ("p", "products")):
        for gate in range(match.gates):
            read(f"{name}{gate}", buffer, f"{match.offset(gate, hidden)}j")
    if match.has_bias:
        read("bias", match.extra, "j")
    if match.carried:
        read("before", match.carried, at)
    printed = printer.body(match.block, values, "t")
    lines += printed.lines
    for buffer, value in zip(("out", match.cell), printed.results, strict=False):
        text = printer.spread(value)
        store = f"vstore{width}({text}, 0, {buffer} + {at});"
        lines.append(store if width > 1 else f"{buffer}[{at}] = {text};")
    return lines
