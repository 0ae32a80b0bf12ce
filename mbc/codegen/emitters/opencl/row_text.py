"""Passes over a row as text: what rowwise and row reductions have in common.

float16 v0_lanes = (float16)(-MBC_INF);           folds, one per reduction
for (int i = 0; i < k0_N1; i += 16) {             loop: loads, bodies, stores
  const float16 a0_x = vload16(0, a0 + row * k0_N1 + i);
  v0_lanes = mbc_maximum(v0_lanes, a0_x);
}
const float v0 = mbc_max16(v0_lanes);             after: scalars of the row
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from xdsl.dialects.linalg import ops as linalg

from mbc.codegen.emitters.opencl.elements import Lanes, Loader
from mbc.codegen.emitters.opencl.vector_body import PrintedVectors, Value
from mbc.codegen.loops import Access


@dataclass(frozen=True)
class Folding:
    """How a kind of reduction starts, goes on and is called in the prelude."""

    start: str
    combine: str
    helper: str


FOLDINGS = {
    "sum": Folding("0.0f", "{0} + {1}", "sum"),
    "mean": Folding("0.0f", "{0} + {1}", "sum"),
    "prod": Folding("1.0f", "{0} * {1}", "prod"),
    "max": Folding("-MBC_INF", "mbc_maximum({0}, {1})", "max"),
    "min": Folding("MBC_INF", "mbc_minimum({0}, {1})", "min"),
}


def across_lanes(kind: str, width: int, lanes: str) -> str:
    """One number from the lanes of a vector."""
    return lanes if width == 1 else f"mbc_{FOLDINGS[kind].helper}{width}({lanes})"


@dataclass(frozen=True)
class RowStyle:
    """What differs between one work item per row and a work group per row."""

    first: str
    step: int
    whole_row: str
    """Format of the fold over the row, given `helper` and the item's `value`."""
    once: str
    """Format of a statement that one item of the row executes."""
    segment: str
    """Format of the number of element i's segment, given its extent `part`."""
    around: str
    """Format of the loop around that of a segment; empty where there is none."""


def cpu_style(width: int) -> RowStyle:
    around = "for (int c = 0; c < {segments}; ++c)"
    return RowStyle("0", width, "{value}", "{0}", "c", around)


def gpu_style(width: int, group: int) -> RowStyle:
    return RowStyle(
        "item" if width == 1 else f"item * {width}",
        group * width,
        "mbc_group_{helper}({value}, shared)",
        "if (item == 0) {0}",
        "(i / {part})",
        "",
    )


@dataclass
class PassText:
    comment: str
    first: str
    end: str
    around: str = ""
    """The loop over segments, if there is one, and what comes first in it."""
    within: list[str] = field(default_factory=list[str])
    folds: list[tuple[str, str]] = field(default_factory=list[tuple[str, str]])
    """(declared name, start) of each accumulator."""
    loads: list[str] = field(default_factory=list[str])
    lines: list[str] = field(default_factory=list[str])
    after: list[str] = field(default_factory=list[str])


@dataclass
class RowWriter:
    """Collects passes; values are known by the names that the program gives them."""

    lanes: Lanes
    style: RowStyle
    length: str
    values: dict[str, Value] = field(default_factory=dict[str, Value])
    passes: list[PassText] = field(default_factory=list[PassText])
    loader: Loader = field(init=False)

    def __post_init__(self) -> None:
        self.loader = Loader(self.lanes)

    def begin(self, comment: str) -> None:
        self.loader = replace(self.loader.for_next_loop(), lanes=self.lanes)
        first = self.style.first
        text = PassText(comment, first, self.length, loads=self.loader.lines)
        self.passes.append(text)

    def begin_in_segments(self, comment: str) -> None:
        """A pass that reads what is the same along a segment only.

        Its loop goes segment by segment where the style has a loop for them.
        """
        (segments, _), (part, extent) = self.lanes.extents[-2:]
        loader = replace(self.loader.for_next_loop(), segment=self.lanes.axis - 1)
        if not self.style.around:
            self.loader = replace(loader, lanes=self.lanes, within=loader.lines)
            text = PassText(comment, self.style.first, self.length, loads=loader.lines)
            self.passes.append(text)
            return
        end = f"(c + 1) * {part}"
        count = f"{end} - i" if extent % self.lanes.width else ""
        self.loader = replace(loader, lanes=replace(self.lanes, count=count))
        around = self.style.around.format(segments=segments)
        text = PassText(comment, f"c * {part}", end, around, self.loader.within)
        text.loads = self.loader.lines
        self.passes.append(text)

    def value(self, source: Access | str) -> Value:
        return (
            self.values[source] if isinstance(source, str) else self.loader.read(source)
        )

    def element(
        self, op: linalg.GenericOp, inputs: Sequence[Access | str], name: str
    ) -> PrintedVectors:
        """Elementwise work inside the loop."""
        printed = self._printed(op, inputs, name)
        self.passes[-1].lines += printed.lines
        return printed

    def scalar(
        self, op: linalg.GenericOp, inputs: Sequence[Access | str], name: str
    ) -> PrintedVectors:
        """Work on one number per row, behind the loop."""
        printed = self._printed(op, inputs, name)
        self.passes[-1].after += printed.lines
        return printed

    def _printed(
        self, op: linalg.GenericOp, inputs: Sequence[Access | str], name: str
    ) -> PrintedVectors:
        values = [self.value(source) for source in inputs]
        printed = self.lanes.printer.body(op.body.block, values, f"{name}_")
        self.values[name] = printed.results[0]
        return printed

    def fold(self, kind: str, source: Access | str, name: str) -> None:
        """A reduction over the row, whose result is called `name`."""
        folding, lanes, step = FOLDINGS[kind], f"{name}_lanes", self.passes[-1]
        width, count = self.lanes.width, self.loader.lanes.count
        text = self.lanes.printer.spread(self.value(source))
        if count:
            first = f"mbc_first{width}({text}, {count}, {folding.start})"
            text = f"{name}_first"
            step.lines.append(f"const float{width} {text} = {first};")
        start = self.lanes.printer.spread(Value(folding.start, uniform=True))
        step.folds.append((lanes, start))
        step.lines.append(f"{lanes} = {folding.combine.format(lanes, text)};")
        mine = across_lanes(kind, width, lanes)
        total = self.style.whole_row.format(helper=folding.helper, value=mine)
        divided = f" / {self.length}" if kind == "mean" else ""
        step.after.append(f"const float {name} = {total}{divided};")
        self.values[name] = Value(name, uniform=True)

    def keep(self, access: Access, value: Value) -> None:
        """Store elements from inside the loop."""
        self.passes[-1].lines.append(self.loader.lanes.store(access, value))

    def store_scalar(self, access: Access, value: Value) -> None:
        store = f"{access.buffer}[{self.lanes.index(access)}] = {value.text};"
        self.passes[-1].after.append(self.style.once.format(store))

    def context(self) -> dict[str, object]:
        """What the row templates need."""
        return {
            "type": self.lanes.printer.type("float"),
            "width": self.lanes.width,
            "step": self.style.step,
            "uniform": self.loader.uniform,
            "passes": self.passes,
        }
