"""What follows the fold of a window on RVV: its mean, the epilogue, the stores."""

from __future__ import annotations

from dataclasses import dataclass

from mbc.codegen.emitters.rvv.frame import Frame
from mbc.codegen.emitters.rvv.values import Value
from mbc.codegen.emitters.rvv.vector_body import VectorPrinter
from mbc.codegen.emitters.window_names import WindowNames
from mbc.codegen.families.window import WindowMatch
from mbc.codegen.loops import Access, index_text
from mbc.codegen.program import Buffer


def shares_buffer(match: WindowMatch, number: int) -> tuple[Buffer, ...]:
    """Scratch for one over the columns of every window, where those differ."""
    if match.divisor():
        return ()
    return (Buffer(f"s{number}", "f32", (match.columns.out,), "scratch"),)


@dataclass(frozen=True)
class WindowResults:
    """`shares` is the buffer of `shares_buffer`, if there is one."""

    match: WindowMatch
    frame: Frame
    shares: str

    @property
    def names(self) -> WindowNames:
        return WindowNames(self.match)

    def name(self, extent: str) -> str:
        return f"{self.frame.label}_{extent}"

    def scale(self) -> list[str]:
        """One over the rows that count, where that differs between windows."""
        if self.match.divisor():
            return []
        lines: list[str] = []
        counted: list[str] = []
        rows = zip(self.names.axes, self.match.rows, self.match.margins)
        for (name, axis, margin), low in zip(rows, map(str.lower, self.names.axes)):
            first, end = f"first_{low}", f"end_{low}"
            limit = self.name(name) + (f" + {margin}" if margin else "")
            lines += [
                f"ptrdiff_t {first} = o{low} * {axis.stride} - {axis.low};",
                f"ptrdiff_t {end} = {first} + {axis.taps};",
                f"if ({first} < {-margin}) {first} = {-margin};",
                f"if ({end} > {limit}) {end} = {limit};",
            ]
            counted.append(f"({end} - {first})")
        product = " * ".join(counted) or "1"
        lines.append(f"const float scale = 1.0f / (float)({product});")
        return lines

    def store(self, printer: VectorPrinter, total: str, index: str) -> None:
        """All that happens to the folds of the windows from column `index` on."""
        vectors, indices = printer.vectors, (*self.names.loops()[:-1], index)
        results = self._epilogue(printer, self._scaled(printer, total, index), indices)
        for access, value in zip(self.match.out, results, strict=True):
            place = self._index(access, indices)
            text = vectors.as_vector(value)
            printer.lines.append(vectors.store(access.buffer, place, 1, text))

    def _scaled(self, printer: VectorPrinter, total: str, index: str) -> Value:
        divisor, call = self.match.divisor(), printer.vectors.call
        if self.match.kind == "max" or divisor == 1:
            return Value(total, "vector")
        if divisor:
            text = call("vfmul", total, f"1.0f / {divisor}.0f").text
        else:
            printer.declare("share", printer.vectors.load(self.shares, index, 1))
            text = call("vfmul", call("vfmul", total, "share").text, "scale").text
        printer.declare("mean", text)
        return Value("mean", "vector")

    def _index(self, access: Access, indices: tuple[str, ...]) -> str:
        named = dict(self.frame.constants)
        loops = self.names.loop_extents(self.frame.label)
        return index_text(access, indices, [(name, named[name]) for name in loops])

    def _epilogue(
        self, printer: VectorPrinter, total: Value, indices: tuple[str, ...]
    ) -> tuple[Value, ...]:
        if self.match.epilogue is None:
            return (total,)
        values: list[Value] = []
        for j, access in enumerate(self.match.extra):
            if access is None:
                values.append(total)
                continue
            place = self._index(access, indices)
            if access.strides[-1]:
                load = printer.vectors.load(access.buffer, place, access.strides[-1])
                printer.declare(f"e{j}", load)
                values.append(Value(f"e{j}", "vector"))
            else:
                printer.lines.append(f"const float e{j} = {access.buffer}[{place}];")
                values.append(Value(f"e{j}", "scalar"))
        block = self.match.epilogue.body.block
        missing = len(block.args) - len(values)
        return printer.body(block, [*values, *[Value("0.0f", "scalar")] * missing])
