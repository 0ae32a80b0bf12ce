"""contract on RVV: a register tile of rows times one vector of columns.

Every step of k loads one vector of the right operand and multiplies it by one element
of each row. Rows that do not fill a tile make one smaller tile.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from mbc.codegen.emitters.rvv.frame import Frame
from mbc.codegen.emitters.rvv.knobs import first, number
from mbc.codegen.emitters.rvv.values import Value, Vectors
from mbc.codegen.emitters.rvv.vector_body import VectorPrinter
from mbc.codegen.families import Match, Schedule
from mbc.codegen.families.contract_match import ContractMatch
from mbc.codegen.loops import Access, index_text
from mbc.codegen.program import KernelCode
from mbc.codegen.targets import Target

LOOPS = ("b", "m", "n", "k")


def emit(match: Match, schedule: Schedule, target: Target) -> KernelCode:
    assert isinstance(match, ContractMatch)
    return _Contract(_along_columns(match), schedule, target).code()


def _along_columns(match: ContractMatch) -> ContractMatch:
    """A product with a single column, turned round: vectors run along `n`."""
    if match.n > 1 or match.m == 1 or match.panel:
        return match
    return match.exchanged()


class _Contract:
    def __init__(self, match: ContractMatch, schedule: Schedule, target: Target):
        self.match, self.target = match, target
        sizes = zip("BMNK", (match.b, match.m, match.n, match.k))
        self.frame = Frame(match, target, schedule, tuple(sizes))
        self.vectors = Vectors(number(schedule, "vector"))
        self.rows = min(first(schedule, "tile"), match.m)
        self.unroll = min(number(schedule, "unroll"), match.k)
        self.headers: set[str] = set()

    def code(self) -> KernelCode:
        match = self.match
        rest = match.m % self.rows
        return self.frame.code(
            "rvv/contract.c.j2",
            self.headers,
            loop=dict(zip(LOOPS, (name for name, _ in self.frame.constants))),
            batched=match.b > 1,
            panel=match.panel,
            remainder=match.k % self.unroll,
            vectors=self.vectors,
            tiles=[self._tile(rows) for rows in (self.rows, rest) if rows],
        )

    def _index(self, access: Access, **at: str) -> str:
        """The element index; loops have their own names where `at` has no text.

        Loops are ordered as the operand is laid out, so that strides are products of
        the extents behind them.
        """
        strides, names = access.strides, self.frame.constants
        order = sorted((d for d in range(4) if strides[d]), key=lambda d: -strides[d])
        places = [at.get(LOOPS[d], LOOPS[d]) for d in order]
        moving = [strides[d] if p != "0" else 0 for d, p in zip(order, places)]
        ordered = replace(access, strides=tuple(moving))
        return index_text(ordered, places, [names[d] for d in order])

    def _tile(self, rows: int) -> dict[str, object]:
        """What the template needs for a block of `rows` rows."""
        match = self.match
        zero = self.vectors.splat("0.0f")
        totals = [f"{self.vectors.type} c{r} = {zero};" for r in range(rows)]
        pointers = [
            f"const float *x{r} = {match.lhs.buffer} + "
            f"{self._index(match.lhs, m=_plus('m', r), k='0')};"
            for r in range(rows)
        ]
        return {
            "rows": rows,
            "pointers": pointers,
            "totals": totals,
            "panels": self._right(),
            "unroll": self.unroll,
            "steps": self._steps(rows, self.unroll),
            "last": self._steps(rows, 1),
            "results": self._results(rows),
        }

    def _right(self) -> str:
        """Where the vectors of the right operand start."""
        match, loop = self.match, self.frame.constants
        if match.panel:
            k = loop[3][0]
            return f"{match.rhs.buffer} + p * {k} + (n - p)"
        return f"{match.rhs.buffer} + {self._index(match.rhs, k='0')}"

    def _steps(self, rows: int, count: int) -> list[str]:
        """`count` steps of k: their loads, then their products."""
        match, vectors = self.match, self.vectors
        down = str(match.panel or self._down())
        stride = 1 if match.panel else match.rhs.strides[2] or 1
        lines: list[str] = []
        for u in range(count):
            index = "0" if u == 0 else down if u == 1 else f"{u} * {down}"
            load = vectors.load("w", index, stride)
            lines.append(f"const {vectors.type} w{u} = {load};")
        for u in range(count):
            for r in range(rows):
                left = f"x{r}[{self._left(u)}]"
                product = vectors.call("vfmacc", f"c{r}", left, f"w{u}").text
                lines.append(f"c{r} = {product};")
        lines.append(f"w += {down if count == 1 else f'{count} * {down}'};")
        return lines

    def _down(self) -> str:
        """Elements from one row of the right operand to the next."""
        text = self._index(self.match.rhs, b="0", n="0")
        return text.removeprefix("k * ") if text.startswith("k * ") else "1"

    def _left(self, u: int) -> str:
        text = self._index(self.match.lhs, b="0", m="0", k=_plus("k", u))
        return f"k + {u}" if text == f"(k + {u})" else text

    def _results(self, rows: int) -> list[str]:
        """The epilogue and the stores, one row after the other."""
        printer = VectorPrinter(self.target, self.vectors, headers=self.headers)
        shared: dict[Access, Value] = {}
        for r in range(rows):
            results = self._epilogue(printer, shared, r)
            for access, value in zip(self.match.out, results, strict=True):
                index = self._index(access, m=_plus("m", r))
                text = self.vectors.as_vector(value)
                stride = access.strides[2] or 1
                line = self.vectors.store(access.buffer, index, stride, text)
                printer.lines.append(line)
        return printer.lines

    def _epilogue(
        self, printer: VectorPrinter, shared: dict[Access, Value], row: int
    ) -> Sequence[Value]:
        total, op = Value(f"c{row}", "vector"), self.match.epilogue
        if op is None:
            return [total]
        arguments: list[Value] = []
        for access in self.match.extra:
            if access is None:
                arguments.append(total)
            elif access in shared:
                arguments.append(shared[access])
            else:
                value = self._extra(printer, access, row, len(shared))
                arguments.append(value)
                if not access.strides[1]:
                    shared[access] = value
        block = op.body.block
        missing = len(block.args) - len(arguments)
        unused = [Value("0.0f", "scalar")] * missing
        return printer.body(block, [*arguments, *unused], f"_{row}")

    def _extra(
        self, printer: VectorPrinter, access: Access, row: int, count: int
    ) -> Value:
        """An epilogue operand for one row; what all rows share is loaded once."""
        moves = bool(access.strides[1])
        index = self._index(access, m=_plus("m", row) if moves else "m")
        name = f"e{len(printer.lines)}" if moves else f"e{count}_all"
        if not access.strides[2]:
            line = f"const float {name} = {access.buffer}[{index}];"
            printer.lines.append(line)
            return Value(name, "scalar")
        printer.declare(
            name, self.vectors.load(access.buffer, index, access.strides[2])
        )
        return Value(name, "vector")


def _plus(index: str, more: int) -> str:
    return f"({index} + {more})" if more else index
