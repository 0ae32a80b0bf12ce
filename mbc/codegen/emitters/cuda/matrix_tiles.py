"""Operands of the matrix unit in shared memory, and the registers of their sums."""

from __future__ import annotations

from dataclasses import dataclass

from mbc.codegen.families.matrix_unit import FRAGMENT_M, FRAGMENT_N, Warps

UNIT_REGISTERS = 1 << 16
"""Of a multiprocessor."""
SPLIT_REGISTERS, SHORT_REGISTERS = 150, 64
"""Of a lane beside its sums: operands and the next ones; in halves, with new sums."""


@dataclass(frozen=True)
class Operand:
    """One operand's tile in shared memory: `size` rows, or columns, by 16 of k."""

    name: str
    size: int
    along_k: bool
    """A row's elements of k lie together; else the rows do."""
    together: int
    """Fragments of 8 rows that one read of a lane is shared out to: they interleave."""


@dataclass(frozen=True)
class Sums:
    """What the macros of `matrix_parts.j2` sum up: rows of `a` times columns of `b`."""

    warps: Warps
    a: Operand
    b: Operand
    others: int = SPLIT_REGISTERS

    @property
    def down(self) -> int:
        """Fragments of a warp."""
        return self.warps.rows // FRAGMENT_M

    @property
    def across(self) -> int:
        return self.warps.columns // FRAGMENT_N

    @property
    def at_once(self) -> int:
        """Fragments along the rows that are read together."""
        return max(1, self.a.together // 2)

    @property
    def resident(self) -> int:
        """Blocks that share a multiprocessor with registers enough for all."""
        registers = self.warps.rows * self.warps.columns // 32 + self.others
        return max(1, UNIT_REGISTERS // (registers * self.warps.threads))
