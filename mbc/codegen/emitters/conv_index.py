"""Where the operands of a convolution are, as index texts in the names of a kernel.

Indices: n, g, f, c, then z, y, x of a phase pz, py, px at tap tz, ty, tx.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

from mbc.codegen.emitters.conv_held import Held
from mbc.codegen.emitters.conv_text import (
    AXES,
    AxisText,
    grouped,
    less,
    plus,
    row_index,
    scaled,
    total,
)
from mbc.codegen.families.conv_match import ConvMatch
from mbc.codegen.loops import Access


@dataclass(frozen=True)
class ResultLoop:
    """A loop over results: number `loop` of their strides, in steps of `factor`."""

    index: str
    extent: tuple[str, int]
    loop: int
    factor: int = 1

    def stride(self, access: Access) -> int:
        return access.strides[self.loop] * self.factor


@dataclass(frozen=True)
class ConvIndex:
    """`name` gives a named extent its text."""

    match: ConvMatch
    held: Held
    name: Callable[[str], str]

    @cached_property
    def axes(self) -> tuple[AxisText, AxisText, AxisText]:
        z, y, x = (
            AxisText(letter, axis, self.name(f"O{letter.upper()}"))
            for letter, axis in zip(AXES, self.match.axes, strict=True)
        )
        return z, y, x

    @cached_property
    def pitches(self) -> list[str]:
        """Extents of a channel as it is read."""
        return self.held.pitches(self.name)

    def group(self, kind: str = "I") -> str:
        """Elements in front of the channels of image n and group g.

        Of the input, or with `kind` "P" of what is held.
        """
        first = "n"
        if self.match.groups > 1:
            first = f"(n * {self.name('G')} + g)"
        sizes = [self.name(kind + a.letter.upper()) for a in self.axes if not a.is_unit]
        return " * ".join([first, self.name("C"), *sizes])

    def images(self) -> int:
        """Of every group and combination of phases."""
        phases = math.prod(axis.phases for axis in self.axes)
        return self.match.batch * self.match.groups * phases

    def count(self) -> str:
        """The results of a phase."""
        return " * ".join(axis.count() for axis in self.axes if not axis.is_unit)

    def corner(self, row: str, column: str) -> str:
        """Where in a group the result at (z, row, column) reads, without its taps."""
        z, y, x = self.axes
        moved = [z.moved("z"), y.moved(row), x.moved(column)]
        return row_index(moved, self.pitches[1:])

    def result_loops(self, indices: Sequence[str]) -> list[ResultLoop]:
        """Around results and what the epilogue reads; `indices` of a phase by axis."""
        match, filters, f = self.match, self.name("F"), "f"
        if match.groups > 1:
            f, filters = f"(g * {filters} + f)", f"{self.name('G')} * {filters}"
        loops = [
            ResultLoop("n", (self.name("N"), match.batch), 0),
            ResultLoop(f, (filters, match.groups * match.filters), 1),
        ]
        for loop, (axis, index) in enumerate(zip(self.axes, indices, strict=True), 2):
            if axis.is_unit:
                continue
            extent = (axis.results, axis.axis.out)
            loops.append(ResultLoop(index, extent, loop, axis.phases))
            if axis.phases > 1:
                phases = (str(axis.phases), axis.phases)
                loops.append(ResultLoop(axis.phase, phases, loop))
        return loops

    def checked(self, padded: Sequence[str]) -> tuple[list[str], str, str]:
        """Reading in place: declarations of the input's iz, iy, ix, the condition
        that they are inside, and the element's place among the group's channels."""
        axes = [(a, at) for a, at in zip(self.axes, padded) if not a.is_unit]
        sizes = [self.name(f"I{axis.letter.upper()}") for axis, _ in axes]
        lines = [
            f"const int i{axis.letter} = {less(at, axis.axis.low)};"
            for axis, at in axes
        ]
        bounds = [
            f"i{axis.letter} >= 0 && i{axis.letter} < {size}"
            for (axis, _), size in zip(axes, sizes, strict=True)
            if not axis.axis.is_plain
        ]
        places = [f"i{axis.letter}" for axis, _ in axes]
        return lines, " && ".join(bounds), row_index(["c", *places], sizes)

    def decoded(self, step: str, type: str) -> list[str]:
        """c, in the type of indices, and the taps of number `step` of a sum."""
        above = " / ".join([step, *reversed(self.own_taps())])
        return [*self.tap_lines(step), f"const {type} c = {above};"]

    def tap_lines(self, number: str) -> list[str]:
        """The tap of each axis, of a window's tap `number` or of one that ends so."""
        lines: list[str] = []
        inner: list[str] = []
        for axis in reversed(self.axes):
            if axis.has_one_tap():
                continue
            above = " / ".join([number, *inner])
            lines.append(f"const int {axis.tap} = {above} % {axis.taps()};")
            inner.append(axis.taps())
        return lines

    def own_taps(self) -> list[str]:
        """How many taps each axis has that has several."""
        return [axis.taps() for axis in self.axes if not axis.has_one_tap()]

    def depth(self) -> str:
        """Products of a sum."""
        return " * ".join([self.name("C"), *self.own_taps()])

    def input_at(self, row: str) -> str:
        """What channel and tap add; `row` is that of the axis y."""
        z, _, x = self.axes
        column = self.held.column(x.input())
        return row_index(["c", z.input(), row, column], self.pitches)

    def weight_start(self, filter: str, tile: int) -> str:
        """Where the weight of a filter is, the first one of a tile."""
        weight, place = self.match.weight, scaled(grouped(filter), 1)
        start = scaled(place, weight.filter)
        if weight.panel:
            start = scaled(f"{place} / {weight.panel}", weight.filter)
        if weight.panel > tile:
            start = total([start, f"{place} % {weight.panel}"])
        group = scaled("g", weight.group) if self.match.groups > 1 else "0"
        return plus(weight.buffer, total([group, start]))

    def weight_order(self, filters: int, depth: int) -> dict[str, str]:
        """Step and filter of element e of a tile, in the order of the memory."""
        if self.match.weight.panel:
            return {"weight_k": f"e / {filters}", "weight_f": f"e % {filters}"}
        return {"weight_k": f"e % {depth}", "weight_f": f"e / {depth}"}

    def weight_at(self, row: str) -> str:
        """What channel and tap add; `row` is the window element of the axis y."""
        z, y, x = self.axes
        sizes = [str(y.axis.window), str(x.axis.window)]
        window = row_index([z.window(), row, x.window()], sizes)
        moved = scaled(grouped(window), self.match.weight.tap)
        return total([scaled("c", self.match.weight.channel), moved])


def conv_extents(match: ConvMatch, held: Held) -> tuple[tuple[str, int], ...]:
    """Named extents: images, groups, filters and channels of a group, the axes."""
    found = [("N", match.batch), ("G", match.groups)]
    found += [("F", match.filters), ("C", match.channels)]
    return (*found, *held.names())
