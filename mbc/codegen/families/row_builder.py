"""Reads a kernel's body as a row program: reductions and what stands between them.

Statements may have other shapes of the same elements, as behind a reshape: group norm
reduces (batch, group, channel, ...), and a map behind it sees (batch, channels, ...).
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace

from xdsl.dialects.linalg import ops as linalg
from xdsl.dialects.tensor import CollapseShapeOp, EmptyOp, ExpandShapeOp
from xdsl.ir import Operation, SSAValue
from xdsl.ir.affine import AffineMap

from mbc.codegen.families.body import buffer_names
from mbc.codegen.families.row_program import RowProgram, Statement, Store, lay_out
from mbc.codegen.loops import (
    Access,
    Nest,
    access,
    collapse,
    reshaped_strides,
    row_major,
)
from mbc.ir.kernel import KernelOp
from mbc.ir.ops.reduce import ReduceOp
from mbc.ir.structured import is_elementwise, is_projection, maps_of
from mbc.ir.types import element_of, shape_of


@dataclass
class _Builder:
    kernel: KernelOp
    shape: tuple[int, ...]
    outer: int
    """Number of leading axes that count rows; the others make up a row."""
    buffers: dict[SSAValue, str]
    names: dict[SSAValue, str] = field(default_factory=dict[SSAValue, str])
    phases: dict[str, int] = field(default_factory=dict[str, int])
    kinds: dict[str, str] = field(default_factory=dict[str, str])
    statements: list[Statement] = field(default_factory=list[Statement])

    def strides(self, kind: str) -> tuple[int, ...]:
        """Of a dense buffer with one element per point ("row") or row ("scalar")."""
        if kind == "row":
            return row_major(self.shape)
        rest = len(self.shape) - self.outer
        return (*row_major(self.shape[: self.outer]), *(0,) * rest)


def row_program(kernel: KernelOp) -> RowProgram | None:
    """The program of a kernel whose named ops, reductions apart, are decomposed.

    None where the body has another form: reductions over different axes, values of
    other shapes, or accesses that are no plain projections.
    """
    reduces = [op for op in kernel.ops() if isinstance(op, ReduceOp)]
    if not reduces:
        return None
    shape, axes = shape_of(reduces[0].input), reduces[0].ints_of("axes")
    outer = len(shape) - len(axes)
    trailing = tuple(range(outer, len(shape)))
    same = all(
        shape_of(r.input) == shape and tuple(sorted(r.ints_of("axes"))) == trailing
        for r in reduces
    )
    if not same or 0 in shape:
        return None
    builder = _Builder(kernel, shape, outer, buffer_names(kernel))
    if not all(_add(builder, op) for op in kernel.ops()):
        return None
    stores = _stores(builder)
    return None if stores is None else _assemble(builder, stores)


def _add(builder: _Builder, op: Operation) -> bool:
    """Append the statement of one op; False where it does not fit a row program."""
    if isinstance(op, EmptyOp):
        return True
    if isinstance(op, CollapseShapeOp | ExpandShapeOp):
        return _add_view(builder, op.operands[0], op.results[0])
    if isinstance(op, ReduceOp):
        return _add_reduce(builder, op)
    if isinstance(op, linalg.GenericOp) and is_elementwise(op) and len(op.results) == 1:
        return _add_generic(builder, op)
    return False


def _add_view(builder: _Builder, source: SSAValue, result: SSAValue) -> bool:
    """The same elements in the same order, whatever the shape is."""
    for known in (builder.names, builder.buffers):
        if source in known:
            known[result] = known[source]
            return True
    return False


def _add_reduce(builder: _Builder, op: ReduceOp) -> bool:
    value, phase = op.input, 0
    if value in builder.names:
        source: Access | str = builder.names[value]
        if builder.kinds[source] != "row":
            return False
        phase = builder.phases[source]
    elif value in builder.buffers:
        element = str(element_of(value))
        source = Access(builder.buffers[value], element, 0, builder.strides("row"))
    else:
        return False
    _append(builder, op, "reduce", (source,), phase)
    name = builder.names[op.result]
    builder.phases[name], builder.kinds[name] = phase + 1, "scalar"
    return True


def _add_generic(builder: _Builder, op: linalg.GenericOp) -> bool:
    shape = shape_of(op.results[0])
    kind = _kind(builder, shape)
    if not kind:
        return False
    inputs: list[Access | str] = []
    for value, map in zip(op.inputs, maps_of(op), strict=False):
        read = _read(builder, value, map, kind, shape)
        if read is None:
            return False
        inputs.append(read)
    phase = max((builder.phases[i] for i in inputs if isinstance(i, str)), default=0)
    _append(builder, op, kind, tuple(inputs), phase)
    return True


def _kind(builder: _Builder, shape: tuple[int, ...]) -> str:
    """ "row" for one value per element, "scalar" for one value per row."""
    if shape == builder.shape:
        return "row"
    rows, ones = builder.shape[: builder.outer], len(builder.shape) - builder.outer
    if shape in (rows, (*rows, *(1,) * ones)):
        return "scalar"
    return "row" if math.prod(shape) == math.prod(builder.shape) else ""


def _read(
    builder: _Builder,
    value: SSAValue,
    map: AffineMap,
    kind: str,
    shape: tuple[int, ...],
) -> Access | str | None:
    """An access with strides over the program's loops, or a value's name."""
    name = builder.names.get(value, "")
    if not is_projection(map) or not (name or value in builder.buffers):
        return None
    buffer = builder.buffers.get(value, "")
    read = access(map, shape_of(value), buffer, str(element_of(value)))
    strides = _over_loops(builder, read.strides, kind, shape)
    if strides is None:
        return None
    if not name:
        return replace(read, strides=strides)
    made = builder.kinds[name]
    in_place = _agree(strides, builder.strides(made), builder.shape)
    fits = made == kind or kind == "row"
    return name if fits and in_place and read.offset == 0 else None


def _over_loops(
    builder: _Builder, strides: tuple[int, ...], kind: str, shape: tuple[int, ...]
) -> tuple[int, ...] | None:
    if kind == "scalar":
        rest = len(builder.shape) - builder.outer
        return (*strides[: builder.outer], *(0,) * rest)
    return reshaped_strides(strides, shape, builder.shape)


def _agree(a: tuple[int, ...], b: tuple[int, ...], shape: tuple[int, ...]) -> bool:
    """Equal wherever a loop has more than one point."""
    return all(x == y or extent == 1 for x, y, extent in zip(a, b, shape, strict=True))


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


def _stores(builder: _Builder) -> list[Store] | None:
    stores: list[Store] = []
    for index, value in enumerate(builder.kernel.terminator.values):
        if value not in builder.names:
            return None
        name = builder.names[value]
        kind = "row" if builder.kinds[name] == "row" else "scalar"
        element = str(element_of(value))
        written = Access(f"r{index}", element, 0, builder.strides(kind))
        stores.append(Store(name, written, kind))
    return stores


def _assemble(builder: _Builder, stores: list[Store]) -> RowProgram | None:
    """Collapse the loops of all accesses together, then lay out the passes."""
    reads = [i for s in builder.statements for i in s.inputs if isinstance(i, Access)]
    rest = len(builder.shape) - builder.outer
    kinds = ("parallel",) * builder.outer + ("reduction",) * rest
    nest = Nest(builder.shape, kinds, tuple(reads), tuple(s.access for s in stores))
    packed = collapse(nest)
    rows = tuple(e for e, k in zip(packed.extents, packed.kinds) if k == "parallel")
    parts = packed.extents[len(rows) :]
    inputs = [_along_row(a, len(rows), parts) for a in packed.inputs]
    outputs = [_along_row(a, len(rows), parts) for a in packed.outputs]
    flat = iter([a for a in inputs if a is not None])
    if None in inputs or None in outputs:
        return None
    statements = [
        replace(
            s,
            inputs=tuple(next(flat) if isinstance(i, Access) else i for i in s.inputs),
        )
        for s in builder.statements
    ]
    written = [replace(s, access=a) for s, a in zip(stores, outputs, strict=True) if a]
    passes, kept = lay_out(statements, written)
    segments = parts[0] if len(parts) == 2 else 1
    return RowProgram(rows, math.prod(parts), passes, kept, segments)


def _along_row(access: Access, rows: int, parts: tuple[int, ...]) -> Access | None:
    """With strides over (rows..., row), or (rows..., segment, row) of two parts.

    None where an access moves along both, but not element by element.
    """
    strides = access.strides
    if len(parts) < 2:  # a row of length 1 lost its loop in the collapse
        return access if parts else replace(access, strides=(*strides, 0))
    if len(parts) > 2:
        return None
    segment, element = strides[rows:]
    if segment == element * parts[1]:
        return replace(access, strides=(*strides[:rows], 0, element))
    return access if element == 0 else None
