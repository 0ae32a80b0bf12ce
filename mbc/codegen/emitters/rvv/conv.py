"""conv on RVV: a register tile of filters and rows, vectors along the last axis.

The channels of a group are copied between their zeros, unless nothing is read
outside the input; there, rows are split by their residue modulo the stride, so that
every vector of input is contiguous.
"""

from __future__ import annotations

from mbc.codegen.emitters.conv_held import Held
from mbc.codegen.emitters.conv_index import ConvIndex, conv_extents
from mbc.codegen.emitters.conv_text import plus, row_index, scaled, total
from mbc.codegen.emitters.rvv.conv_results import (
    COLUMN,
    Place,
    joined_stores,
    kept_name,
    kept_results,
    results,
    row_text,
)
from mbc.codegen.emitters.rvv.conv_rows import row_steps
from mbc.codegen.emitters.rvv.frame import Frame
from mbc.codegen.emitters.rvv.knobs import number
from mbc.codegen.emitters.rvv.values import Vectors
from mbc.codegen.families import Match, Schedule
from mbc.codegen.families.conv_match import ConvMatch
from mbc.codegen.families.conv_spaces import rows_of, runs_on
from mbc.codegen.program import Buffer, KernelCode
from mbc.codegen.targets import Target

REGISTERS = 32
FIELDS = 8
"""Registers that the fields of a segment store fill at most."""


def emit(match: Match, schedule: Schedule, target: Target) -> KernelCode:
    assert isinstance(match, ConvMatch)
    return _Conv(match, schedule, target).code()


