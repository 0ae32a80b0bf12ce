"""From finished sums of a convolution to stores: the epilogue, row after row."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from mbc.codegen.emitters.conv_text import AxisText
from mbc.codegen.emitters.rvv.values import Value, Vectors
from mbc.codegen.emitters.rvv.vector_body import VectorPrinter
from mbc.codegen.families.conv_match import ConvMatch
from mbc.codegen.loops import Access, index_text
from mbc.codegen.targets import Target

FILTER, COLUMN = 1, 4
"""Loops of a result: n, f, z, y, x."""


def row_text(row: int) -> str:
    """A row of the tile, whose first one is `y0`."""
    return f"(y0 + {row})" if row else "y0"


@dataclass(frozen=True)
class Place:
    """Where the tile is, in the names of the text."""

    name: Callable[[str], str]
    axes: tuple[AxisText, AxisText, AxisText]
    vectors: Vectors
    headers: set[str]
    target: Target

    def index(self, access: Access, match: ConvMatch, row: int, filter: int) -> str:
        """The element of a result or of what the epilogue reads, at lane 0."""
        grouped = match.groups > 1
        f = f"f + {filter}" if filter else "f"
        f = f"g * {self.name('F')} + {f}" if grouped else f
        filters = f"{self.name('G')} * {self.name('F')}" if grouped else self.name("F")
        loops = [
            ("n", (self.name("N"), match.batch)),
            (f"({f})" if " " in f else f, (filters, match.groups * match.filters)),
        ]
        kept = [0, FILTER]
        for loop, (axis, at) in enumerate(zip(self.axes, ("z", row_text(row), "x")), 2):
            if not axis.is_unit:
                kept.append(loop)
                loops.append((axis.result(at), (axis.results, axis.axis.out)))
        strides = tuple(access.strides[loop] for loop in kept)
        places, extents = zip(*loops, strict=True)
        return index_text(replace(access, strides=strides), places, extents)

    def stride(self, access: Access) -> int:
        """Elements from one lane to the next."""
        return access.strides[COLUMN] * self.axes[2].phases


def results(match: ConvMatch, place: Place, rows: int, filters: int) -> list[list[str]]:
    """Per row of the tile: loads, arithmetic and stores of all its filters."""
    return [_Row(match, place, row, [*range(filters)]).lines() for row in range(rows)]


def kept_name(row: int, out: int, phase: str = "") -> str:
    """What a phase of columns leaves to be stored with the others."""
    return f"k{phase}_{row}_{out}"


def kept_results(match: ConvMatch, place: Place, rows: int, phase: int) -> list[str]:
    """Of one filter: results of a phase of columns, not stored yet."""
    lines: list[str] = []
    for row in range(rows):
        one = _Row(match, place, row, [0])
        printer = VectorPrinter(place.target, place.vectors, headers=place.headers)
        for out, value in enumerate(one.values(printer, 0, f"_{row}")):
            text = place.vectors.as_vector(value)
            printer.lines.append(f"{kept_name(row, out, str(phase))} = {text};")
        lines += printer.lines
    return lines


def joined_stores(match: ConvMatch, place: Place, rows: int) -> list[list[str]]:
    """Per row: neighbours of the result from all phases of columns at once."""
    phases, vectors = place.axes[2].phases, place.vectors
    suffix = f"f32m{vectors.lmul}x{phases}"
    found: list[list[str]] = []
    for row in range(rows):
        lines: list[str] = []
        for out, access in enumerate(match.out):
            index = place.index(access, match, row, 0)
            kept = [kept_name(row, out, str(p)) for p in range(phases)]
            fields = f"__riscv_vcreate_v_{suffix}({', '.join(kept)})"
            at = f"{access.buffer} + {index}"
            lines.append(f"__riscv_vsseg{phases}e32({at}, {fields}, {vectors.length});")
        found.append(lines)
    return found


@dataclass(frozen=True)
class _Row:
    match: ConvMatch
    place: Place
    row: int
    filters: Sequence[int]

    def lines(self) -> list[str]:
        place = self.place
        printer = VectorPrinter(place.target, place.vectors, headers=place.headers)
        for filter in self.filters:
            values = self.values(printer, filter, f"_{filter}")
            for access, value in zip(self.match.out, values, strict=True):
                index = place.index(access, self.match, self.row, filter)
                text = place.vectors.as_vector(value)
                stride = place.stride(access) or 1
                line = place.vectors.store(access.buffer, index, stride, text)
                printer.lines.append(line)
        return printer.lines

    def values(
        self, printer: VectorPrinter, filter: int, suffix: str
    ) -> Sequence[Value]:
        """The finished results of a filter; locals end with `suffix`."""
        total = Value(f"s{self.row}_{filter}", "vector")
        if self.match.epilogue is None:
            return [total]
        arguments = [
            total if access is None else self._read(printer, access, filter)
            for access in self.match.extra
        ]
        block = self.match.epilogue.body.block
        missing = len(block.args) - len(arguments)
        unused = [Value("0.0f", "scalar")] * missing
        return printer.body(block, [*arguments, *unused], suffix)

    def _read(self, printer: VectorPrinter, access: Access, filter: int) -> Value:
        """An epilogue operand; what neither filters nor lanes move is one scalar."""
        place, stride = self.place, self.place.stride(access)
        filter = filter if access.strides[FILTER] else 0
        index = place.index(access, self.match, self.row, filter)
        name = f"e{self.row}_{len(printer.lines)}"
        if not stride:
            printer.lines.append(f"const float {name} = {access.buffer}[{index}];")
            return Value(name, "scalar")
        printer.declare(name, place.vectors.load(access.buffer, index, stride))
        return Value(name, "vector")
