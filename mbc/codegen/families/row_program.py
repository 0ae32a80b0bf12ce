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
from dataclasses import dataclass, field, replace

from xdsl.dialects.linalg import ops as linalg
from xdsl.dialects.tensor import CollapseShapeOp, EmptyOp, ExpandShapeOp
from xdsl.ir import Operation, SSAValue

from mbc.codegen.families.body import buffer_names
from mbc.codegen.loops import Access, Nest, access, collapse, row_major
from mbc.ir.kernel import KernelOp
from mbc.ir.ops.reduce import ReduceOp
from mbc.ir.structured import is_elementwise, is_projection, maps_of
from mbc.ir.types import element_of, shape_of

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

    Accesses have strides over (rows..., length).
    """

    rows: tuple[int, ...]
    length: int
    passes: tuple[Pass, ...]
    kept: dict[str, str] = field(hash=False)
    """Where each kept value lives: an output buffer (r0) or scratch (s0, s1, ...)."""


@dataclass
class _Builder:
    kernel: KernelOp
    shape: tuple[int, ...]
    axes: int
    """Number of trailing axes that make up a row."""
    names: dict[SSAValue, str] = field(default_factory=dict[SSAValue, str])
    phases: dict[str, int] = field(default_factory=dict[str, int])
    kinds: dict[str, str] = field(default_factory=dict[str, str])
    statements: list[Statement] = field(default_factory=list[Statement])


def row_program(kernel: KernelOp) -> RowProgram | None:
    """The program of a kernel whose named ops, reductions apart, are decomposed.

    None where the body has another form: reductions over different axes, values of
    other shapes, or accesses that are no plain projections.
    """
    reduces = [op for op in kernel.ops() if isinstance(op, ReduceOp)]
    if not reduces:
        return None
    shape, axes = shape_of(reduces[0].input), reduces[0].ints_of("axes")
    trailing = tuple(range(len(shape) - len(axes), len(shape)))
    same = all(
        shape_of(r.input) == shape and tuple(sorted(r.ints_of("axes"))) == trailing
        for r in reduces
    )
    if not same or 0 in shape:
        return None
    builder = _Builder(kernel, shape, len(axes))
    buffers = buffer_names(kernel)
    for op in kernel.ops():
        if not _add(builder, op, buffers):
            return None
    stores = _stores(builder, buffers)
    return None if stores is None else _assemble(builder, stores)


def _add(builder: _Builder, op: Operation, buffers: dict[SSAValue, str]) -> bool:
    """Append the statement of one op; False where it does not fit a row program."""
    if isinstance(op, EmptyOp):
        return True
    if isinstance(op, CollapseShapeOp | ExpandShapeOp):
        source = builder.names.get(op.operands[0])
        if source is None or builder.kinds[source] != "scalar":
            return False
        builder.names[op.results[0]] = source
        return True
    if isinstance(op, ReduceOp):
        return _add_reduce(builder, op, buffers)
    if isinstance(op, linalg.GenericOp) and is_elementwise(op) and len(op.results) == 1:
        return _add_generic(builder, op, buffers)
    return False


def _add_reduce(builder: _Builder, op: ReduceOp, buffers: dict[SSAValue, str]) -> bool:
    value = op.input
    if value in builder.names:
        source: Access | str = builder.names[value]
        if builder.kinds[source] != "row":
            return False
        phase = builder.phases[source]
    else:
        strides = row_major(builder.shape)
        source = Access(buffers[value], str(element_of(value)), 0, strides)
        phase = 0
    _append(builder, op, "reduce", (source,), phase)
    name = builder.names[op.result]
    builder.phases[name], builder.kinds[name] = phase + 1, "scalar"
    return True


def _add_generic(
    builder: _Builder, op: linalg.GenericOp, buffers: dict[SSAValue, str]
) -> bool:
    shape = shape_of(op.results[0])
    kind = _kind(builder, shape)
    if not kind or not all(is_projection(map) for map in maps_of(op)):
        return False
    inputs: list[Access | str] = []
    for value, map in zip(op.inputs, maps_of(op), strict=False):
        if value in builder.names:
            name = builder.names[value]
            if kind == "scalar" and builder.kinds[name] == "row":
                return False
            inputs.append(name)
            continue
        if value not in buffers:
            return False
        read = access(map, shape_of(value), buffers[value], str(element_of(value)))
        inputs.append(_widened(builder, read, kind, len(shape)))
    phase = max((builder.phases[i] for i in inputs if isinstance(i, str)), default=0)
    _append(builder, op, kind, tuple(inputs), phase)
    return True


def _kind(builder: _Builder, shape: tuple[int, ...]) -> str:
    """ "row" for the full shape, "scalar" for one value per row."""
    if shape == builder.shape:
        return "row"
    outer = builder.shape[: len(builder.shape) - builder.axes]
    ones = (1,) * builder.axes
    return "scalar" if shape in (outer, (*outer, *ones)) else ""


def _widened(builder: _Builder, read: Access, kind: str, rank: int) -> Access:
    """A per-row access gets stride 0 along the row."""
    missing = len(builder.shape) - rank
    strides = (*read.strides, *(0,) * missing)
    if kind == "scalar":
        outer = len(builder.shape) - builder.axes
        strides = (*strides[:outer], *(0,) * builder.axes)
    return replace(read, strides=strides)


def _append(
    builder: _Builder,
    op: linalg.GenericOp | ReduceOp,
    kind: str,
    inputs: tuple[Access | str, ...],
    phase: int,
) -> None:
    name = f"v{len(builder.statements)}"
    builder.statements.append(Statement(kind, op, inputs, name, phase))
    builder.names[op.results[0]] = name
    builder.phases[name], builder.kinds[name] = phase, kind


def _stores(builder: _Builder, buffers: dict[SSAValue, str]) -> list[Store] | None:
    stores: list[Store] = []
    for index, value in enumerate(builder.kernel.terminator.values):
        if value not in builder.names:
            return None
        name = builder.names[value]
        strides = row_major(builder.shape)
        kind = "row" if builder.kinds[name] == "row" else "scalar"
        if kind == "scalar":
            outer = builder.shape[: len(builder.shape) - builder.axes]
            strides = (*row_major(outer), *(0,) * builder.axes)
        written = Access(f"r{index}", str(element_of(value)), 0, strides)
        stores.append(Store(name, written, kind))
    return stores


def _assemble(builder: _Builder, stores: list[Store]) -> RowProgram | None:
    """Collapse the loops of all accesses together, then lay out the passes."""
    reads = [i for s in builder.statements for i in s.inputs if isinstance(i, Access)]
    outer = len(builder.shape) - builder.axes
    kinds = ("parallel",) * outer + ("reduction",) * builder.axes
    nest = Nest(builder.shape, kinds, tuple(reads), tuple(s.access for s in stores))
    packed = collapse(nest)
    rows = tuple(e for e, k in zip(packed.extents, packed.kinds) if k == "parallel")
    length = packed.extents[len(rows) :]
    if len(length) > 1:
        return None
    full = len(rows) + 1
    flat = iter(_padded(a, full, bool(length)) for a in packed.inputs)
    statements = [
        replace(
            s,
            inputs=tuple(next(flat) if isinstance(i, Access) else i for i in s.inputs),
        )
        for s in builder.statements
    ]
    written = [
        replace(s, access=_padded(a, full, bool(length)))
        for s, a in zip(stores, packed.outputs, strict=True)
    ]
    return _passes(statements, written, rows, length[0] if length else 1)


def _padded(access: Access, loops: int, has_row: bool) -> Access:
    """Rows of length 1 lost their loop in the collapse; give it back."""
    return access if has_row else replace(access, strides=(*access.strides, 0))


def _passes(
    statements: list[Statement],
    stores: list[Store],
    rows: tuple[int, ...],
    length: int,
) -> RowProgram:
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
    return RowProgram(rows, length, tuple(passes), kept)


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
    statements: list[Statement], stores: list[Store], made: dict[str, Statement]
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
    wanted = [s.result for s in statements if s.result in later and _costly(s)]
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


def _costly(statement: Statement) -> bool:
    op = statement.op
    if not isinstance(op, linalg.GenericOp):
        return False
    return any(nested.name in EXPENSIVE for nested in op.body.block.ops)
