"""recurrent on RVV: in every step a small matrix product, then the cells of all units.

The product has a register tile of batch rows; a strip of columns takes all rows before
the next one, so that its part of the weight stays in the first cache. Cells have longer
vectors: their arithmetic is one chain, whose latency these hide.
"""

from __future__ import annotations

from mbc.codegen.emitters.rvv.frame import Frame
from mbc.codegen.emitters.rvv.knobs import number
from mbc.codegen.emitters.rvv.values import Value, Vectors
from mbc.codegen.emitters.rvv.vector_body import VectorPrinter
from mbc.codegen.families import Match, Schedule
from mbc.codegen.families.recurrent import RecurrentMatch, rows_of
from mbc.codegen.program import Buffer, KernelCode
from mbc.codegen.targets import Target

CELL_LMUL = 4


def emit(match: Match, schedule: Schedule, target: Target) -> KernelCode:
    assert isinstance(match, RecurrentMatch)
    rows = min(rows_of(schedule), match.batch)
    rest = match.batch % rows
    products = Buffer("s0", "f32", (match.batch, match.columns), "scratch")
    frame = Frame(match, target, schedule, match.extents(), (products,))
    names = dict(zip("TBHG", (name for name, _ in frame.constants)))
    printer = VectorPrinter(target, Vectors(CELL_LMUL))
    _cell(match, printer, names["H"])
    return frame.code(
        "rvv/recurrent.c.j2",
        printer.headers,
        match=match,
        n=names,
        tiles=[rows, rest] if rest else [rows],
        vectors=Vectors(number(schedule, "vector")),
        unroll=number(schedule, "unroll"),
        cells=printer.vectors,
        cell_lines=printer.lines,
    )


def _cell(match: RecurrentMatch, printer: VectorPrinter, hidden: str) -> None:
    """From the products of unit `j` of row `b` to its states."""
    vectors, at = printer.vectors, f"b * {hidden} + j"
    for name, buffer in (("x", "inputs"), ("p", "products")):
        for gate in range(match.gates):
            place = f"{match.offset(gate, hidden)}j"
            printer.declare(f"{name}{gate}", vectors.load(buffer, place, 1))
    names = [f"{name}{gate}" for name in "xp" for gate in range(match.gates)]
    if match.has_bias:
        printer.declare("bias", vectors.load(match.extra, "j", 1))
        names.append("bias")
    if match.carried:
        printer.declare("before", vectors.load(match.carried, at, 1))
        names.append("before")
    printed = printer.body(match.block, [Value(name, "vector") for name in names])
    for buffer, value in zip(("out", match.cell), printed, strict=False):
        text = vectors.as_vector(value)
        printer.lines.append(vectors.store(buffer, at, 1, text))
