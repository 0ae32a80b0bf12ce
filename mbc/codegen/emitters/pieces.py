"""Moves of rows on SIMT targets: the spans of a tree, each with work items of its own.

One launch covers all pieces: item numbers run through them one after the other.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from mbc.codegen.emitters.moves import loop_names, loop_text
from mbc.codegen.families.move_rows import Piece, Tree, pieces


@dataclass(frozen=True)
class PieceText:
    """What an item of a piece does: up to `chunk` elements of a span of `count`."""

    items: int
    indices: tuple[tuple[str, str], ...]
    """Names and values of the indices, from the number `item`; the last one is `x`,
    where the chunk starts, if there are several in the span."""
    count: int
    chunk: int
    start: str
    """Element of the result where the span starts."""
    source: str
    """The buffer that is read, or empty where the span is filled."""
    read_start: str
    step: int

    @property
    def has_tail(self) -> bool:
        return self.count % self.chunk != 0

    @property
    def x(self) -> str:
        return "x" if self.count > self.chunk else ""

    def to(self, lane: str = "") -> str:
        """Index of the element that is written, or of lane `lane` from there."""
        return element_at(self.start, [self.x, lane], 1)

    def read(self, lane: str = "") -> str:
        return element_at(self.read_start, [self.x, lane], self.step)


def element_at(start: str, places: Sequence[str], step: int) -> str:
    """`i0 * 8 + x + e`, or further apart `i0 * 8 - (x + e) * 3`."""
    names = [name for name in places if name]
    if not names or not step:
        return start
    count = " + ".join(names)
    if abs(step) != 1 or (step < 0 and len(names) > 1):
        count = f"({count})" if len(names) > 1 else count
        count = count if abs(step) == 1 else f"{count} * {abs(step)}"
    if step < 0:
        return f"{start} - {count}"
    return count if start == "0" else f"{start} + {count}"


def piece_texts(tree: Tree, chunk: int) -> list[PieceText]:
    return [_text(piece, min(chunk, piece.span.count)) for piece in pieces(tree)]


def total(texts: list[PieceText]) -> int:
    return sum(text.items for text in texts)


def _text(piece: Piece, chunk: int) -> PieceText:
    span, loops = piece.span, piece.loops
    chunks = -(-span.count // chunk)
    read, step = "0", 1
    if span.read is not None:
        read, step = loop_text(span.read, len(loops)), span.read.strides[-1]
    return PieceText(
        math.prod(loops) * chunks,
        tuple(_indices(loops, chunks, chunk)),
        span.count,
        chunk,
        loop_text(span.write, len(loops)),
        "" if span.read is None else span.read.buffer,
        read,
        step,
    )


def _indices(loops: tuple[int, ...], chunks: int, chunk: int) -> list[tuple[str, str]]:
    """`i0 = item / 15`, `i1 = item / 3 % 5`, `x = item % 3 * 16`."""
    scale = f" * {chunk}" if chunk > 1 else ""
    row = f"item % {chunks}" if loops else "item"
    found = [("x", f"{row}{scale}")] if chunks > 1 else []
    below = chunks
    names = loop_names(len(loops))
    for name, extent in reversed(list(zip(names, loops, strict=True))):
        text = "item" if below == 1 else f"item / {below}"
        found.insert(0, (name, text if name == names[0] else f"{text} % {extent}"))
        below *= extent
    return found
