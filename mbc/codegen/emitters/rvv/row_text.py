"""A row program as text: every pass is one walk of the row in strips of vectors.

Reductions keep a vector of partial results, of which a short last strip leaves the
elements behind its length alone, and join it at the end of the row.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from xdsl.dialects.linalg import ops as linalg

from mbc.codegen.emitters.rvv import folds
from mbc.codegen.emitters.rvv.nan_flow import nan_arrives_anyway
from mbc.codegen.emitters.rvv.strips import Strips, strips, suffix
from mbc.codegen.emitters.rvv.values import Value, Vectors
from mbc.codegen.emitters.rvv.vector_body import VectorPrinter
from mbc.codegen.expression import FUNCTIONS, ScalarPrinter
from mbc.codegen.families.row_program import Pass, RowProgram, Statement, Store
from mbc.codegen.loops import Access, index_text
from mbc.codegen.targets import Target
from mbc.ir.ops.reduce import ReduceOp

COLUMN = "j"
SEGMENT = "c"


@dataclass(frozen=True)
class PassText:
    """`segments` is the extent of the loop around the strip, if there is one, and
    `within` what comes first in it."""

    before: tuple[str, ...]
    segments: str
    within: tuple[str, ...]
    strip: Strips | None
    after: tuple[str, ...]


@dataclass
class RowText:
    """Prints passes in order; `constants` name the extents of rows and length."""

    program: RowProgram
    target: Target
    vectors: Vectors
    unroll: int
    constants: tuple[tuple[str, int], ...]
    headers: set[str] = field(default_factory=set[str])
    values: dict[str, Value] = field(default_factory=dict[str, Value])
    """Scalars of the row that earlier passes made, by statement."""
    loaded: dict[Access, Value] = field(default_factory=dict[Access, Value])
    """Elements that are the same along the row, or its segment."""
    named: int = 0
    """How many of them were ever given a name."""

    @property
    def length(self) -> str:
        names = [name for name, _ in self.constants[len(self.program.rows) :]]
        return f"({' * '.join(names)})" if len(names) > 1 else names[0]

    def passes(self) -> list[PassText]:
        return [self._pass(step) for step in self.program.passes]

    def _pass(self, step: Pass) -> PassText:
        before = [line for scalar in step.first for line in self._scalar(scalar)]
        within: list[str] = []
        for access in dict.fromkeys(
            i for s in step.rows for i in s.inputs if isinstance(i, Access)
        ):
            by_segment = self.program.by_segment(access)
            (within if by_segment else before).extend(self._uniform(access))
        for fold in step.reduces:
            before += self._accumulators(fold)
        strip = self._strips(step)
        after = [line for fold in step.reduces for line in self._joined(fold)]
        for statement in step.scalars:
            after += self._scalar(statement)
        for store in step.stores:
            if store.kind == "scalar":
                value = self.values[store.name].text
                place = f"{store.access.buffer}[{self.index(store.access, '0')}]"
                after.append(f"{place} = {value};")
        segments = self.constants[-2][0] if within else ""
        for access in filter(self.program.by_segment, list(self.loaded)):
            del self.loaded[access]  # its name ends with the loop
        return PassText(tuple(before), segments, tuple(within), strip, tuple(after))

    def _strips(self, step: Pass) -> Strips | None:
        if not (step.rows or step.reduces or self.row_stores(step)):
            return None

        def body(s: int, column: str) -> list[str]:
            return self._strip(step, s, column)

        if not self.program.in_segments(step):
            return strips(COLUMN, self.length, self.vectors, self.unroll, body)
        part = self.constants[-1][0]
        end = f"({SEGMENT} + 1) * {part}"
        start = f"{SEGMENT} * {part}"
        return strips(COLUMN, end, self.vectors, self.unroll, body, start)

    def row_stores(self, step: Pass) -> list[Store]:
        return [store for store in step.stores if store.kind == "row"]

    def index(self, access: Access, column: str) -> str:
        loops = [f"i{d}" for d in range(len(self.program.rows))]
        loops += [SEGMENT] if self.program.segments > 1 else []
        return index_text(access, [*loops, column], self.constants)

    def _uniform(self, access: Access) -> list[str]:
        """Declares the element of an access that does not move along the row."""
        if access.strides[-1] or access in self.loaded:
            return []
        name = f"x{self.named}"
        self.named += 1
        self.loaded[access] = Value(name, "scalar")
        return [f"const float {name} = {access.buffer}[{self.index(access, '0')}];"]

    # ---- reductions ----

    def kind_of(self, fold: Statement) -> str:
        assert isinstance(fold.op, ReduceOp)
        kind = fold.op.str_of("kind")
        if kind in ("max", "min") and nan_arrives_anyway(self.program, fold):
            return f"{kind}num"
        return kind

    def total(self, fold: Statement, s: int) -> str:
        return f"{folds.carried(self.kind_of(fold))}_{fold.result}{suffix(s)}"

    def _accumulators(self, fold: Statement) -> list[str]:
        whole = replace(self.vectors, length="vlmax")
        start = folds.start(self.kind_of(fold), whole)
        return [
            f"{self.vectors.type} {self.total(fold, s)} = {start};"
            for s in range(self.unroll)
        ]

    def _joined(self, fold: Statement) -> list[str]:
        whole, kind = replace(self.vectors, length="vlmax"), self.kind_of(fold)
        total = self.total(fold, 0)
        lines = [
            f"{total} = {folds.combined(kind, total, other, whole, self.headers)};"
            for other in (self.total(fold, s) for s in range(1, self.unroll))
        ]
        joined = folds.join(kind, total, self.length, whole, self.headers)
        lines.append(f"const float {fold.result} = {joined};")
        self.values[fold.result] = Value(fold.result, "scalar")
        return lines

    # ---- scalars ----

    def _scalar(self, statement: Statement) -> list[str]:
        op = statement.op
        assert isinstance(op, linalg.GenericOp)
        lines: list[str] = []
        texts: list[str] = []
        for value in statement.inputs:
            if isinstance(value, str):
                texts.append(self.values[value].text)
                continue
            lines += self._uniform(value)
            texts.append(self.loaded[value].text)
        block = op.body.block
        texts += ["0.0f"] * (len(block.args) - len(texts))
        printed = ScalarPrinter(self.target).body(block, texts, f"{statement.result}_")
        for name, result in zip(result_names(statement), printed.results, strict=True):
            self.values[name] = Value(result, "scalar")
        if any(o.name in FUNCTIONS or o.name == "math.rsqrt" for o in block.ops):
            self.headers.add("scalar_math")
        return [*lines, *printed.lines]

    # ---- rows ----

    def _strip(self, step: Pass, s: int, column: str) -> list[str]:
        return _StripText(self, s, column).lines(step)


class _StripText:
    """One strip of one pass: loads, row statements, then folds and stores."""

    def __init__(self, row: RowText, s: int, column: str):
        self.row, self.s, self.column = row, s, column
        self.printer = VectorPrinter(row.target, row.vectors, headers=row.headers)
        self.values = dict(row.values)
        self.read: dict[Access, Value] = {}

    def lines(self, step: Pass) -> list[str]:
        kept, vectors = self.row.program.kept, self.row.vectors
        for name in step.loads:
            load = vectors.load(*self._kept_place(kept[name]), 1)
            self.values[name] = self._declare(f"{name}{suffix(self.s)}", load)
        for statement in step.rows:
            self._row(statement)
        for fold in step.reduces:
            value = vectors.as_vector(self._value(fold.inputs[0]))
            total = self.row.total(fold, self.s)
            kind = self.row.kind_of(fold)
            line = folds.step(kind, total, value, vectors, self.row.headers)
            self.printer.lines.append(line)
        for name in step.keeps:
            self._store(*self._kept_place(kept[name]), name)
        for store in self.row.row_stores(step):
            index = self.row.index(store.access, self.column)
            self._store(store.access.buffer, index, store.name)
        return self.printer.lines

    def _declare(self, name: str, vector: str) -> Value:
        self.printer.declare(name, vector)
        return Value(name, "vector")

    def _kept_place(self, buffer: str) -> tuple[str, str]:
        """Scratch holds one row; an output holds them all."""
        if buffer.startswith("s"):
            return buffer, self.column
        stores = [s for p in self.row.program.passes for s in p.stores]
        access = next(s.access for s in stores if s.access.buffer == buffer)
        return buffer, self.row.index(access, self.column)

    def _value(self, source: Access | str) -> Value:
        if isinstance(source, str):
            return self.values[source]
        if source in self.row.loaded:
            return self.row.loaded[source]
        if source not in self.read:
            index = self.row.index(source, self.column)
            load = self.row.vectors.load(source.buffer, index, source.strides[-1] or 1)
            name = f"y{len(self.read)}{suffix(self.s)}"
            self.read[source] = self._declare(name, load)
        return self.read[source]

    def _row(self, statement: Statement) -> None:
        assert isinstance(statement.op, linalg.GenericOp)
        block = statement.op.body.block
        arguments = [self._value(source) for source in statement.inputs]
        missing = len(block.args) - len(arguments)
        arguments += [Value("0.0f", "scalar")] * missing
        (value,) = self.printer.body(block, arguments, suffix(self.s))
        self.values[statement.result] = value

    def _store(self, buffer: str, index: str, name: str) -> None:
        vectors = self.row.vectors
        value = vectors.as_vector(self.values[name])
        self.printer.lines.append(vectors.store(buffer, index, 1, value))


def result_names(statement: Statement) -> list[str]:
    """v4 for the first result of a statement, v4_r1 for the next one."""
    count = len(statement.op.results)
    return [statement.result, *(f"{statement.result}_r{i}" for i in range(1, count))]
