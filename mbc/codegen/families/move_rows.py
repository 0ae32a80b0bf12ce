"""Moves of whole rows: an output as spans of neighbouring elements, inside loops.

A padded, joined, sliced, flipped or broadcast array is the same per axis: segments
that are filled, or read from a source in some direction. Their product over the axes
is a tree of loops with spans as leaves.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from mbc.codegen.loops import Access, Nest


@dataclass(frozen=True)
class Span:
    """`count` neighbours of the result; `read` is None where they are filled.

    Strides are over the loops around the span, then along the span.
    """

    count: int
    write: Access
    read: Access | None


@dataclass(frozen=True)
class Loop:
    extent: int
    body: tuple[Loop | Span, ...]


Tree = tuple[Loop | Span, ...]


@dataclass(frozen=True)
class Segment:
    """`count` places of an axis, from place `start` of source number `source` on,
    each `step` places further; -1 stands for the fill."""

    count: int
    source: int = 0
    start: int = 0
    step: int = 1

    @property
    def is_fill(self) -> bool:
        return self.source < 0


FILL = -1


@dataclass(frozen=True)
class Axis:
    """The segments of an output axis in order, and its extent in every source."""

    segments: tuple[Segment, ...]
    extents: tuple[int, ...]

    @property
    def extent(self) -> int:
        return sum(segment.count for segment in self.segments)

    @property
    def is_whole(self) -> bool:
        """Every source is read from end to end."""
        return self.segments == (Segment(self.extent),) and all(
            extent == self.extent for extent in self.extents
        )

    @property
    def moves_blocks(self) -> bool:
        return all(s.is_fill or s.step == 1 or s.count == 1 for s in self.segments)


def whole_axis(extent: int, sources: int = 1) -> Axis:
    return Axis((Segment(extent),), (extent,) * sources)


def merged(axes: Sequence[Axis]) -> list[Axis]:
    """Whole axes become part of the one before them where that moves blocks."""
    found: list[Axis] = []
    for axis in axes:
        if found and axis.is_whole and found[-1].moves_blocks:
            found[-1] = _scaled(found[-1], axis.extent)
        else:
            found.append(axis)
    return found


def _scaled(axis: Axis, factor: int) -> Axis:
    segments = tuple(
        Segment(s.count * factor, s.source, s.start * factor, 1) for s in axis.segments
    )
    return Axis(segments, tuple(extent * factor for extent in axis.extents))


@dataclass(frozen=True)
class _Place:
    """Where a branch of the tree writes and reads."""

    write: Access
    read: Access | None
    source: int = 0

    def moved(self, write: int, read: int) -> _Place:
        to = replace(self.write, offset=self.write.offset + write)
        if self.read is None:
            return replace(self, write=to)
        source = replace(self.read, offset=self.read.offset + read)
        return replace(self, write=to, read=source)

    def inside(self, write: int, read: int) -> _Place:
        """With one more loop, which steps by so many elements."""
        to = replace(self.write, strides=(*self.write.strides, write))
        if self.read is None:
            return replace(self, write=to)
        source = replace(self.read, strides=(*self.read.strides, read))
        return replace(self, write=to, read=source)


@dataclass(frozen=True)
class TreeBuilder:
    axes: tuple[Axis, ...]
    sources: tuple[str, ...]
    result: str
    dtype: str

    def build(self) -> Tree:
        write = Access(self.result, self.dtype, 0, ())
        read = Access(self.sources[0], self.dtype, 0, ())
        return tuple(self._level(0, _Place(write, read)))

    def _level(self, level: int, place: _Place) -> Iterator[Loop | Span]:
        axis = self.axes[level]
        below = math.prod(other.extent for other in self.axes[level + 1 :])
        at = 0
        for segment in axis.segments:
            if segment.count:
                start = place.moved(at * below, 0)
                yield from self._segment(level, segment, start, below)
            at += segment.count

    def _segment(
        self, level: int, segment: Segment, place: _Place, below: int
    ) -> Iterator[Loop | Span]:
        if segment.is_fill:
            write = replace(place.write, strides=(*place.write.strides, 1))
            yield Span(segment.count * below, write, None)
            return
        if segment.source:
            assert place.read is not None
            read = replace(place.read, buffer=self.sources[segment.source])
            place = replace(place, read=self._restrided(level, read, segment.source))
            place = replace(place, source=segment.source)
        inner = self._extents_below(level, place.source)
        place = place.moved(0, segment.start * inner)
        if level + 1 == len(self.axes):
            span = place.inside(1, segment.step)
            yield Span(segment.count, span.write, span.read)
        elif segment.count == 1:
            yield from self._level(level + 1, place)
        else:
            looped = place.inside(below, segment.step * inner)
            yield Loop(segment.count, tuple(self._level(level + 1, looped)))

    def _extents_below(self, level: int, source: int) -> int:
        return math.prod(axis.extents[source] for axis in self.axes[level + 1 :])

    def _restrided(self, level: int, read: Access, source: int) -> Access:
        """The same loops over another source: only whole axes lie around a join."""
        around = [
            self._extents_below(outer, source)
            for outer, axis in enumerate(self.axes[:level])
            if axis.extent != 1
        ]
        return replace(read, strides=tuple(around))


def tree_of_nest(nest: Nest) -> Tree:
    """The loops of a copy whose last loop is the span."""
    extents = nest.extents or (1,)
    one = () if nest.extents else (1,)
    read, write = (
        replace(access, strides=(*access.strides, *one)) for access in nest.accesses
    )
    node: Loop | Span = Span(extents[-1], write, read)
    for extent in reversed(extents[:-1]):
        node = Loop(extent, (node,))
    return (node,)


@dataclass(frozen=True)
class Piece:
    """A span with the extents of the loops around it."""

    loops: tuple[int, ...]
    span: Span


def pieces(tree: Tree, around: tuple[int, ...] = ()) -> Iterator[Piece]:
    """The spans of a tree, each with its own loops."""
    for node in tree:
        if isinstance(node, Span):
            yield Piece(around, node)
        else:
            yield from pieces(node.body, (*around, node.extent))


def axes_of(shape: Sequence[int], sources: int = 1) -> list[Axis]:
    return [whole_axis(extent, sources) for extent in shape]
