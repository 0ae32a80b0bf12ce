"""Several reductions over one axis and the elementwise work between them, as passes.

    softmax over rows of x:
      pass 0   reduce m = max(x)
      pass 1   row e = exp(x - m)            kept
               reduce s = sum(e)             then scalar i = 1 / s
      pass 2   row y = e * i                 stored to r0

A pass walks one row once. A row value that a later pass needs is computed again
there, unless it is expensive: then it is kept, in the output that it ends in where
that is possible, else in scratch.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from xdsl.dialects.linalg import ops as linalg

from mbc.codegen.loops import Access, row_major
from mbc.ir.ops.reduce import ReduceOp

EXPENSIVE = frozenset(
    f"math.{name}"
    for name in ("exp", "expm1", "log", "log1p", "tanh", "erf", "powf", "sin", "cos")
)


@dataclass(frozen=True)
class Statement:
    """One op of the program.

    `kind`: "row" computes a value per element, "scalar" one per row, "reduce" folds a
    row value into a scalar. `inputs` are accesses to arguments, or names of values
    that earlier statements made (v0, v1, ...).
    """

    kind: str
    op: linalg.GenericOp | ReduceOp
    inputs: tuple[Access | str, ...]
    result: str
    phase: int
    """The pass in which the value is first available inside the walk."""


@dataclass(frozen=True)
class Store:
    """Writes value `name` to an output: per element, or once per row."""

    name: str
    access: Access
    kind: str


@dataclass(frozen=True)
class Pass:
    """`first`, values per row that no reduction feeds; `rows` in order, recomputed
    ones included; then `reduces`; then `scalars`."""

    first: tuple[Statement, ...]
    rows: tuple[Statement, ...]
    reduces: tuple[Statement, ...]
    scalars: tuple[Statement, ...]
    stores: tuple[Store, ...]
    keeps: tuple[str, ...]
    """Row values written to their keeping place in this pass."""
    loads: tuple[str, ...]
    """Kept row values read back in this pass."""


@dataclass(frozen=True)
class RowProgram:
    """`rows` are the collapsed outer loops, `length` the extent of the row.

    Accesses have strides over (rows..., length). A row of several `segments`, where
    some operand has one element for each (a scale per channel), has their loop in
    front of the last one, which still counts the whole row: an access moves along
    one of the two.
    """

    rows: tuple[int, ...]
    length: int
    passes: tuple[Pass, ...]
    kept: dict[str, str] = field(hash=False)
    """Where each kept value lives: an output buffer (r0) or scratch (s0, s1, ...)."""
    segments: int = 1

    @property
    def extents(self) -> tuple[int, ...]:
        """Of all loops; the last one is the part of the row that is a segment."""
        if self.segments == 1:
            return (*self.rows, self.length)
        return (*self.rows, self.segments, self.length // self.segments)

    def by_segment(self, access: Access) -> bool:
        return self.segments > 1 and access.strides[-2] != 0

    def in_segments(self, step: Pass) -> bool:
        """Whether a pass reads what is the same along a segment only."""
        inputs = (i for s in step.rows for i in s.inputs)
        return any(self.by_segment(i) for i in inputs if isinstance(i, Access))

    def whole_rows(self, buffer: str) -> Access:
        """Element by element through a buffer that holds all rows."""
        strides = row_major((*self.rows, self.length))
        if self.segments > 1:
            strides = (*strides[:-1], 0, 1)
        return Access(buffer, "f32", 0, strides)


def lay_out(
    statements: Sequence[Statement], stores: Sequence[Store]
) -> tuple[tuple[Pass, ...], dict[str, str]]:
    """The passes, and where each kept value lives."""
    made = {s.result: s for s in statements}
    last = max(s.phase + (s.kind == "reduce") for s in statements)
    kept = _kept(statements, stores, made)
    passes: list[Pass] = []
    for phase in range(last + 1):
        reduces = [s for s in statements if s.kind == "reduce" and s.phase == phase]
        here = [s for s in stores if s.kind == "row" and made[s.name].phase == phase]
        per_row = [
            s
            for s in stores
            if s.kind == "scalar" and max(1, _ready(made[s.name])) == phase + 1
        ]
        keeps = [name for name in kept if made[name].phase == phase]
        roots = [i for s in reduces for i in s.inputs if isinstance(i, str)]
        needed, loads = _closure(
            [*roots, *(s.name for s in here), *keeps], made, kept, phase
        )
        scalar = [s for s in statements if s.kind == "scalar"]
        scalars = [s for s in scalar if s.phase == phase + 1]
        passes.append(
            Pass(
                tuple(s for s in scalar if s.phase == phase == 0),
                tuple(s for s in statements if s.result in needed),
                tuple(reduces),
                tuple(scalars),
                (*here, *per_row),
                tuple(keeps),
                tuple(sorted(loads)),
            )
        )
    while passes and not _does_something(passes[-1]):
        passes.pop()
    return tuple(passes), kept


def _ready(statement: Statement) -> int:
    return statement.phase + (statement.kind == "reduce")


def _does_something(step: Pass) -> bool:
    return bool(step.first or step.rows or step.reduces or step.scalars or step.stores)


def _closure(
    roots: Sequence[str], made: dict[str, Statement], kept: dict[str, str], phase: int
) -> tuple[set[str], set[str]]:
    """Row statements to run in a pass, and kept values to read instead."""
    needed: set[str] = set()
    loads: set[str] = set()
    pending = list(roots)
    while pending:
        name = pending.pop()
        statement = made[name]
        if statement.kind != "row" or name in needed:
            continue
        if name in kept and statement.phase < phase:
            loads.add(name)
            continue
        needed.add(name)
        pending += [i for i in statement.inputs if isinstance(i, str)]
    return needed, loads


def _kept(
    statements: Sequence[Statement], stores: Sequence[Store], made: dict[str, Statement]
) -> dict[str, str]:
    """Expensive row values that a later pass reads, and where they live."""
    later = {
        name
        for s in statements
        for name in s.inputs
        if isinstance(name, str)
        and made[name].kind == "row"
        and s.phase > made[name].phase
    }
    wanted = [s.result for s in statements if s.result in later and is_expensive(s)]
    homes = [
        s.access.buffer
        for s in stores
        if s.kind == "row"
        and all(made[s.name].phase > made[w].phase for w in wanted)
        and s.name not in wanted
        and s.access.dtype == "f32"
    ]
    places = [*homes[:1], *(f"s{i}" for i in range(len(wanted)))]
    return dict(zip(wanted, places))


def is_expensive(statement: Statement) -> bool:
    """Worth keeping, rather than computing again."""
    op = statement.op
    if not isinstance(op, linalg.GenericOp):
        return False
    return any(nested.name in EXPENSIVE for nested in op.body.block.ops)
