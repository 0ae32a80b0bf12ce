"""Loop nests with linear accesses: the form that every family reasons in.

A `linalg.generic` over dense row-major buffers reads and writes element
`offset + sum(stride[d] * i[d])`. Loops that no access tells apart are collapsed, so
that a broadcast add over (8, 16, 32) with a bias of 32 becomes two loops, and a plain
elementwise chain becomes one.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from xdsl.dialects.linalg import ops as linalg
from xdsl.ir import SSAValue
from xdsl.ir.affine import AffineExpr, AffineMap

from mbc.ir.build import common_groups
from mbc.ir.structured import iterators_of, loop_extents, maps_of
from mbc.ir.types import element_of, shape_of


@dataclass(frozen=True)
class Access:
    """Which element of a buffer an iteration touches."""

    buffer: str
    """Name of the buffer in emitted text: a0, r0, s0 ..."""
    dtype: str
    offset: int
    strides: tuple[int, ...]
    """Elements per step of each loop; 0 where the loop does not move it."""


@dataclass(frozen=True)
class Nest:
    """Loops from outermost to innermost, and what each iteration touches."""

    extents: tuple[int, ...]
    kinds: tuple[str, ...]
    """"parallel" or "reduction" per loop."""
    inputs: tuple[Access, ...]
    outputs: tuple[Access, ...]

    @property
    def accesses(self) -> tuple[Access, ...]:
        return (*self.inputs, *self.outputs)

    def points(self) -> int:
        return math.prod(self.extents)


def row_major(shape: Sequence[int]) -> tuple[int, ...]:
    """Element strides of a dense row-major array."""
    return tuple(math.prod(shape[i + 1 :]) for i in range(len(shape)))


def linear(expr: AffineExpr, loops: int) -> tuple[int, tuple[int, ...]]:
    """Constant and coefficients of an affine expression without div and mod."""
    zero = [0] * loops
    constant = int(expr.eval(zero, []))
    unit = [[int(i == d) for i in range(loops)] for d in range(loops)]
    return constant, tuple(int(expr.eval(u, [])) - constant for u in unit)


def access(map: AffineMap, shape: Sequence[int], buffer: str, dtype: str) -> Access:
    """The linear access of a map into a dense array of `shape`."""
    offset, strides = 0, [0] * map.num_dims
    for expr, weight in zip(map.results, row_major(shape), strict=True):
        constant, coefficients = linear(expr, map.num_dims)
        offset += constant * weight
        for loop, coefficient in enumerate(coefficients):
            strides[loop] += coefficient * weight
    return Access(buffer, dtype, offset, tuple(strides))


def reshaped_strides(
    strides: Sequence[int], before: Sequence[int], after: Sequence[int]
) -> tuple[int, ...] | None:
    """The same accesses over loops of `after`, whose points come in the same order.

    None where loops of `before` that do not merge would have to.
    """
    if 0 in before:
        return None
    found = [0] * len(after)
    for mine, theirs in common_groups(before, after):
        moving = [d for d in mine if before[d] != 1]
        steps = [strides[d] for d in moving]
        merges = all(
            outer == inner * before[d]
            for outer, inner, d in zip(steps, steps[1:], moving[1:])
        )
        if not merges:
            return None
        step = steps[-1] if steps else 0
        for d in reversed(theirs):
            found[d] = step
            step *= after[d]
    return tuple(found)


def nest_of(op: linalg.GenericOp, names: Mapping[SSAValue, str]) -> Nest:
    """The loop nest of a generic; `names` gives each value its buffer."""
    maps, inputs = maps_of(op), len(op.inputs)
    rows = [
        access(map, shape_of(value), names[value], str(element_of(value)))
        for map, value in zip(maps[:inputs], op.inputs, strict=True)
    ]
    written = [
        access(map, shape_of(value), names[value], str(element_of(value)))
        for map, value in zip(maps[inputs:], op.results, strict=True)
    ]
    return Nest(loop_extents(op), tuple(iterators_of(op)), tuple(rows), tuple(written))


def drop_unit_loops(nest: Nest) -> Nest:
    """Without loops of extent 1, whose index is always 0."""
    kept = [d for d, extent in enumerate(nest.extents) if extent != 1]
    return _select(nest, kept)


def _select(nest: Nest, kept: Sequence[int]) -> Nest:
    def narrowed(access: Access) -> Access:
        return replace(access, strides=tuple(access.strides[d] for d in kept))

    return Nest(
        tuple(nest.extents[d] for d in kept),
        tuple(nest.kinds[d] for d in kept),
        tuple(narrowed(a) for a in nest.inputs),
        tuple(narrowed(a) for a in nest.outputs),
    )


def collapse(nest: Nest) -> Nest:
    """Merge neighbouring loops wherever every access allows it."""
    nest = drop_unit_loops(nest)
    loop = 0
    while loop + 1 < len(nest.extents):
        if not _mergeable(nest, loop):
            loop += 1
            continue
        nest = _merge(nest, loop)
    return nest


def _mergeable(nest: Nest, outer: int) -> bool:
    inner = outer + 1
    if nest.kinds[outer] != nest.kinds[inner]:
        return False
    extent = nest.extents[inner]
    return all(a.strides[outer] == a.strides[inner] * extent for a in nest.accesses)


def _merge(nest: Nest, outer: int) -> Nest:
    extents = list(nest.extents)
    extents[outer : outer + 2] = [extents[outer] * extents[outer + 1]]
    kinds = list(nest.kinds)
    del kinds[outer]

    def merged(access: Access) -> Access:
        strides = list(access.strides)
        del strides[outer]
        return replace(access, strides=tuple(strides))

    return Nest(
        tuple(extents),
        tuple(kinds),
        tuple(merged(a) for a in nest.inputs),
        tuple(merged(a) for a in nest.outputs),
    )


def index_text(
    access: Access, indices: Sequence[str], extents: Sequence[tuple[str, int]]
) -> str:
    """`i0 * N1 + i1`: the element index in C, with strides as named extents.

    `extents` are (name, value) of the loops; a stride that is no product of trailing
    extents is a literal.
    """
    terms = [
        _term(index, stride, loop, extents)
        for loop, (index, stride) in enumerate(
            zip(indices, access.strides, strict=True)
        )
        if stride != 0
    ]
    if access.offset or not terms:
        terms.append(str(access.offset))
    return " + ".join(terms)


def _term(
    index: str, stride: int, loop: int, extents: Sequence[tuple[str, int]]
) -> str:
    if stride == 1:
        return index
    for start in range(loop + 1, len(extents)):
        trailing = extents[start:]
        if math.prod(value for _, value in trailing) == stride:
            return f"{index} * {' * '.join(name for name, _ in trailing)}"
    return f"{index} * {stride}" if stride > 0 else f"{index} * ({stride})"
