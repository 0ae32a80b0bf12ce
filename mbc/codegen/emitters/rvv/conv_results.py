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
            values = self._values(printer, filter)
            for access, value in zip(self.match.out, values, strict=True):
                index = place.index(access, self.match, self.row, filter)
                text = place.vectors.as_vector(value)
                stride = place.stride(access) or 1
                line = place.vectors.store(access.buffer, index, stride, text)
                printer.lines.append(line)
        return printer.lines

    def _values(self, printer: VectorPrinter, filter: int) -> Sequence[Value]:
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
        return printer.body(block, [*arguments, *unused], f"_{filter}")

    def _read(self, printer: VectorPrinter, access: Access, filter: int) -> Value:
        """An epilogue operand; what neither filters nor lanes move is one scalar."""
        place, stride = self.place, self.place.stride(access)
        filter = filter if access.strides[FILTER] else 0
        index = place.index(access, self.match, self.row, filter)
        name = f"e{len(printer.lines)}"
        if not stride:
            printer.lines.append(f"const float {name} = {access.buffer}[{index}];")
            return Value(name, "scalar")
        printer.declare(name, place.vectors.load(access.buffer, index, stride))
        return Value(name, "vector")
