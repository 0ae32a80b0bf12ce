"""How the channels of a convolution lie in memory while they are read.

Where something outside the input is read, they are copied between their zeros. Where
vectors run along rows, and results are further apart than one element, rows are split
by their residue modulo the stride, so that vectors are contiguous.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from mbc.codegen.emitters.conv_text import AXES
from mbc.codegen.families.conv_axes import UNIT, Axis
from mbc.codegen.families.conv_match import ConvMatch

Read = Literal["vectors", "elements", "checked"]
"""Vectors along the last axis, or single elements; or in place, with a check each."""


@dataclass(frozen=True)
class Copy:
    """Elements start, start + stride, ... of an input row go to `at` in a held row."""

    at: int
    start: int
    count: int
    stride: int


@dataclass(frozen=True)
class Held:
    match: ConvMatch
    read: Read

    @property
    def is_copied(self) -> bool:
        if self.read == "checked":
            return False
        return not self.match.is_plain or self._is_split

    @property
    def _is_split(self) -> bool:
        return self.read == "vectors" and self.match.axes[2].stride > 1

    @property
    def extents(self) -> tuple[int, int, int]:
        """Of a channel."""
        z, y, x = self.match.axes
        if not self.is_copied:
            return z.extent, y.extent, x.extent
        row = self._residues * self._length if self._is_split else x.padded
        return z.padded, y.padded, row

    @property
    def _length(self) -> int:
        axis = self.match.axes[2]
        return -(-axis.padded // axis.stride)

    @property
    def _residues(self) -> int:
        """All of them are kept, or the only one that is read."""
        axis = self.match.axes[2]
        return axis.stride if len(axis.residues()) > 1 else 1

    def names(self) -> list[tuple[str, int]]:
        """Named extents of the input, the result and what is held, by axis."""
        found: list[tuple[str, int]] = []
        rows = zip(AXES.upper(), self.match.axes, self.extents, strict=True)
        for letter, axis, held in (row for row in rows if not _is_unit(*row[:2])):
            found += [(f"I{letter}", axis.extent), (f"O{letter}", axis.out)]
            if self.is_copied:
                found.append((f"P{letter}", held))
        return found

    def pitches(self, name: Callable[[str], str]) -> list[str]:
        """The names of `extents`."""
        kind = "P" if self.is_copied else "I"
        return [
            "1" if _is_unit(letter, axis) else name(kind + letter)
            for letter, axis in zip(AXES.upper(), self.match.axes, strict=True)
        ]

    def copies(self) -> list[Copy]:
        """What a row of the input becomes, in one piece per residue."""
        x = self.match.axes[2]
        if not self._is_split:
            return [Copy(x.low, 0, x.extent, 1)]
        used = x.residues() if self._residues == 1 else range(x.stride)
        found: list[Copy] = []
        for slot, residue in enumerate(used):
            before = max(0, -(-(x.low - residue) // x.stride))
            start = before * x.stride + residue - x.low
            count = max(0, -(-(x.extent - start) // x.stride))
            found.append(Copy(slot * self._length + before, start, count, x.stride))
        return found

    def column(self, input: str) -> str:
        """Where in a held row the padded element `input` of a tap is."""
        if not self._is_split:
            return input
        stride = self.match.axes[2].stride
        start = f"{input} / {stride}"
        if self._residues == 1:
            return start
        return f"{input} % {stride} * {self._length} + {start}"


def _is_unit(letter: str, axis: Axis) -> bool:
    """As `AxisText` has it."""
    return axis == UNIT and letter != "X"
