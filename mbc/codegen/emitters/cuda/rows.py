"""How threads share rows: a whole block per row, or several rows per block."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

WARP = 32
STEPS_PER_LINE = 4
"""Steps of the reduced loop that a thread should take before it has helpers."""
SMALL_BLOCK = 128
"""Threads of a block that takes several rows, each within one warp."""


@dataclass(frozen=True)
class RowSplit:
    """`threads` work on one row; `per_block` rows share a block."""

    rows: int
    threads: int

    @property
    def per_block(self) -> int:
        return SMALL_BLOCK // self.threads if self.threads <= WARP else 1

    @property
    def block(self) -> int:
        return self.threads * self.per_block

    @property
    def blocks(self) -> int:
        return -(-self.rows // self.per_block)

    @property
    def warps(self) -> int:
        """Whose partial results meet in shared memory; 0 where shuffles do it all."""
        return self.threads // WARP if self.threads > WARP else 0

    def describe(self) -> str:
        rows = "a row" if self.per_block == 1 else f"{self.per_block} rows"
        return f"a block of {self.block} threads takes {rows}"


def coordinates(
    flat: str, extents: Sequence[tuple[str, int]], prefix: str, type: str
) -> tuple[tuple[str, ...], list[str]]:
    """Index texts of loops that one number counts, and the lines that declare them."""
    if not extents:
        return (), []
    if len(extents) == 1:
        return (flat,), []
    names = tuple(f"{prefix}{d}" for d in range(len(extents)))
    lines: list[str] = []
    rest = flat
    for name, (extent, _) in reversed(list(zip(names[1:], extents[1:], strict=True))):
        lines.append(f"const {type} {name} = {rest} % {extent};")
        rest = f"{rest} / {extent}"
    lines.append(f"const {type} {names[0]} = {rest};")
    return names, list(reversed(lines))


@dataclass(frozen=True)
class ColumnSplit:
    """A block folds `lanes` vectors of columns; `lines` threads share each of them."""

    lanes: int
    lines: int
    column_blocks: int
    blocks: int

    @property
    def block(self) -> int:
        return self.lanes * self.lines

    def describe(self) -> str:
        return f"{self.lines} threads for each of {self.lanes} neighbouring vectors"


def column_split(
    outer: int, reduced: int, inner: int, width: int, threads: int
) -> ColumnSplit:
    """A warp along the columns, the rest of the threads along the reduced loop."""
    vectors = -(-inner // width)
    lanes = min(WARP, threads, power_of_two(vectors))
    lines = min(threads // lanes, power_of_two(-(-reduced // STEPS_PER_LINE)))
    lanes = min(threads // lines, power_of_two(vectors))
    column_blocks = -(-vectors // lanes)
    return ColumnSplit(lanes, lines, column_blocks, outer * column_blocks)


def power_of_two(number: int) -> int:
    """The smallest one that is not below `number`."""
    return 1 << (number - 1).bit_length()
