"""How warps share a tile whose products a GPU's matrix unit sums up.

A warp owns a rectangle of the tile in fragments of 16 x 8 results. Operands in f32 are
split into two tf32 numbers each, and three of the four products of halves are summed:
what is left out is below the last place of an f32.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from mbc.codegen.targets import Target

WARP = 32
FRAGMENT_M, FRAGMENT_N = 16, 8
MOST_SUMS = 128
"""Of a lane; as many registers again hold operands and addresses."""
SPLIT_PRODUCTS = 3
"""Of two operands that are a sum of two halves each."""
STAGES = (2, 3)
"""Tiles in shared memory: one is computed from while the others arrive."""
SHARED_BYTES = 48 << 10
"""That a kernel may have without asking for more when it is launched."""


@dataclass(frozen=True)
class Warps:
    """A tile of m x n results, and the warps that share it."""

    m: int
    n: int
    down: int
    across: int

    @property
    def rows(self) -> int:
        """Of a warp."""
        return self.m // self.down

    @property
    def columns(self) -> int:
        return self.n // self.across

    @property
    def threads(self) -> int:
        return WARP * self.down * self.across


def warps_of(m: int, n: int, threads: int) -> Warps | None:
    """The arrangement that loads fewest fragments; None where no one fits."""
    count = threads // WARP
    found = [Warps(m, n, down, count // down) for down in range(1, count + 1)]
    legal = [warps for warps in found if _fits(warps, threads)]
    return min(legal, key=lambda w: (w.rows + w.columns, w.columns), default=None)


def _fits(warps: Warps, threads: int) -> bool:
    down, across = FRAGMENT_M * warps.down, FRAGMENT_N * warps.across
    whole = warps.threads == threads and not warps.m % down and not warps.n % across
    return whole and warps.rows * warps.columns <= MOST_SUMS * WARP


def refusal(tile: Sequence[int], block: Sequence[int], stages: int, bytes: int) -> str:
    """Why the matrix unit cannot have such tiles of elements of `bytes` each."""
    m, n, k = tile
    across, down = block
    if across > down:
        return (
            f"warps take no notice of a shape: {across} x {down} is {down} x {across}"
        )
    if warps_of(m, n, across * down) is None:
        return f"a tile of {m} x {n} has no fragments for {across * down} items"
    if stages not in STAGES:
        return f"the matrix unit has {' or '.join(map(str, sorted(STAGES)))} stages"
    if min(m, n) < WARP:
        return f"a tile of {m} x {n} has no 32 rows and columns for the matrix unit"
    if stages * (m + n) * k * bytes > SHARED_BYTES:
        return f"{stages} stages of {m} x {n} x {k} do not fit into shared memory"
    return ""


def products_of(dtype: str, target: Target) -> tuple[int, ...]:
    """Legal numbers of products per pair of elements; 0 is without the unit."""
    if not target.has_matrix_unit:
        return ()
    return (SPLIT_PRODUCTS, 0) if dtype == "f32" else (1,)
