"""reduce on RVV: along contiguous rows, or along the columns next to each other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from mbc.codegen.emitters.rvv import folds
from mbc.codegen.emitters.rvv.frame import Frame
from mbc.codegen.emitters.rvv.knobs import number
from mbc.codegen.emitters.rvv.row_text import result_names
from mbc.codegen.emitters.rvv.rowwise import emit_rows
from mbc.codegen.emitters.rvv.strips import strip_index, suffix
from mbc.codegen.emitters.rvv.values import Value, Vectors
from mbc.codegen.emitters.rvv.vector_body import VectorPrinter
from mbc.codegen.families import Match, Schedule
from mbc.codegen.families.reduce import ReduceMatch
from mbc.codegen.families.row_program import Pass, RowProgram, Statement, Store
from mbc.codegen.loops import Access, index_text
from mbc.codegen.program import KernelCode
from mbc.codegen.targets import Target


def emit(match: Match, schedule: Schedule, target: Target) -> KernelCode:
    assert isinstance(match, ReduceMatch)
    if match.inner == 1:
        return emit_rows(match, row_form(match), schedule, target)
    return _Columns(match, schedule, target).code()


def row_form(match: ReduceMatch) -> RowProgram:
    """The reduction of rows as a program of one pass over (outer, reduced)."""

    def narrowed(access: Access) -> Access:
        return replace(access, strides=access.strides[:2])

    inputs = tuple(narrowed(access) for access in match.inputs)
    rows: tuple[Statement, ...] = ()
    source: Access | str = inputs[0]
    if match.prologue is not None:
        source = "p"
        rows = (Statement("row", match.prologue, inputs, source, 0),)
    fold = Statement("reduce", match.op, (source,), "v", 0)
    last, scalars = fold, ()
    if match.epilogue is not None:
        extra = tuple("v" if a is None else narrowed(a) for a in match.extra)
        last = Statement("scalar", match.epilogue, extra, "e", 1)
        scalars = (last,)
    stores = tuple(
        Store(name, narrowed(access), "scalar")
        for name, access in zip(result_names(last), match.out, strict=True)
    )
    step = Pass((), rows, (fold,), scalars, stores, (), ())
    return RowProgram((match.outer,), match.reduced, (step,), {})


class _Columns:
    """Vectors run along `inner`; every strip walks down the reduced loop."""

    def __init__(self, match: ReduceMatch, schedule: Schedule, target: Target):
        self.match, self.target = match, target
        extents = ("N0", match.outer), ("N1", match.reduced), ("N2", match.inner)
        self.frame = Frame(match, target, schedule, extents)
        self.vectors = Vectors(number(schedule, "vector"))
        self.unroll = number(schedule, "unroll")
        self.headers: set[str] = set()

    def code(self) -> KernelCode:
        outer, _, inner = (name for name, _ in self.frame.constants)
        full = self._tile(self.unroll) if self.unroll > 1 else []
        return self.frame.code(
            "rvv/reduce.c.j2",
            self.headers,
            outer=outer,
            inner=inner,
            vectors=self.vectors,
            unroll=self.unroll,
            full=full,
            single=self._tile(1),
        )

    def _tile(self, count: int) -> list[str]:
        """Accumulators of `count` neighbouring strips, the loop down, the results."""
        indices = [strip_index("i", s) for s in range(count)]
        reduced = self.frame.constants[1][0]
        lines = [
            f"{self.vectors.type} total{suffix(s)} = "
            f"{folds.start(self.match.kind, self.vectors)};"
            for s in range(count)
        ]
        lines.append(f"for (size_t r = 0; r < {reduced}; r++) {{")
        for s, column in enumerate(indices):
            lines += self._step(s, column)
        lines.append("}")
        for s, column in enumerate(indices):
            lines += self._finish(s, column)
        return lines

    def _step(self, s: int, column: str) -> list[str]:
        printer = VectorPrinter(self.target, self.vectors, headers=self.headers)
        values = [
            self._load(printer, f"x{j}{suffix(s)}", access, column)
            for j, access in enumerate(self.match.inputs)
        ]
        (value,) = values[:1]
        if self.match.prologue is not None:
            block = self.match.prologue.body.block
            (value,) = printer.body(block, _padded(values, block.args), suffix(s))
        text = self.vectors.as_vector(value)
        total = f"total{suffix(s)}"
        more = folds.combined(self.match.kind, total, text, self.vectors, self.headers)
        return [*printer.lines, f"{total} = {more};"]

    def _finish(self, s: int, column: str) -> list[str]:
        printer = VectorPrinter(self.target, self.vectors, headers=self.headers)
        fold = Value(f"total{suffix(s)}", "vector")
        if self.match.kind == "mean":
            count = f"(float){self.frame.constants[1][0]}"
            printer.declare(
                f"mean{suffix(s)}", self.vectors.call("vfdiv", fold.text, count).text
            )
            fold = Value(f"mean{suffix(s)}", "vector")
        results: tuple[Value, ...] = (fold,)
        if self.match.epilogue is not None:
            values = [
                fold
                if access is None
                else self._load(printer, f"e{j}{suffix(s)}", access, column)
                for j, access in enumerate(self.match.extra)
            ]
            block = self.match.epilogue.body.block
            results = printer.body(block, _padded(values, block.args), suffix(s))
        for access, value in zip(self.match.out, results, strict=True):
            text, index = self.vectors.as_vector(value), self._index(access, column)
            line = self.vectors.store(
                access.buffer, index, access.strides[2] or 1, text
            )
            printer.lines.append(line)
        return printer.lines

    def _load(
        self, printer: VectorPrinter, name: str, access: Access, column: str
    ) -> Value:
        index, stride = self._index(access, column), access.strides[2]
        if not stride:
            printer.lines.append(f"const float {name} = {access.buffer}[{index}];")
            return Value(name, "scalar")
        printer.declare(name, self.vectors.load(access.buffer, index, stride))
        return Value(name, "vector")

    def _index(self, access: Access, column: str) -> str:
        return index_text(access, ["o", "r", column], self.frame.constants)


def _padded(values: Sequence[Value], args: Sequence[object]) -> list[Value]:
    """A block has arguments for its outputs, too, which elementwise bodies ignore."""
    return [*values, *[Value("0.0f", "scalar")] * (len(args) - len(values))]