class _Conv:
    def __init__(self, match: ConvMatch, schedule: Schedule, target: Target):
        self.match, self.target = match, target
        tile = schedule["tile"]
        assert isinstance(tile, tuple)
        self.filters, self.rows = tile[0], rows_of(tile)
        self.is_flat = runs_on(tile)
        self.held = Held(match, "vectors")
        extents = conv_extents(match, self.held)
        self.frame = Frame(match, target, schedule, extents, self._scratch())
        self.index = ConvIndex(match, self.held, self.name)
        self.vectors = Vectors(number(schedule, "vector"))
        self.headers: set[str] = set()

    def _scratch(self) -> tuple[Buffer, ...]:
        """The channels of a group, and the sums of a tile of filters."""
        z, y, x = self.held.extents
        shapes: list[tuple[int, ...]] = []
        if self.held.is_copied:
            shapes.append((self.match.channels, z, y, x))
        if self.is_flat:
            shapes.append((self.filters, self.match.axes[1].out, x))
        return tuple(
            Buffer(f"s{i}", "f32", shape, "scratch") for i, shape in enumerate(shapes)
        )

    def name(self, extent: str) -> str:
        return f"{self.frame.label}_{extent}"

    def code(self) -> KernelCode:
        rest = self.match.filters % self.filters
        pitches = self.index.pitches
        return self.frame.code(
            "rvv/conv.c.j2",
            self.headers,
            names={name: self.name(name) for name, _ in self.frame.extents},
            grouped=self.match.groups > 1,
            held=" * ".join(e for e in [self.name("C"), *pitches] if e != "1"),
            copied=self.held.is_copied,
            copies=self._copies(),
            row=self._input_row(),
            group=f"{self.match.input} + {self.index.group()}",
            axes=self.index.axes,
            vectors=self.vectors,
            rows=self.rows,
            flat=self.is_flat,
            last=f"({self.name('OY')} - 1) * {pitches[2]} + {self.name('OX')}",
            blocks=[self._block(count) for count in (self.filters, rest) if count],
            filters=self.filters,
            rest=rest,
        )

    def _copies(self) -> list[dict[str, object]]:
        """What of an input row goes where."""
        lows = [
            "0" if axis.is_unit else total([axis.letter, str(axis.axis.low)])
            for axis in self.index.axes[:2]
        ]
        to = row_index(["c", *lows, "0"], self.index.pitches)
        return [
            {
                "to": plus(to, str(copy.at)),
                "from": plus("from", str(copy.start)),
                "count": copy.count if copy.stride > 1 else self.name("IX"),
                "stride": copy.stride,
            }
            for copy in self.held.copies()
        ]

    def _input_row(self) -> str:
        """Where row (z, y) of channel c starts in a group of the input."""
        axes = self.index.axes
        indices = ["0" if axis.is_unit else axis.letter for axis in axes[:2]]
        sizes = [
            "1" if axis.is_unit else self.name(f"I{axis.letter.upper()}")
            for axis in axes
        ]
        return row_index(["c", *indices, "0"], sizes)

    def _block(self, filters: int) -> dict[str, object]:
        """What the template needs for `filters` filters."""
        pairs = [(r, j) for r in range(self.rows) for j in range(filters)]
        zero, index = self.vectors.splat("0.0f"), self.index
        place = Place(self.name, index.axes, self.vectors, self.headers, self.target)
        shared = self.match.shares_rows(self.rows)
        kept = range(1 if shared else self.rows)
        return {
            "starts": [self._flat_start()]
            if self.is_flat
            else [self._start(r) for r in kept],
            **self._kept_sums(filters),
            "sums": [f"{self.vectors.type} s{r}_{j} = {zero};" for r, j in pairs],
            "weight": index.weight_start("f", self.filters),
            "shared": shared,
            "steps": self._shared_steps() if shared else self._steps(filters),
            "results": results(self.match, place, self.rows, filters),
            "joined": self._joined(place) if self._joins() else None,
        }

    def _joins(self) -> bool:
        """Phases of columns are stored together, as fields of one segment store."""
        phases = self.index.axes[2].phases
        vectors = (phases + 1) * self.rows + 1  # finished ones, sums and an input
        fits = vectors * self.vectors.lmul <= REGISTERS
        fits = fits and 1 < phases and phases * self.vectors.lmul <= FIELDS
        dense = all(access.strides[COLUMN] == 1 for access in self.match.out)
        return self.match.is_narrow and self.filters == 1 and fits and dense

    def _joined(self, place: Place) -> dict[str, object]:
        x, outs = self.match.axes[2], range(len(self.match.out))
        phases = range(len(x.phases))
        named = [
            kept_name(row, out, str(phase))
            for phase in phases
            for row in range(self.rows)
            for out in outs
        ]
        return {
            "columns": min(phase.results for phase in x.phases),
            "varies": x.varies,
            "kept": f"{self.vectors.type} {', '.join(named)};",
            "results": [
                kept_results(self.match, place, self.rows, phase) for phase in phases
            ],
            "stores": joined_stores(self.match, place, self.rows),
        }

    def _flat_start(self) -> str:
        return f"const float *in0 = in + {plus(self.index.corner('0', '0'), 'p')};"

    def _kept_sums(self, filters: int) -> dict[str, list[str]]:
        """Where all rows are one: how sums are kept until rows are told apart."""
        vectors, sums = self.vectors, f"s{int(self.held.is_copied)}"
        plane = f"{self.name('OY')} * {self.index.pitches[2]}"
        row = f"y0 * {self.index.pitches[2]} + x"
        starts = [scaled(plane, j) for j in range(filters)]
        return {
            "kept": [
                vectors.store(sums, plus(start, "p"), 1, f"s0_{j}")
                for j, start in enumerate(starts)
            ],
            "again": [
                f"const {vectors.type} s0_{j} = {vectors.load(sums, plus(at, row), 1)};"
                for j, at in enumerate(starts)
            ],
        }

    def _start(self, row: int) -> str:
        corner = plus(self.index.corner(row_text(row), "0"), "x")
        return f"const float *in{row} = in + {corner};"

    def _places(self, window: str, input: str) -> list[str]:
        """Pointers of a tap; the row of the axis y is given."""
        return [
            f"const float *wt = {plus('w', self.index.weight_at(window))};",
            f"const size_t at = {self.index.input_at(input)};",
        ]

    def _shared_steps(self) -> list[str]:
        steps = row_steps(self.match, self.rows, self.vectors, self.index.pitches[2])
        return [*self._places("0", "0"), *steps]

    def _steps(self, filters: int) -> list[str]:
        """One tap of one channel: a vector of input per row, then the products."""
        y, weight = self.index.axes[1], self.match.weight
        lines = self._places(y.window(), y.input())
        for r in range(self.rows):
            load = self.vectors.load(f"in{r}", "at", 1)
            lines.append(f"const {self.vectors.type} x{r} = {load};")
        stride = 1 if weight.panel else weight.filter
        for j in range(filters):
            for r in range(self.rows):
                sum, factor = f"s{r}_{j}", f"wt[{j * stride}]"
                product = self.vectors.call("vfmacc", sum, factor, f"x{r}").text
                lines.append(f"{sum} = {product};")
        return lines
