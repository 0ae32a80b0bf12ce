"""A row program as text: every pass is one walk of the row in strips of vectors.

Reductions keep a vector of partial results, of which a short last strip leaves the
elements behind its length alone, and join it at the end of the row.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from xdsl.dialects.linalg import ops as linalg
from xdsl.ir import SSAValue

from mbc.codegen.emitters.rvv import folds
from mbc.codegen.emitters.rvv.nan_flow import nan_arrives_anyway
from mbc.codegen.emitters.rvv.row_products import added_products
from mbc.codegen.emitters.rvv.strips import Strips, strips, suffix
from mbc.codegen.emitters.rvv.values import Value, Vectors
from mbc.codegen.emitters.rvv.vector_body import VectorPrinter
from mbc.codegen.expression import FUNCTIONS, ScalarPrinter
from mbc.codegen.families.row_program import (
    Pass,
    RowProgram,
    Statement,
    Store,
    is_expensive,
)
from mbc.codegen.loops import Access, index_text
from mbc.codegen.targets import Target
from mbc.ir.ops.reduce import ReduceOp

COLUMN = "j"
SEGMENT = "c"


@dataclass(frozen=True)
class Walk:
    """Of one or several rows, with the start and the end of their reductions.

    `segments` is the extent of the loop around the strip, if there is one, and
    `within` what comes first in it.
    """

    before: tuple[str, ...]
    segments: str
    within: tuple[str, ...]
    strip: Strips
    after: tuple[str, ...]


@dataclass(frozen=True)
class PassText:
    before: tuple[str, ...]
    walks: tuple[Walk, ...]
    after: tuple[str, ...]


@dataclass
class RowText:
    """Prints passes in order; `constants` name the extents of rows and length.

    `tile` neighbouring rows are walked side by side: what is the same for all of them
    is loaded once, and none waits alone for the end of its reductions.
    """

    program: RowProgram
    target: Target
    vectors: Vectors
    tile: int
    constants: tuple[tuple[str, int], ...]
    headers: set[str] = field(default_factory=set[str])
    values: dict[tuple[str, int], Value] = field(
        default_factory=dict[tuple[str, int], Value]
    )
    """Scalars that earlier passes made, by statement and row of the tile."""
    loaded: dict[tuple[Access, int], Value] = field(
        default_factory=dict[tuple[Access, int], Value]
    )
    """Elements that are the same along a row, or its segment."""
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
        for access in self._accesses(step):
            if not self.program.by_segment(access):
                before += self._uniforms(access, self.rows)
        walks = tuple(self._walk(step, rows) for rows in self._walks(step))
        after = [line for fold in step.reduces for line in self._means(fold)]
        for statement in step.scalars:
            after += self._scalar(statement)
        for store in step.stores:
            if store.kind == "scalar":
                after += self._scalar_stores(store)
        return PassText(tuple(before), walks, tuple(after))

    def _walks(self, step: Pass) -> list[range]:
        """Which rows are walked together: expensive work needs the registers alone."""
        if not (step.rows or step.reduces or self.row_stores(step)):
            return []
        if any(is_expensive(statement) for statement in step.rows):
            return [range(row, row + 1) for row in self.rows]
        return [self.rows]

    def _walk(self, step: Pass, rows: range) -> Walk:
        within: list[str] = []
        for access in filter(self.program.by_segment, self._accesses(step)):
            within += self._uniforms(access, rows)
        before = [self._accumulator(fold, r) for fold in step.reduces for r in rows]
        strip = self._strips(step, rows)
        after = [self._joined(fold, row) for fold in step.reduces for row in rows]
        segments = self.constants[-2][0] if within else ""
        for access, row in list(self.loaded):
            if self.program.by_segment(access):
                del self.loaded[access, row]  # its name ends with the loop
        return Walk(tuple(before), segments, tuple(within), strip, tuple(after))

    def _strips(self, step: Pass, rows: range) -> Strips:
        def body(s: int, column: str) -> list[str]:
            return _StripText(self, column).lines(step, rows)

        if not self.program.in_segments(step):
            return strips(COLUMN, self.length, self.vectors, 1, body)
        part = self.constants[-1][0]
        end = f"({SEGMENT} + 1) * {part}"
        start = f"{SEGMENT} * {part}"
        return strips(COLUMN, end, self.vectors, 1, body, start)

    def _accesses(self, step: Pass) -> list[Access]:
        inputs = (i for statement in step.rows for i in statement.inputs)
        return list(dict.fromkeys(i for i in inputs if isinstance(i, Access)))

    def _uniforms(self, access: Access, rows: range) -> list[str]:
        return [line for row in rows for line in self._uniform(access, row)]

    def _scalar_stores(self, store: Store) -> list[str]:
        return [
            f"{store.access.buffer}[{self.index(store.access, '0', row)}] = "
            f"{self.values[store.name, row].text};"
            for row in self.rows
        ]

    @property
    def rows(self) -> range:
        """Of the tile."""
        return range(self.tile)

    def row_stores(self, step: Pass) -> list[Store]:
        return [store for store in step.stores if store.kind == "row"]

    def own_row(self, access: Access, row: int) -> int:
        """0 where an access is the same for all rows of the tile."""
        return row if row and access.strides[len(self.program.rows) - 1] else 0

    def index(self, access: Access, column: str, row: int) -> str:
        loops = [f"i{d}" for d in range(len(self.program.rows))]
        if row:
            loops[-1] = f"({loops[-1]} + {row})"
        loops += [SEGMENT] if self.program.segments > 1 else []
        return index_text(access, [*loops, column], self.constants)

    def _uniform(self, access: Access, row: int) -> list[str]:
        """Declares the element of an access that does not move along a row."""
        key = access, self.own_row(access, row)
        if access.strides[-1] or key in self.loaded:
            return []
        name = f"x{self.named}"
        self.named += 1
        self.loaded[key] = Value(name, "scalar")
        place = self.index(access, "0", key[1])
        return [f"const float {name} = {access.buffer}[{place}];"]

    # ---- reductions ----

    def kind_of(self, fold: Statement) -> str:
        assert isinstance(fold.op, ReduceOp)
        kind = fold.op.str_of("kind")
        if kind in ("max", "min") and nan_arrives_anyway(self.program, fold):
            return f"{kind}num"
        return kind

    def total(self, fold: Statement, row: int) -> str:
        return f"{folds.carried(self.kind_of(fold))}_{fold.result}{suffix(row)}"

    def _accumulator(self, fold: Statement, row: int) -> str:
        whole = replace(self.vectors, length="vlmax")
        start = folds.start(self.kind_of(fold), whole)
        return f"{self.vectors.type} {self.total(fold, row)} = {start};"

    def _joined(self, fold: Statement, row: int) -> str:
        """Nothing waits for the result before the rows of the tile are all walked."""
        whole, kind = replace(self.vectors, length="vlmax"), self.kind_of(fold)
        name = f"{fold.result}{suffix(row)}"
        self.values[fold.result, row] = Value(name, "scalar")
        joined = folds.join(kind, self.total(fold, row), whole, self.headers)
        return f"{'' if kind == 'mean' else 'const '}float {name} = {joined};"

    def _means(self, fold: Statement) -> list[str]:
        if self.kind_of(fold) != "mean":
            return []
        count = f"(float){self.length}"
        names = [self.values[fold.result, row].text for row in self.rows]
        return [f"{name} /= {count};" for name in names]

    # ---- scalars ----

    def _scalar(self, statement: Statement) -> list[str]:
        """The statement of all rows, each line of it side by side."""
        lines: list[str] = []
        printed: list[list[str]] = []
        for row in self.rows:
            for value in statement.inputs:
                if isinstance(value, Access):
                    lines += self._uniform(value, row)
            printed.append(self._scalar_of(statement, row))
        return [*lines, *(line for step in zip(*printed, strict=True) for line in step)]

    def _scalar_of(self, statement: Statement, row: int) -> list[str]:
        op = statement.op
        assert isinstance(op, linalg.GenericOp)
        texts = [
            self.values[value, row].text
            if isinstance(value, str)
            else self.loaded[value, self.own_row(value, row)].text
            for value in statement.inputs
        ]
        block = op.body.block
        texts += ["0.0f"] * (len(block.args) - len(texts))
        prefix = f"{statement.result}{suffix(row)}_"
        printed = ScalarPrinter(self.target).body(block, texts, prefix)
        for name, result in zip(result_names(statement), printed.results, strict=True):
            self.values[name, row] = Value(result, "scalar")
        if any(o.name in FUNCTIONS or o.name == "math.rsqrt" for o in block.ops):
            self.headers.add("scalar_math")
        return list(printed.lines)


class _StripText:
    """One strip of one pass: per row its loads, row statements, folds and stores."""

    def __init__(self, text: RowText, column: str):
        self.text, self.column = text, column
        self.printer = VectorPrinter(text.target, text.vectors, headers=text.headers)
        self.values = dict(text.values)
        self.read: dict[tuple[Access, int], Value] = {}
        self.stores: list[str] = []

    def lines(self, step: Pass, rows: range) -> list[str]:
        """Stores come last: memory is in order, and loads would wait for them."""
        for row in rows:
            self._row_of(step, row)
        return [*self.printer.lines, *self.stores]

    def _row_of(self, step: Pass, row: int) -> None:
        products = added_products(step)
        kept, vectors = self.text.program.kept, self.text.vectors
        for name in step.loads:
            load = vectors.load(*self._kept_place(kept[name], row), 1)
            self.values[name, row] = self._declare(f"{name}{suffix(row)}", load)
        for statement in step.rows:
            if statement.result in products:
                self._product(statement, row)
            else:
                self._row(statement, row)
        for fold in step.reduces:
            self._fold(fold, row)
        for name in step.keeps:
            self._store(*self._kept_place(kept[name], row), name, row)
        for store in self.text.row_stores(step):
            index = self.text.index(store.access, self.column, row)
            self._store(store.access.buffer, index, store.name, row)

    def _declare(self, name: str, vector: str) -> Value:
        self.printer.declare(name, vector)
        return Value(name, "vector")

    def _kept_place(self, buffer: str, row: int) -> tuple[str, str]:
        """Scratch holds the rows of a tile; an output holds them all."""
        if buffer.startswith("s"):
            before = f"{row} * {self.text.length} + " if row else ""
            return buffer, f"{before}{self.column}"
        stores = [s for p in self.text.program.passes for s in p.stores]
        access = next(s.access for s in stores if s.access.buffer == buffer)
        return buffer, self.text.index(access, self.column, row)

    def _value(self, source: Access | str, row: int) -> Value:
        if isinstance(source, str):
            return self.values[source, row]
        key = source, self.text.own_row(source, row)
        if key in self.text.loaded:
            return self.text.loaded[key]
        if key not in self.read:
            index = self.text.index(source, self.column, key[1])
            load = self.text.vectors.load(source.buffer, index, source.strides[-1] or 1)
            self.read[key] = self._declare(f"y{len(self.read)}", load)
        return self.read[key]

    def _row(self, statement: Statement, row: int) -> None:
        assert isinstance(statement.op, linalg.GenericOp)
        block = statement.op.body.block
        arguments = [self._value(source, row) for source in statement.inputs]
        missing = len(block.args) - len(arguments)
        arguments += [Value("0.0f", "scalar")] * missing
        (value,) = self.printer.body(block, arguments)
        self.values[statement.result, row] = value

    def _product(self, statement: Statement, row: int) -> None:
        """Its factors; what is the same along the row comes first."""
        assert isinstance(statement.op, linalg.GenericOp)
        block = statement.op.body.block
        (multiply, _) = block.ops
        known: dict[SSAValue, Access | str] = dict(
            zip(block.args, statement.inputs, strict=False)
        )
        factors = [self._value(known[value], row) for value in multiply.operands]
        texts = [f.text for f in sorted(factors, key=lambda f: not f.is_uniform)]
        self.values[statement.result, row] = Value(", ".join(texts), "product")

    def _fold(self, fold: Statement, row: int) -> None:
        text, vectors = self.text, self.text.vectors
        total, kind = text.total(fold, row), text.kind_of(fold)
        value = self._value(fold.inputs[0], row)
        if value.kind == "product":
            more = vectors.call("vfmacc_tu", total, value.text).text
            self.printer.lines.append(f"{total} = {more};")
            return
        lanes = vectors.as_vector(value)
        self.printer.lines.append(folds.step(kind, total, lanes, vectors, text.headers))

    def _store(self, buffer: str, index: str, name: str, row: int) -> None:
        vectors = self.text.vectors
        value = vectors.as_vector(self.values[name, row])
        self.stores.append(vectors.store(buffer, index, 1, value))


def result_names(statement: Statement) -> list[str]:
    """v4 for the first result of a statement, v4_r1 for the next one."""
    count = len(statement.op.results)
    return [statement.result, *(f"{statement.result}_r{i}" for i in range(1, count))]
