"""Moves of rows on SIMT targets: the spans of a tree, each with work items of its own.

One launch covers all pieces: item numbers run through them one after the other.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from mbc.codegen.emitters.moves import loop_names, loop_text
from mbc.codegen.families.move_rows import Piece, Tree, pieces


@dataclass(frozen=True)
class PieceText:
    """What an item of a piece does: `count` elements of a span from `x` on."""

    items: int
    indices: tuple[tuple[str, str], ...]
    """Names and values of the indices, from the number `item`."""
    count: int
    to: str
    source: str
    """The buffer that is read, or empty where the span is filled."""
    start: str
    step: int
    chunk: int


def piece_texts(tree: Tree, chunk: int) -> list[PieceText]:
    return [_text(piece, min(chunk, piece.span.count)) for piece in pieces(tree)]


def total(texts: list[PieceText]) -> int:
    return sum(text.items for text in texts)


def _text(piece: Piece, chunk: int) -> PieceText:
    span, loops = piece.span, piece.loops
    chunks = -(-span.count // chunk)
    to = _plus(loop_text(span.write, len(loops)))
    read, step = "", 1
    if span.read is not None:
        read, step = _plus(loop_text(span.read, len(loops))), span.read.strides[-1]
    return PieceText(
        math.prod(loops) * chunks,
        tuple(_indices(loops, chunks, chunk)),
        span.count,
        to,
        "" if span.read is None else span.read.buffer,
        read,
        step,
        chunk,
    )


def _plus(index: str) -> str:
    return "" if index == "0" else f"{index} + "


def _indices(loops: tuple[int, ...], chunks: int, chunk: int) -> list[tuple[str, str]]:
    """`x = item % 3 * 16`, `i1 = item / 3 % 5`, `i0 = item / 15`."""
    scale = f" * {chunk}" if chunk > 1 else ""
    row = f"item % {chunks}" if loops and chunks > 1 else "item"
    found = [("x", "0" if chunks == 1 else f"{row}{scale}")]
    below = chunks
    names = loop_names(len(loops))
    for name, extent in reversed(list(zip(names, loops, strict=True))):
        text = "item" if below == 1 else f"item / {below}"
        found.append((name, text if name == names[0] else f"{text} % {extent}"))
        below *= extent
    return found
