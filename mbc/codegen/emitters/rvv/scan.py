"""scan on RVV: within vectors along contiguous rows, or with vectors across columns.

A strip of a row is scanned in log2(vl) steps, each of which slides it further over
itself, together with the strips behind it; what lies before a strip is then carried in.
"""

from __future__ import annotations

from dataclasses import replace

from xdsl.ir import Block

from mbc.codegen.emitters.rvv import folds
from mbc.codegen.emitters.rvv.frame import Frame
from mbc.codegen.emitters.rvv.knobs import number
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
    return _Scan(match, schedule, target).code()


class _Scan:
    def __init__(self, match: ScanMatch, schedule: Schedule, target: Target):
        self.match, self.target = match, target
        self.is_rows = match.inner == 1
        extents = [("OUTER", match.outer), ("LENGTH", match.length)]
        extents += [] if self.is_rows else [("INNER", match.inner)]
        self.frame = Frame(match, target, schedule, tuple(extents))
        self.vectors = Vectors(number(schedule, "vector"))
        self.unroll = number(schedule, "unroll")
        self.headers: set[str] = set()

    def code(self) -> KernelCode:
        match, names = self.match, [name for name, _ in self.frame.constants]
        whole = replace(self.vectors, length="vlmax")
        tile = self._row if self.is_rows else self._columns
        return self.frame.code(
            "rvv/scan.c.j2",
            self.headers,
            rows=self.is_rows,
            outer=names[0],
            length=names[1],
            extent=names[-1],
            along="done" if self.is_rows else "i",
            vectors=self.vectors,
            unroll=self.unroll,
            reverse=match.reverse,
            uniforms=self._uniforms() if self.is_rows else [],
            start=folds.start(match.kind, whole),
            full=tile(self.unroll) if self.unroll > 1 else {},
            single=tile(1),
        )

    # ---- along a row ----

    def _row(self, count: int) -> dict[str, list[str]]:
        """Loads of `count` strips, a step within all of them, what comes behind."""
        before: list[str] = []
        ends = [suffix(s) for s in range(count)]
        steps = [
            f"const {self.vectors.mask} mask = {self._inside()};",
            *map(self._moved, ends),
            *map(self._taken, ends),
        ]
        last = "0" if self.match.reverse else "vl - 1"
        after = [
            f"const {self.vectors.type} last{suffix(s)} = "
            f"__riscv_vrgather(within{suffix(s)}, {last}, vlmax);"
            for s in range(count)
        ]
        for s in range(count):
            printer = VectorPrinter(self.target, self.vectors, headers=self.headers)
            place, end = self._strip_start(s), suffix(s)
            value = self.vectors.as_vector(self._element(printer, place, end))
            before += [
                *printer.lines,
                f"{self.vectors.type} within{end} = {value};",
            ]
            after += self._carried(place, end)
        return {"before": before, "steps": steps, "after": after}

    def _strip_start(self, s: int) -> str:
        if not self.match.reverse:
            return strip_index("done", s)
        length = self.frame.constants[1][0]
        return f"({length} - done - {'vl' if s == 0 else f'{s + 1} * vl'})"

    def _inside(self) -> str:
        """The lanes that a step brings an element to."""
        if self.match.reverse:
            return "__riscv_vmsltu(lane, vl - step, vl)"
        return "__riscv_vmsgtu(lane, step - 1, vl)"

    def _moved(self, end: str) -> str:
        """Every strip slides before any is added to: no sum waits for its own slide."""
        vectors, name = self.vectors, f"within{end}"
        none = f"__riscv_vundefined_f32m{vectors.lmul}()"
        moved = vectors.call("vslideup", none, name, "step").text
        if self.match.reverse:
            moved = vectors.call("vslidedown", name, "step").text
        return f"const {vectors.type} moved{end} = {moved};"

    def _taken(self, end: str) -> str:
        """Takes in the lane `step` before, which holds the fold of as many."""
        vectors, kind = self.vectors, self.match.kind
        name, moved = f"within{end}", f"moved{end}"
        if kind in folds.NAN_KEEPING:
            both = folds.combined(kind, name, moved, vectors, self.headers)
            return f"{name} = {vectors.call('vmerge', name, both, 'mask').text};"
        instruction = f"{folds.INSTRUCTIONS[kind]}_mu"
        return f"{name} = {vectors.call(instruction, 'mask', name, name, moved).text};"

    def _carried(self, place: str, end: str) -> list[str]:
        """A strip with all before it: the epilogue, the stores and the next carry."""
        printer = VectorPrinter(self.target, self.vectors, headers=self.headers)
        vectors, match, total = self.vectors, self.match, f"total{end}"
        text = folds.combined(
            match.kind, f"within{end}", "carry", vectors, self.headers
        )
        printer.declare(total, text)
        result = Value(total, "vector")
        if match.exclusive:
            moved = f"__riscv_vslideup(carry, {total}, 1, vl)"
            if match.reverse:
                moved = f"__riscv_vslidedown_tu(carry, {total}, 1, vl - 1)"
            printer.declare(f"before{end}", moved)
            result = Value(f"before{end}", "vector")
        whole = replace(vectors, length="vlmax")
        more = folds.combined(match.kind, "carry", f"last{end}", whole, self.headers)
        printer.lines.append(f"carry = {more};")
        self._finish(printer, result, place, end)
        return printer.lines

    def _uniforms(self) -> list[str]:
        """Declarations of what is the same along a row."""
        accesses = dict.fromkeys((*self.match.inputs, *self.match.extra))
        return [
            f"const float {self._uniform(a)} = {a.buffer}[{self._index(a, '0')}];"
            for a in accesses
            if a is not None and not a.strides[1]
        ]

    # ---- down columns ----

    def _columns(self, count: int) -> dict[str, list[str]]:
        """Totals of `count` neighbouring strips, and a step down them."""
        start = folds.start(self.match.kind, self.vectors)
        before = [
            f"{self.vectors.type} total{suffix(s)} = {start};" for s in range(count)
        ]
        steps: list[str] = []
        for s in range(count):
            steps += self._step(strip_index("i", s), suffix(s))
        return {"before": before, "steps": steps}

    def _step(self, column: str, end: str) -> list[str]:
        printer = VectorPrinter(self.target, self.vectors, headers=self.headers)
        total = f"total{end}"
        value = self.vectors.as_vector(self._element(printer, column, end))
        more = folds.combined(self.match.kind, total, value, self.vectors, self.headers)
        if not self.match.exclusive:
            printer.lines.append(f"{total} = {more};")
        self._finish(printer, Value(total, "vector"), column, end)
        if self.match.exclusive:
            printer.lines.append(f"{total} = {more};")
        return printer.lines

    # ---- both ----

    def _element(self, printer: VectorPrinter, lane: str, end: str) -> Value:
        """What is scanned, from the kernel's operands."""
        values = [
            self._load(printer, f"x{j}{end}", access, lane)
            for j, access in enumerate(self.match.inputs)
        ]
        if self.match.prologue is None:
            return values[0]
        return self._body(printer, self.match.prologue.body.block, values, end)[0]

    def _finish(
        self, printer: VectorPrinter, result: Value, lane: str, end: str
    ) -> None:
        """The epilogue and the stores."""
        results: tuple[Value, ...] = (result,)
        if self.match.epilogue is not None:
            values = [
                result
                if access is None
                else self._load(printer, f"e{j}{end}", access, lane)
                for j, access in enumerate(self.match.extra)
            ]
            block = self.match.epilogue.body.block
            results = self._body(printer, block, values, f"{end}_e")
        for access, value in zip(self.match.out, results, strict=True):
            text = self.vectors.as_vector(value)
            place = self._index(access, lane)
            printer.lines.append(self.vectors.store(access.buffer, place, 1, text))

    def _body(
        self, printer: VectorPrinter, block: Block, values: list[Value], end: str
    ) -> tuple[Value, ...]:
        missing = len(block.args) - len(values)
        unused = [Value("0.0f", "scalar")] * missing
        return printer.body(block, [*values, *unused], end)

    def _load(
        self, printer: VectorPrinter, name: str, access: Access, lane: str
    ) -> Value:
        stride = access.strides[1 if self.is_rows else 2]
        if self.is_rows and not stride:
            return Value(self._uniform(access), "scalar")
        place = self._index(access, lane)
        if not stride:
            printer.lines.append(f"const float {name} = {access.buffer}[{place}];")
            return Value(name, "scalar")
        printer.declare(name, self.vectors.load(access.buffer, place, stride))
        return Value(name, "vector")

    def _uniform(self, access: Access) -> str:
        """The name of an element that is the same along a row."""
        known = [*self.match.inputs, *self.match.extra]
        return f"u{known.index(access)}"

    def _index(self, access: Access, lane: str) -> str:
        """`lane` is the text of the index along which vectors run."""
        if self.is_rows:
            flat = Access(
                access.buffer, access.dtype, access.offset, access.strides[:2]
            )
            return index_text(flat, ["o", lane], self.frame.constants)
        return index_text(access, ["o", "r", lane], self.frame.constants)
