"""One loop walked in vectors: the text of full strips and of the last, shorter one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from mbc.codegen.emitters.rvv.values import Vectors

Body = Callable[[int, str], list[str]]
"""The statements of strip number s at an index: `i1`, `(i1 + vl)`, ..."""


@dataclass(frozen=True)
class Strips:
    index: str
    extent: str
    vectors: Vectors
    unroll: int
    full: tuple[str, ...]
    """`unroll` strips of full length; empty where strips come one at a time."""
    single: tuple[str, ...]
    start: str = "0"


def strips(
    index: str,
    extent: str,
    vectors: Vectors,
    unroll: int,
    body: Body,
    start: str = "0",
) -> Strips:
    """The loop from `start` to the end `extent`."""
    full: list[str] = []
    if unroll > 1:
        for s in range(unroll):
            full += body(s, strip_index(index, s))
    return Strips(
        index, extent, vectors, unroll, tuple(full), tuple(body(0, index)), start
    )


def strip_index(index: str, strip: int) -> str:
    match strip:
        case 0:
            return index
        case 1:
            return f"({index} + vl)"
        case _:
            return f"({index} + {strip} * vl)"


def suffix(strip: int) -> str:
    """What tells the locals of one strip from those of another."""
    return f"_{strip}" if strip else ""
