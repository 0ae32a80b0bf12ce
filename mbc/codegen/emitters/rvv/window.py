"""window on RVV: the rows under a window become one, then windows run along it.

The folded row has its padding in place, so neither of the two loops has a border.
"""

from __future__ import annotations

from mbc.codegen.emitters.rvv import folds
from mbc.codegen.emitters.rvv.frame import Frame
from mbc.codegen.emitters.rvv.knobs import number
from mbc.codegen.emitters.rvv.strips import Strips, strips
from mbc.codegen.emitters.rvv.values import Vectors
from mbc.codegen.emitters.rvv.vector_body import VectorPrinter
from mbc.codegen.emitters.rvv.window_results import WindowResults, shares_buffer
from mbc.codegen.emitters.rvv.window_strips import emit_strips, fits_registers
from mbc.codegen.emitters.rvv.window_taps import (
    LARGEST_GROUP,
    FieldTaps,
    PlainTaps,
    uses_fields,
)
from mbc.codegen.emitters.window_names import WindowNames
from mbc.codegen.families import Match, Schedule
from mbc.codegen.families.window import WindowMatch
from mbc.codegen.program import Buffer, KernelCode
from mbc.codegen.targets import Target


def emit(match: Match, schedule: Schedule, target: Target) -> KernelCode:
    assert isinstance(match, WindowMatch)
    if fits_registers(match.columns, number(schedule, "vector")):
        return emit_strips(match, schedule, target)
    return _Window(match, schedule, target).code()


class _Window:
    def __init__(self, match: WindowMatch, schedule: Schedule, target: Target):
        self.match, self.target, self.names = match, target, WindowNames(match)
        self.vectors = Vectors(number(schedule, "vector"))
        columns = match.columns
        self.places = range(0, columns.span, columns.dilation)
        self.fields = uses_fields(self.places, columns.stride)
        self.direct = self._reads_input()
        folded = () if self.direct else (self._folded_row(),)
        scratch = (*folded, *shares_buffer(match, len(folded)))
        self.shares = scratch[-1].name if len(scratch) > len(folded) else ""
        self.frame = Frame(match, target, schedule, self._extents(), scratch)
        self.results = WindowResults(match, self.frame, self.shares)
        self.headers: set[str] = set()

    def _reach(self) -> int:
        """How long a row must be for all loads of all windows."""
        columns = self.match.columns
        last = columns.stride - 1 if self.fields else 0
        return (columns.out - 1) * columns.stride + max(columns.span - 1, last) + 1

    def _reads_input(self) -> bool:
        """One row of the input, without padding, needs no copy."""
        columns = self.match.columns
        whole = columns.low == 0 and self._reach() <= columns.extent
        return self.match.row_taps == 1 and whole

    def _extents(self) -> tuple[tuple[str, int], ...]:
        columns = self.match.columns
        row = max(self._reach(), columns.low + columns.extent)
        return (*self.names.extents(), *(() if self.direct else (("ROW", row),)))

    def _folded_row(self) -> Buffer:
        return Buffer("s0", "f32", (dict(self._extents())["ROW"],), "scratch")

    @property
    def row(self) -> str:
        return "row" if self.direct else "s0"

    def name(self, extent: str) -> str:
        return f"{self.frame.label}_{extent}"

    def code(self) -> KernelCode:
        match, label = self.match, self.frame.label
        planes = zip(self.names.loops(), self.names.loop_extents(label))
        places = [
            f"o{name.lower()}" + (f" * {axis.stride}" if axis.stride > 1 else "")
            for name, axis in zip(self.names.axes, match.rows)
        ]
        return self.frame.code(
            "rvv/window.c.j2",
            self.headers,
            row="" if self.direct else self.row,
            shares=self.shares,
            columns=match.columns,
            margin=match.margins[-1],
            extents={"columns": self.name("W"), "out": self.name("OW")},
            planes=list(planes)[: len(match.planes)],
            row_taps=match.row_taps,
            rows=self.names.rows(label),
            inside=self.names.inside(label),
            start=self.names.start(label, places if self.direct else ()),
            fill=self._fill(),
            folded=self._folded(),
            scale=self.results.scale(),
            windows=self._windows(),
        )

    # ---- rows into one ----

    def _fill(self) -> Strips:
        def body(s: int, index: str) -> list[str]:
            value = folds.start(self.match.kind, self.vectors)
            return [self.vectors.store("s0", index, 1, value)]

        return strips("i", self.name("ROW"), self.vectors, 1, body)

    def _folded(self) -> Strips:
        vectors, kind = self.vectors, self.match.kind

        def body(s: int, index: str) -> list[str]:
            lines = [f"{vectors.type} total = {vectors.load('rows[0]', index, 1)};"]
            if self.match.row_taps > 1:
                load = vectors.load("rows[t]", index, 1)
                more = folds.combined(kind, "total", "x", vectors, self.headers)
                lines += [
                    "for (size_t t = 1; t < count; t++) {",
                    f"const {vectors.type} x = {load};",
                    f"total = {more};",
                    "}",
                ]
            low = self.match.columns.low
            place = f"{low} + {index}" if low else index
            return [*lines, vectors.store("s0", place, 1, "total")]

        return strips("i", self.name("W"), vectors, 1, body)

    # ---- windows along it ----

    def _windows(self) -> Strips:
        columns, vectors = self.match.columns, self.vectors
        while self.fields and vectors.lmul * columns.stride > LARGEST_GROUP:
            vectors = Vectors(vectors.lmul // 2)

        def body(s: int, index: str) -> list[str]:
            printer = VectorPrinter(self.target, vectors, headers=self.headers)
            self.results.store(printer, self._total(printer, index), index)
            return printer.lines

        return strips("i", self.name("OW"), vectors, 1, body)

    def _total(self, printer: VectorPrinter, index: str) -> str:
        """The fold over the taps of a row, declared as `total`."""
        vectors, kind = printer.vectors, self.match.kind
        taps = FieldTaps if self.fields else PlainTaps
        values = taps(printer, self.row, index, self.match.columns.stride)
        for place in self.places:
            value = values.at(place)
            if place == 0:
                printer.lines.append(f"{vectors.type} total = {value};")
                continue
            more = folds.combined(kind, "total", value, vectors, self.headers)
            printer.lines.append(f"total = {more};")
        return "total"
