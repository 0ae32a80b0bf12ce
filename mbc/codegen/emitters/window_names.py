"""Names and index texts that window kernels of all targets share."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from mbc.codegen.families.window import WindowAxis, WindowMatch

AXES = "DHW"


def place_text(axis: WindowAxis, name: str) -> str:
    """`oh * 2 + th - 1`: where tap th of window oh lies."""
    text = f"o{name}" if axis.stride == 1 else f"o{name} * {axis.stride}"
    if axis.taps > 1:
        text += f" + t{name}" + (f" * {axis.dilation}" if axis.dilation > 1 else "")
    return f"{text} - {axis.low}" if axis.low else text


@dataclass(frozen=True)
class WindowNames:
    """Extents PLANES (or N, C), D, H, W of the input, OD, OH, OW of the result."""

    match: WindowMatch

    @property
    def axes(self) -> str:
        return AXES[-len(self.match.axes) :]

    @property
    def planes(self) -> tuple[str, ...]:
        return ("PLANES",) if len(self.match.planes) == 1 else ("N", "C")

    def extents(self) -> tuple[tuple[str, int], ...]:
        match = self.match
        return (
            *zip(self.planes, match.planes, strict=True),
            *((name, axis.extent) for name, axis in zip(self.axes, match.axes)),
            *((f"O{name}", axis.out) for name, axis in zip(self.axes, match.axes)),
        )

    def loops(self) -> tuple[str, ...]:
        """Indices of the results: p (or n, c), od, oh, ow."""
        planes = ("p",) if len(self.match.planes) == 1 else ("n", "c")
        return (*planes, *(f"o{name.lower()}" for name in self.axes))

    def loop_extents(self, label: str) -> tuple[str, ...]:
        names = (*self.planes, *(f"O{name}" for name in self.axes))
        return tuple(f"{label}_{name}" for name in names)

    def rows(self, label: str) -> list[dict[str, object]]:
        """The axes around a row of the input."""
        return [
            {
                "tap": f"t{name.lower()}",
                "place": name.lower(),
                "index": f"o{name.lower()}",
                "out": f"{label}_O{name}",
                "taps": axis.taps,
                "at": place_text(axis, name.lower()),
            }
            for name, axis in zip(self.axes, self.match.rows)
        ]

    def inside(self, label: str) -> str:
        """Whether the places d, h are in the input."""
        return " && ".join(
            f"{name.lower()} >= 0 && {name.lower()} < {label}_{name}"
            for name in self.axes[:-1]
        )

    def start(self, label: str, places: Sequence[str] = ()) -> str:
        """Where a row of a plane begins: row (d, h), or the one at `places`."""
        places = places or [name.lower() for name in self.axes[:-1]]
        outer = self.loops()[: len(self.planes)]
        text = outer[0]
        extents = [*self.planes, *self.axes[:-1]][1:]
        for extent, place in zip(extents, [*outer[1:], *places], strict=True):
            factor = f"({text})" if " " in text else text
            text = f"{factor} * {label}_{extent} + {place}"
        factor = f"({text})" if " " in text else text
        return f"{self.match.source} + {factor} * {label}_W"

    def counted(self, label: str, number: int, place: str) -> tuple[str, str]:
        """First and end of what window `place` counts along an axis."""
        name, axis = self.axes[number], self.match.axes[number]
        margin = self.match.margins[number]
        limit = f"{label}_{name}" + (f" + {margin}" if margin else "")
        start = f"{place} * {axis.stride} - {axis.low}"
        return (
            f"max({start}, {-margin})",
            f"min({start} + {axis.taps}, {limit})",
        )

    def scale(self, label: str, index: str, scalar: bool) -> list[str]:
        """One over the rows that a window counts, where windows differ."""
        if self.match.divisor():
            return []
        counts: list[str] = []
        for number, name in enumerate(self.axes[:-1]):
            first, end = self.counted(label, number, f"(int)o{name.lower()}")
            counts.append(f"({end} - {first})")
        return [f"const float scale = 1.0f / ({' * '.join(counts) or '1'});"]

    def divided(self, label: str, width: int) -> list[str]:
        """The statements that make a mean of `width` sums from column i on."""
        divisor = self.match.divisor()
        if self.match.kind == "max" or divisor == 1:
            return []
        if divisor:
            return [f"total *= 1.0f / {divisor}.0f;"]
        columns, margin = self.match.columns, self.match.margins[-1]
        limit = f"{label}_W" + (f" + {margin}" if margin else "")
        places = ", ".join(map(str, range(width)))
        start = f"((int)i + (int{width})({places})) * {columns.stride} - {columns.low}"
        return [
            f"const int{width} from = {start};",
            f"const int{width} counted = min(from + {columns.taps}, {limit}) - "
            f"max(from, {-margin});",
            f"total *= scale / convert_float{width}(counted);",
        ]
