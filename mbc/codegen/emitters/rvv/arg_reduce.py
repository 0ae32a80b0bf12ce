"""arg_reduce on RVV: every lane carries its best element and where it was met.

`vfmax` and comparisons drop NaN, which beats every number; so a sum notes whether lanes
may have met one. Then a row is searched for it, and columns are walked again by a step
that keeps it.
"""

from __future__ import annotations

from dataclasses import replace

from mbc.codegen.emitters.rvv import folds
from mbc.codegen.emitters.rvv.frame import Frame
from mbc.codegen.emitters.rvv.knobs import number
from mbc.codegen.emitters.rvv.values import Value, Vectors
from mbc.codegen.emitters.rvv.vector_body import VectorPrinter
from mbc.codegen.families import Match, Schedule
from mbc.codegen.families.arg_reduce import ArgReduceMatch
from mbc.codegen.loops import Access, index_text
from mbc.codegen.program import KernelCode
from mbc.codegen.targets import Target

BEYOND = {"max": "vmfgt", "min": "vmflt"}
"""Whether an element is better than the best so far; the first of equals stays."""


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
        self.headers: set[str] = set()

    def code(self) -> KernelCode:
        match, names = self.match, [name for name, _ in self.frame.constants]
        joined = "" if not self.is_rows else self._joined()
        return self.frame.code(
            "rvv/arg_reduce.c.j2",
            self.headers,
            rows=self.is_rows,
            outer=names[0],
            reduced=names[1],
            inner=names[-1],
            vectors=self.vectors,
            start=folds.STARTS[match.kind],
            where=match.where,
            value=match.value,
            uniforms=self._uniforms() if self.is_rows else [],
            element=self._declared(),
            step=self._step(),
            careful=self._careful(),
            joined=joined,
        )

    def _joined(self) -> str:
        whole = replace(self.vectors, length="vlmax")
        return folds.join(f"{self.match.kind}num", "best", whole, self.headers)

    def _uniforms(self) -> list[str]:
        """Declarations of what is the same along a row."""
        return [
            f"const float x{j} = {access.buffer}[{self._index(access, '0')}];"
            for j, access in enumerate(self.match.inputs)
            if not access.strides[1]
        ]

    def _declared(self) -> list[str]:
        """Declares `x`, the elements of a strip."""
        printer = self._printer()
        value = self.vectors.as_vector(self._element(printer))
        return [*printer.lines, f"const {self.vectors.type} x = {value};"]

    def _step(self) -> list[str]:
        """The lanes where an element is better take it and its index."""
        beyond = self.vectors.call(BEYOND[self.match.kind], "x", "best").text
        return [
            f"sum = {self._kept('vfadd', 'sum', 'sum', 'x')};",
            f"const {self.vectors.mask} take = {beyond};",
            *self._taken(),
        ]

    def _careful(self) -> list[str]:
        """As `_step`, but a NaN is taken by lanes that hold a number."""
        call = self.vectors.call
        beyond = call(BEYOND[self.match.kind], "x", "best").text
        nan = call("vmand", call("vmfne", "x", "x").text, "number").text
        return [
            f"const {self.vectors.mask} number = {call('vmfeq', 'best', 'best').text};",
            f"const {self.vectors.mask} take = {call('vmor', beyond, nan).text};",
            *self._taken(),
        ]

    def _taken(self) -> list[str]:
        return [
            f"best = {self._kept('vmerge', 'best', 'best', 'x', 'take')};",
            f"where = {self._kept('vmerge', 'where', 'where', 'r', 'take')};",
        ]

    def _kept(self, name: str, into: str, *operands: str) -> str:
        """Strips of a row differ in length: lanes behind it keep what they have."""
        if not self.is_rows:
            return self.vectors.call(name, *operands).text
        return self.vectors.call(f"{name}_tu", into, *operands).text

    def _printer(self) -> VectorPrinter:
        return VectorPrinter(self.target, self.vectors, headers=self.headers)

    def _element(self, printer: VectorPrinter) -> Value:
        """What is compared, from the kernel's operands."""
        values = [
            self._load(printer, j, access) for j, access in enumerate(self.match.inputs)
        ]
        if self.match.prologue is None:
            return values[0]
        block = self.match.prologue.body.block
        unused = [Value("0.0f", "scalar")] * (len(block.args) - len(values))
        return printer.body(block, [*values, *unused])[0]

    def _load(self, printer: VectorPrinter, number: int, access: Access) -> Value:
        stride, name = access.strides[1 if self.is_rows else 2], f"x{number}"
        if self.is_rows and not stride:
            return Value(name, "scalar")
        place = self._index(access, "r" if self.is_rows else "i")
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
