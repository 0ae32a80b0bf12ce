"""arg_reduce on RVV: the extremum of chunks of a row, then where it is in its chunk;
or vectors of values and indices across columns.

Looking for an element is cheap and done once per row, in one chunk that is still in
cache; carrying an index along with every element is not.
"""

from __future__ import annotations

from dataclasses import replace

from mbc.codegen.emitters.rvv import folds
from mbc.codegen.emitters.rvv.frame import Frame
from mbc.codegen.emitters.rvv.knobs import number
from mbc.codegen.emitters.rvv.strips import strip_index, suffix
from mbc.codegen.emitters.rvv.values import Value, Vectors
from mbc.codegen.emitters.rvv.vector_body import VectorPrinter
from mbc.codegen.families import Match, Schedule
from mbc.codegen.families.arg_reduce import ArgReduceMatch
from mbc.codegen.loops import Access, index_text
from mbc.codegen.program import KernelCode
from mbc.codegen.targets import Target

CHUNK = 1024
"""Elements; a small part of the first cache."""
FULL = "odd = __riscv_vmor(odd, {0}, vl);"
REST = "rest += __riscv_vcpop({0}, vl);"
"""A mask has no elements to keep behind a shorter length, so the rest is counted."""
SIGNS = {"max": (">", "vmfgt"), "min": ("<", "vmflt")}


def emit(match: Match, schedule: Schedule, target: Target) -> KernelCode:
    assert isinstance(match, ArgReduceMatch)
    return _ArgReduce(match, schedule, target).code()


class _ArgReduce:
    def __init__(self, match: ArgReduceMatch, schedule: Schedule, target: Target):
        self.match, self.target = match, target
        self.is_rows = match.inner == 1
        extents = [("OUTER", match.outer), ("REDUCED", match.reduced)]
        extents += [] if self.is_rows else [("INNER", match.inner)]
        self.frame = Frame(match, target, schedule, tuple(extents))
        self.vectors = Vectors(number(schedule, "vector"))
        self.unroll = number(schedule, "unroll") if self.is_rows else 1
        self.headers: set[str] = set()

    def code(self) -> KernelCode:
        match, names = self.match, [name for name, _ in self.frame.constants]
        text = self._rows() if self.is_rows else {"step": self._step()}
        return self.frame.code(
            "rvv/arg_reduce.c.j2",
            self.headers,
            rows=self.is_rows,
            outer=names[0],
            reduced=names[1],
            inner=names[-1],
            vectors=self.vectors,
            unroll=self.unroll,
            size=CHUNK,
            sign=SIGNS[match.kind][0],
            start=folds.STARTS[match.kind],
            where=match.where,
            value=match.value,
            **text,
        )

    # ---- along a row ----

    def _rows(self) -> dict[str, object]:
        # A mask of NaN beside the extremum costs less than an extremum that keeps it.
        kind, whole = f"{self.match.kind}num", replace(self.vectors, length="vlmax")
        totals = [f"total{suffix(s)}" for s in range(self.unroll)]
        start = folds.start(kind, whole)
        after = [
            f"total = {folds.combined(kind, 'total', other, whole, self.headers)};"
            for other in totals[1:]
        ]
        joined = folds.join(kind, "total", whole, self.headers)
        odd = f"rest + {whole.call('vcpop', 'odd').text}"
        after.append(f"const float here = {odd} ? MBC_NAN : {joined};")
        full: list[str] = []
        for s in range(self.unroll):
            full += self._fold(strip_index("r", s), suffix(s), FULL)
        return {
            "uniforms": self._uniforms(),
            "before": [
                f"{self.vectors.mask} odd = {whole.flag_mask('0')};",
                "size_t rest = 0;",
                *(f"{self.vectors.type} {t} = {start};" for t in totals),
            ],
            "full": full,
            "single": self._fold("r", "", REST),
            "after": after,
            "search": self._search(),
        }

    def _fold(self, index: str, end: str, note: str) -> list[str]:
        """Takes a strip in; `note` keeps its NaN."""
        printer = self._printer()
        value = self.vectors.as_vector(self._element(printer, index, end))
        name = f"y{end}"
        nan = self.vectors.call("vmfne", name, name).text
        kind = f"{self.match.kind}num"
        return [
            *printer.lines,
            f"const {self.vectors.type} {name} = {value};",
            note.format(nan),
            folds.step(kind, f"total{end}", name, self.vectors, self.headers),
        ]

    def _search(self) -> list[str]:
        """Declares `x`, the elements of a strip, and `hit`, the lanes that are best."""
        printer, call = self._printer(), self.vectors.call
        value = self.vectors.as_vector(self._element(printer, "r", ""))
        same = call("vmfeq", "x", "best").text
        hit = call("vmor", same, call("vmfne", "x", "x").text).text
        return [
            *printer.lines,
            f"const {self.vectors.type} x = {value};",
            f"const {self.vectors.mask} hit = {hit};",
        ]

    def _uniforms(self) -> list[str]:
        """Declarations of what is the same along a row."""
        return [
            f"const float x{j} = {access.buffer}[{self._index(access, '0')}];"
            for j, access in enumerate(self.match.inputs)
            if not access.strides[1]
        ]

    # ---- down columns ----

    def _step(self) -> list[str]:
        """One row further down: the lanes where it is better take it and its index."""
        printer, call = self._printer(), self.vectors.call
        value = self.vectors.as_vector(self._element(printer, "i", ""))
        beyond = call(SIGNS[self.match.kind][1], "x", "best").text
        nan = call("vmand", call("vmfne", "x", "x").text, "number").text
        lines = [
            *printer.lines,
            f"const {self.vectors.type} x = {value};",
            f"const {self.vectors.mask} number = {call('vmfeq', 'best', 'best').text};",
            f"const {self.vectors.mask} take = {call('vmor', beyond, nan).text};",
            f"best = {call('vmerge', 'best', 'x', 'take').text};",
            f"where = {call('vmerge', 'where', 'r', 'take').text};",
        ]
        return lines

    # ---- both ----

    def _printer(self) -> VectorPrinter:
        return VectorPrinter(self.target, self.vectors, headers=self.headers)

    def _element(self, printer: VectorPrinter, lane: str, end: str) -> Value:
        """What is compared, from the kernel's operands."""
        values = [
            self._load(printer, j, access, lane, end)
            for j, access in enumerate(self.match.inputs)
        ]
        if self.match.prologue is None:
            return values[0]
        block = self.match.prologue.body.block
        unused = [Value("0.0f", "scalar")] * (len(block.args) - len(values))
        return printer.body(block, [*values, *unused], end)[0]

    def _load(
        self, printer: VectorPrinter, number: int, access: Access, lane: str, end: str
    ) -> Value:
        stride, name = access.strides[1 if self.is_rows else 2], f"x{number}{end}"
        if self.is_rows and not stride:
            return Value(f"x{number}", "scalar")
        place = self._index(access, lane)
        if not stride:
            printer.lines.append(f"const float {name} = {access.buffer}[{place}];")
            return Value(name, "scalar")
        printer.declare(name, self.vectors.load(access.buffer, place, stride))
        return Value(name, "vector")

    def _index(self, access: Access, lane: str) -> str:
        """`lane` is the text of the index along which vectors run."""
        if self.is_rows:
            flat = replace(access, strides=access.strides[:2])
            return index_text(flat, ["o", lane], self.frame.constants)
        return index_text(access, ["o", "r", lane], self.frame.constants)
