"""Texts that convolutions share on all targets: loops over axes, phases and taps."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from mbc.codegen.families.conv_axes import UNIT, Axis

AXES = "zyx"


@dataclass(frozen=True)
class AxisText:
    """One axis; `phase` is the index of the phase, where there are several."""

    letter: str
    axis: Axis
    results: str
    """Name of the extent of the result."""

    @property
    def is_unit(self) -> bool:
        """Not there; the last axis always is."""
        return self.axis == UNIT and self.letter != "x"

    @property
    def phase(self) -> str:
        return f"p{self.letter}"

    @property
    def tap(self) -> str:
        return f"t{self.letter}"

    @property
    def phases(self) -> int:
        return len(self.axis.phases)

    def count(self) -> str:
        """Results of the phase."""
        if self.phases == 1:
            return "1" if self.is_unit else self.results
        return self._by_phase([p.results for p in self.axis.phases])

    def moved(self, index: str) -> str:
        """How far result `index` of the phase moves along the input."""
        return "0" if self.is_unit else scaled(index, self.axis.stride)

    def taps(self) -> str:
        return self._by_phase([p.taps for p in self.axis.phases])

    def result(self, index: str) -> str:
        """The place in the result of number `index` of the phase."""
        if self.phases == 1:
            return "0" if self.is_unit else index
        return f"({scaled(index, self.phases)} + {self.phase})"

    def window(self) -> str:
        """The window element of the tap."""
        first = self._by_phase([p.first for p in self.axis.phases])
        return total([first, scaled(self._tap(), self.axis.tap_window)])

    def input(self, index: str = "0") -> str:
        """The padded input element that result `index` of the phase reads."""
        offset = self._by_phase([p.offset for p in self.axis.phases])
        moved = scaled(self._tap(), self.axis.tap_input)
        return total([scaled(index, self.axis.stride), offset, moved])

    def has_one_tap(self) -> bool:
        """No loop over taps is needed."""
        return all(p.taps == 1 for p in self.axis.phases)

    def _tap(self) -> str:
        return "0" if self.has_one_tap() else self.tap

    def _by_phase(self, values: Sequence[int]) -> str:
        """A choice by the phase's index: (px == 0 ? 1 : 2)."""
        *others, last = values
        if all(value == last for value in others):
            return str(last)
        choices = (f"{self.phase} == {i} ? {v}" for i, v in enumerate(others))
        return f"({' : '.join(choices)} : {last})"


def scaled(index: str, factor: int) -> str:
    if index == "0" or factor == 0:
        return "0"
    if factor == 1:
        return index
    return f"{index} * {factor}" if factor > 0 else f"{index} * ({factor})"


def less(text: str, amount: int) -> str:
    return f"{text} - {amount}" if amount else text


def total(terms: Sequence[str]) -> str:
    """The sum in parentheses, without its zeros."""
    kept = [term for term in terms if term != "0"]
    if len(kept) > 1:
        return f"({' + '.join(kept)})"
    return "".join(kept) or "0"


def grouped(text: str) -> str:
    """In parentheses, where it is more than one term or factor."""
    return f"({text})" if " " in text and not _is_group(text) else text


def _is_group(text: str) -> bool:
    """One pair of parentheses around all of it."""
    depth = 0
    for position, character in enumerate(text):
        depth += (character == "(") - (character == ")")
        if depth == 0:
            return text[0] == "(" and position == len(text) - 1
    return False


def row_index(indices: Sequence[str], extents: Sequence[str]) -> str:
    """((c * PZ + z) * PY + y) * PX + x; extents are those of all but the first."""
    text = indices[0]
    for index, extent in zip(indices[1:], extents, strict=True):
        head = "" if text == "0" else text
        if head and extent != "1":
            head = f"{grouped(text)} * {extent}"
        text = plus(head, index)
    return text


def plus(text: str, index: str) -> str:
    """`text + index`, or the one of them that is not 0."""
    text = "" if text == "0" else text
    if index == "0":
        return text or "0"
    if not text:
        return index
    is_sum = _is_group(index) and "?" not in index
    return f"{text} + {index[1:-1] if is_sum else index}"


def row_readers(axis: Axis, rows: int) -> list[tuple[int, list[tuple[int, int]]]]:
    """Input rows that `rows` neighbouring results of the only phase read.

    Each with the results that read it, and through which element of the window.
    """
    (phase,) = axis.phases
    found: dict[int, list[tuple[int, int]]] = {}
    for row in range(rows):
        for tap in range(phase.taps):
            at = row * axis.stride + phase.offset + tap * axis.tap_input
            element = phase.first + tap * axis.tap_window
            found.setdefault(at, []).append((row, element))
    return sorted(found.items())
