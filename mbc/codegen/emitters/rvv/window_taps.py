"""The elements of a row that neighbouring windows take at one tap, as a vector.

Windows `stride` columns apart take every `stride`-th element. One load brings all
fields of the segments that the first taps lie in; a tap one segment further on is the
same field moved down by one lane, with one new element behind it.
"""

from __future__ import annotations

from collections.abc import Sequence

from mbc.codegen.emitters.rvv.vector_body import VectorPrinter

LARGEST_GROUP = 8
"""Registers that the fields of one segment load may take."""
PAIR = 2


def uses_fields(places: Sequence[int], stride: int) -> bool:
    """Whether segments bring more than one tap in each load."""
    return 1 < stride <= LARGEST_GROUP and len(places) > 1


class PlainTaps:
    """A load per tap, strided where windows are."""

    def __init__(self, printer: VectorPrinter, row: str, index: str, stride: int):
        self.printer, self.row, self.stride = printer, row, stride
        self.start = index if stride == 1 else f"{index} * {stride}"

    def at(self, place: int) -> str:
        """The name of the vector of elements `place` behind the windows' starts."""
        index = f"{self.start} + {place}" if place else self.start
        name = f"x{place}"
        load = self.printer.vectors.load(self.row, index, self.stride)
        self.printer.declare(name, load)
        return name


class FieldTaps:
    """Fields of segments of `stride` elements."""

    def __init__(self, printer: VectorPrinter, row: str, index: str, stride: int):
        self.printer, self.stride, self.vectors = printer, stride, printer.vectors
        self.first = f"{row} + {index} * {stride}"
        self.behind = f"{row}[({index} + vl) * {stride}"
        self.known: set[int] = set()
        self._load()

    def at(self, place: int) -> str:
        name = f"x{place}"
        if place in self.known:
            return name
        self.known.add(place)
        if place < self.stride:
            self.printer.declare(name, self._field(place))
            return name
        before = place - self.stride
        new = f"{self.behind} + {before}]" if before else f"{self.behind}]"
        moved = self.vectors.call("vfslide1down", self.at(before), new).text
        self.printer.declare(name, moved)
        return name

    def _load(self) -> None:
        lmul, stride, vl = self.vectors.lmul, self.stride, self.vectors.length
        type = f"f32m{lmul}x{stride}"
        if stride == PAIR:
            words, pairs = f"u32m{2 * lmul}", f"u64m{2 * lmul}"
            load = f"__riscv_vle32_v_f32m{2 * lmul}({self.first}, {PAIR} * {vl})"
            self.printer.lines += [
                f"const vfloat32m{2 * lmul}_t both = {load};",
                f"const vuint32m{2 * lmul}_t bits = "
                f"__riscv_vreinterpret_v_f32m{2 * lmul}_{words}(both);",
                f"const vuint64m{2 * lmul}_t pairs = "
                f"__riscv_vreinterpret_v_{words}_{pairs}(bits);",
            ]
            return
        load = f"__riscv_vlseg{stride}e32_v_{type}({self.first}, {vl})"
        self.printer.lines.append(f"const vfloat32m{lmul}x{stride}_t fields = {load};")

    def _field(self, place: int) -> str:
        lmul, vl = self.vectors.lmul, self.vectors.length
        if self.stride == PAIR:
            half = f"__riscv_vnsrl(pairs, {32 * place}, {vl})"
            return f"__riscv_vreinterpret_v_u32m{lmul}_f32m{lmul}({half})"
        type = f"f32m{lmul}x{self.stride}"
        return f"__riscv_vget_v_{type}_f32m{lmul}(fields, {place})"
