"""Where intermediates live: offsets in one arena, shared by lifetimes that do not
overlap."""

from __future__ import annotations

from dataclasses import dataclass

ALIGNMENT = 64


@dataclass(frozen=True)
class Lifetime:
    """A buffer of `nbytes`, written at launch `first` and last read at `last`."""

    name: str
    nbytes: int
    first: int
    last: int

    def meets(self, other: Lifetime) -> bool:
        return self.first <= other.last and other.first <= self.last


@dataclass(frozen=True)
class Arena:
    """Offsets in bytes, and the size that holds them all."""

    offsets: dict[str, int]
    nbytes: int


def plan_memory(lifetimes: list[Lifetime], alignment: int = ALIGNMENT) -> Arena:
    """First fit, largest buffer first; every offset is a multiple of `alignment`.

    Deterministic for one input.
    """

    def rounded(nbytes: int) -> int:
        return max(alignment, -(-nbytes // alignment) * alignment)

    placed: list[tuple[int, Lifetime]] = []
    order = sorted(lifetimes, key=lambda x: (-x.nbytes, x.first, x.name))
    for lifetime in order:
        neighbours = sorted(
            (offset, offset + rounded(other.nbytes))
            for offset, other in placed
            if lifetime.meets(other)
        )
        placed.append((_first_gap(neighbours, rounded(lifetime.nbytes)), lifetime))
    size = max((offset + rounded(x.nbytes) for offset, x in placed), default=0)
    return Arena({x.name: offset for offset, x in placed}, size)


def _first_gap(taken: list[tuple[int, int]], nbytes: int) -> int:
    start = 0
    for low, high in taken:
        if start + nbytes <= low:
            return start
        start = max(start, high)
    return start
