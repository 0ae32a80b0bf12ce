"""What a kernel moves where: rows, a matrix turned, rows picked, rows scattered."""

from __future__ import annotations

from dataclasses import dataclass

from mbc.codegen.families.move_rows import Tree, tree_of_nest
from mbc.codegen.loops import Nest

MOST_FIELDS = 8


@dataclass(frozen=True)
class Rows:
    """Spans of neighbours; `fill` is the value of those that have no source."""

    tree: Tree
    fill: float = 0.0


@dataclass(frozen=True)
class Ragged:
    """Of the lanes of all panels together only `size` hold elements: the last of the
    panels that loop `panel` counts has fewer. Lanes are the rows of a matrix that is
    packed, whose others are zeros, or the columns of one that is unpacked."""

    panel: int
    size: int
    packs: bool


@dataclass(frozen=True)
class Transposition:
    """A copy whose source is contiguous along loop `column`, its result along the
    last: a matrix is transposed for every point of the other loops."""

    nest: Nest
    column: int
    ragged: Ragged | None = None

    @property
    def rows(self) -> int:
        return self.nest.extents[-1]

    @property
    def columns(self) -> int:
        return self.nest.extents[self.column]

    def reads_aligned(self, count: int) -> bool:
        """Whether groups of `count` columns start at multiples of `count` elements."""
        (read,) = self.nest.inputs
        others = [s for d, s in enumerate(read.strides) if d != self.column]
        return not any(number % count for number in (read.offset, *others))

    @property
    def fields(self) -> int:
        """2 to 8 where that many neighbours are split into rows, or joined from them:
        what segment loads and stores do. Else 0."""
        if self.ragged is not None:
            return 0
        (read,), (write,) = self.nest.inputs, self.nest.outputs
        if self.columns == read.strides[-1] and 2 <= self.columns <= MOST_FIELDS:
            return self.columns
        if self.rows == write.strides[self.column] and 2 <= self.rows <= MOST_FIELDS:
            return self.rows
        return 0


@dataclass(frozen=True)
class Picks:
    """result[o, p, :] = source[o, indices[p], :], with `inner` elements in a row."""

    outer: int
    picked: int
    extent: int
    inner: int
    index_dtype: str


@dataclass(frozen=True)
class Scatter:
    """r0 = a0, then r0[o, a1[p], :] takes a2[o, p, :] for every p in order; updates
    whose index is outside are dropped."""

    kind: str
    outer: int
    picked: int
    extent: int
    inner: int
    index_dtype: str


Movement = Rows | Transposition | Picks | Scatter


def copied(nest: Nest) -> Movement | None:
    """A copy by its strides; a broadcast along the last loop is left to others."""
    if not nest.extents:
        return Rows(tree_of_nest(nest))
    strides = nest.inputs[0].strides
    if strides[-1] == 0:
        return None
    if strides[-1] != 1 and 1 in strides:
        return Transposition(nest, strides.index(1))
    return Rows(tree_of_nest(nest))
