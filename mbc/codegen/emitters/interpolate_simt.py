"""interpolate on SIMT targets: an item blends one place of several planes."""

from __future__ import annotations

import math
from dataclasses import dataclass

from mbc.codegen.emitters.simt import SimtFrame
from mbc.codegen.expression import float_literal, load_text, store_text
from mbc.codegen.families import Match, Schedule
from mbc.codegen.families.interpolate import InterpolateMatch, Resampled
from mbc.codegen.program import KernelCode, Launch
from mbc.codegen.targets import Target
from mbc.ir.ops.interpolate import WEIGHTS


def emit(match: Match, schedule: Schedule, target: Target) -> KernelCode:
    assert isinstance(match, InterpolateMatch)
    frame = SimtFrame(match, schedule, target, ())
    size, planes = frame.number("parallel"), frame.number("unroll")
    spots = math.prod(axis.size for axis in match.axes)
    items = spots * -(-match.planes // planes)
    text = _Text(match, target)
    return frame.code(
        "common/interpolate_simt.j2",
        [Launch(frame.label, (), (-(-items // size), 1, 1), (size, 1, 1))],
        kernel=frame.spelling.kernel.format(size),
        mode=match.mode,
        half=match.half_pixel,
        items=items,
        spots=spots,
        planes=match.planes,
        at_once=planes,
        elements=math.prod(axis.extent for axis in match.axes),
        real=text.real,
        axes=text.axes(),
        lines=text.blend(),
    )


@dataclass(frozen=True)
class _Text:
    match: InterpolateMatch
    target: Target

    @property
    def element(self) -> str:
        return self.match.dtype

    @property
    def wide(self) -> str:
        """The type of places, weights and sums."""
        return "f64" if self.match.weighs and self.element == "f64" else "f32"

    @property
    def real(self) -> str:
        return self.target.types[self.wide]

    def axes(self) -> list[dict[str, object]]:
        """Innermost first, as indices are taken from the item's number."""
        found: list[dict[str, object]] = []
        stride = 1
        for number, axis in reversed(list(enumerate(self.match.axes))):
            found.append(self._axis(number, axis, stride))
            stride *= axis.extent
        return found

    def _axis(self, number: int, axis: Resampled, stride: int) -> dict[str, object]:
        name = self.match.names[number]
        wide = self.wide
        taps = WEIGHTS[self.match.mode] if self.match.weighs else {0: ()}
        return {
            "name": name,
            "size": axis.size,
            "last": axis.extent - 1,
            "stride": stride,
            "step": float_literal(axis.step, wide),
            "half": float_literal(0.5, wide),
            "one": float_literal(1.0, wide),
            "zero": float_literal(0.0, wide),
            "taps": [
                (f"{name}{k}", offset, self._weight(f"{name}_part", terms))
                for k, (offset, terms) in enumerate(taps.items())
            ],
        }

    def _weight(self, x: str, terms: tuple[float, ...]) -> str:
        """A polynomial in `x` by Horner's rule, the constant term first."""
        if not terms:
            return ""
        literals = [float_literal(term, self.wide) for term in terms]
        text = literals[-1]
        for term, literal in zip(reversed(terms[:-1]), reversed(literals[:-1])):
            text = f"{text} * {x}" if text.isidentifier() else f"({text}) * {x}"
            text = f"{text} + {literal}" if term else text
        return text

    def blend(self) -> list[str]:
        """The statements of one plane: partial sums, the innermost axis first."""
        lines: list[str] = []
        value = self._sum(0, ["from"], "", lines)
        store = store_text(self.element, "r0", "to", value)
        return [*lines, f"{store};"]

    def _sum(self, axis: int, place: list[str], path: str, lines: list[str]) -> str:
        if axis == len(self.match.axes):
            return load_text(self.element, "a0", " + ".join(place))
        name = self.match.names[axis]
        if not self.match.weighs:
            return self._sum(axis + 1, [*place, f"{name}0"], path, lines)
        taps = range(len(WEIGHTS[self.match.mode]))
        inner = [
            self._sum(axis + 1, [*place, f"{name}{k}"], f"{path}{k}", lines)
            for k in taps
        ]
        parts = [f"{name}{k}_weight * {text}" for k, text in zip(taps, inner)]
        total = f"sum{path}"
        lines.append(f"const {self.real} {total} = {' + '.join(parts)};")
        return total
