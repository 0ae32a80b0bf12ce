"""Packing and unpacking of panels: matrices that are turned, or rows of lanes.

Element i of an axis is lane i % tile of panel i // tile. Behind the axis there is
either nothing, so that lanes are neighbours on both sides, or they are a matrix.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

from xdsl.ir import SSAValue

from mbc.codegen.families.move_rows import Loop, Span, Tree
from mbc.codegen.families.movements import (
    Movement,
    Ragged,
    Rows,
    Transposition,
    copied,
)
from mbc.codegen.loops import Access, Nest, collapse, row_major
from mbc.ir.ops.pack import PackOp
from mbc.ir.ops.unpack import UnpackOp
from mbc.ir.types import element_of, shape_of

Names = Mapping[SSAValue, str]


@dataclass(frozen=True)
class _Panels:
    """`before` x `size` x `behind` elements on one side, in panels on the other."""

    before: int
    size: int
    behind: int
    tile: int
    source: Access
    result: Access
    """Without strides."""

    @property
    def full(self) -> int:
        return self.size // self.tile

    @property
    def rest(self) -> int:
        return self.size % self.tile

    def at(self, side: Access, strides: tuple[int, ...], offset: int = 0) -> Access:
        return Access(side.buffer, side.dtype, offset, strides)

    def nest(self, extents: tuple[int, ...], read: tuple[int, ...]) -> Nest:
        accesses = self.at(self.source, read), self.at(self.result, row_major(extents))
        return Nest(extents, ("parallel",) * 4, accesses[:1], accesses[1:])


def packed(op: PackOp, names: Names) -> Movement | None:
    p = _panels(op, names, shape_of(op.input), op.int_of("tile"))
    panels = -(-p.size // p.tile)
    if p.rest and p.behind == 1:
        return Rows(_packed_rows(p))
    extents = (panels, p.before, p.behind, p.tile)
    read = (p.tile * p.behind, p.size * p.behind, 1, p.behind)
    nest = p.nest(extents, read)
    if not p.rest:
        return copied(collapse(nest))
    return Transposition(nest, 2, Ragged(0, p.size, packs=True))


def unpacked(op: UnpackOp, names: Names) -> Movement | None:
    p = _panels(op, names, shape_of(op.result), shape_of(op.input)[-1])
    panels = -(-p.size // p.tile)
    if p.rest and p.behind == 1:
        return Rows(_unpacked_rows(p))
    extents = (p.before, panels, p.tile, p.behind)
    row = p.behind * p.tile
    nest = p.nest(extents, (row, p.before * row, 1, p.tile))
    if not p.rest:
        return copied(collapse(nest))
    write = (p.size * p.behind, row, p.behind, 1)
    ragged = Nest(extents, nest.kinds, nest.inputs, (p.at(p.result, write),))
    return Transposition(ragged, 2, Ragged(1, p.size, packs=False))


def _panels(
    op: PackOp | UnpackOp, names: Names, shape: tuple[int, ...], tile: int
) -> _Panels:
    axis, dtype = op.int_of("axis"), str(element_of(op.input))
    return _Panels(
        math.prod(shape[:axis]),
        shape[axis],
        math.prod(shape[axis + 1 :]),
        tile,
        Access(names[op.input], dtype, 0, ()),
        Access(names[op.result], dtype, 0, ()),
    )


def _packed_rows(p: _Panels) -> Tree:
    """Rows of full panels, then what is left of every row, and zeros."""
    panel, tail = p.before * p.tile, p.full * p.before * p.tile
    found: list[Loop | Span] = []
    if p.full:
        write = p.at(p.result, (panel, p.tile, 1))
        span = Span(p.tile, write, p.at(p.source, (p.tile, p.size, 1)))
        found.append(Loop(p.full, (Loop(p.before, (span,)),)))
    write = p.at(p.result, (p.tile, 1), tail)
    read = p.at(p.source, (p.size, 1), p.full * p.tile)
    zeros = p.at(p.result, (p.tile, 1), tail + p.rest)
    last = Span(p.rest, write, read), Span(p.tile - p.rest, zeros, None)
    return (*found, Loop(p.before, last))


def _unpacked_rows(p: _Panels) -> Tree:
    panel, tail = p.before * p.tile, p.full * p.before * p.tile
    found: list[Loop | Span] = []
    if p.full:
        write = p.at(p.result, (p.size, p.tile, 1))
        span = Span(p.tile, write, p.at(p.source, (p.tile, panel, 1)))
        found.append(Loop(p.full, (span,)))
    write = p.at(p.result, (p.size, 1), p.full * p.tile)
    found.append(Span(p.rest, write, p.at(p.source, (p.tile, 1), tail)))
    return (Loop(p.before, tuple(found)),)
