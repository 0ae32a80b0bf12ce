"""scan on RVV: along contiguous rows, or with vectors across columns."""

from __future__ import annotations

from mbc.codegen.emitters.rvv.frame import Frame
from mbc.codegen.emitters.rvv.knobs import number
from mbc.codegen.emitters.rvv.scan_rows import emit_rows
from mbc.codegen.emitters.rvv.scan_text import ScanText
from mbc.codegen.emitters.rvv.strips import strip_index, suffix
from mbc.codegen.emitters.rvv.values import Value, Vectors
from mbc.codegen.emitters.rvv.vector_body import VectorPrinter
from mbc.codegen.families import Match, Schedule
from mbc.codegen.families.scan import ScanMatch
from mbc.codegen.loops import Access, index_text
from mbc.codegen.program import KernelCode
from mbc.codegen.targets import Target


def emit(match: Match, schedule: Schedule, target: Target) -> KernelCode:
    assert isinstance(match, ScanMatch)
    if match.inner == 1:
        return emit_rows(match, schedule, target)
    return _Columns(match, schedule, target).code()


class _Columns:
    """Totals of neighbouring strips of columns walk down the scanned loop."""

    def __init__(self, match: ScanMatch, schedule: Schedule, target: Target):
        self.match = match
        extents = ("OUTER", match.outer), ("LENGTH", match.length)
        extents = (*extents, ("INNER", match.inner))
        self.frame = Frame(match, target, schedule, extents)
        self.vectors = Vectors(number(schedule, "vector"))
        self.unroll = number(schedule, "unroll")
        self.text = ScanText(match, target, self.vectors, match.kind)

    def code(self) -> KernelCode:
        outer, length, inner = (name for name, _ in self.frame.constants)
        return self.frame.code(
            "rvv/scan.c.j2",
            self.text.headers,
            outer=outer,
            length=length,
            inner=inner,
            vectors=self.vectors,
            unroll=self.unroll,
            reverse=self.match.reverse,
            full=self._tile(self.unroll) if self.unroll > 1 else {},
            single=self._tile(1),
        )

    def _tile(self, count: int) -> dict[str, list[str]]:
        """Totals of `count` strips, and a step down them."""
        start = self.vectors.splat(self.text.start())
        before = [
            f"{self.vectors.type} total{suffix(s)} = {start};" for s in range(count)
        ]
        steps: list[str] = []
        for s in range(count):
            steps += self._step(strip_index("i", s), suffix(s))
        return {"before": before, "steps": steps}

    def _step(self, column: str, end: str) -> list[str]:
        printer, total = self.text.printer(), f"total{end}"
        values = [
            self._load(printer, f"x{j}{end}", access, column)
            for j, access in enumerate(self.match.inputs)
        ]
        value = self.text.element(printer, values, end)
        more = f"{total} = {self.text.combined(total, value)};"
        if not self.match.exclusive:
            printer.lines.append(more)
        self._finish(printer, total, column, end)
        if self.match.exclusive:
            printer.lines.append(more)
        return printer.lines

    def _finish(
        self, printer: VectorPrinter, total: str, column: str, end: str
    ) -> None:
        """The epilogue and the stores."""
        extra = [
            access and self._load(printer, f"e{j}{end}", access, column)
            for j, access in enumerate(self.match.extra)
        ]
        results = self.text.results(printer, total, extra, end)
        for access, text in zip(self.match.out, results, strict=True):
            place = self._index(access, column)
            printer.lines.append(self.vectors.store(access.buffer, place, 1, text))

    def _load(
        self, printer: VectorPrinter, name: str, access: Access, column: str
    ) -> Value:
        place, stride = self._index(access, column), access.strides[2]
        if not stride:
            printer.lines.append(f"const float {name} = {access.buffer}[{place}];")
            return Value(name, "scalar")
        printer.declare(name, self.vectors.load(access.buffer, place, stride))
        return Value(name, "vector")

    def _index(self, access: Access, column: str) -> str:
        return index_text(access, ["o", "r", column], self.frame.constants)
