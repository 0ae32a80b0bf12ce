"""scan on OpenCL, cpu style: vectors along rows, or across columns.

A vector is scanned by shuffles in log2(width) steps. Where there are too few rows to
go round, each is cut into parts: their folds first, then what lies before each.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from xdsl.dialects.linalg import ops as linalg

from mbc.codegen.emitters.opencl.elements import Lanes, Loader
from mbc.codegen.emitters.opencl.frame import Frame, ceil_div, fitting_width, number
from mbc.codegen.emitters.opencl.row_text import FOLDINGS, across_lanes
from mbc.codegen.emitters.opencl.vector_body import PrintedVectors, Value
from mbc.codegen.emitters.scan_simt import emit as emit_gpu
from mbc.codegen.families import Match, Schedule
from mbc.codegen.families.scan import ScanMatch
from mbc.codegen.loops import Access
from mbc.codegen.program import Buffer, KernelCode, Launch
from mbc.codegen.targets import Target

PARTIAL = "s0"
HEX = "0123456789abcdef"


def emit(match: Match, schedule: Schedule, target: Target) -> KernelCode:
    return target.in_style(STYLES)(match, schedule, target)


def emit_cpu(match: Match, schedule: Schedule, target: Target) -> KernelCode:
    assert isinstance(match, ScanMatch)
    form = emit_rows if match.inner == 1 else emit_columns
    return form(match, schedule, target)


STYLES: dict[str, Callable[[Match, Schedule, Target], KernelCode]] = {
    "cpu": emit_cpu,
    "gpu": emit_gpu,
}


def emit_rows(match: ScanMatch, schedule: Schedule, target: Target) -> KernelCode:
    width = max(4, fitting_width(number(schedule, "vector"), match.length))
    parts = number(schedule, "parallel")
    part = ceil_div(ceil_div(match.length, parts), width) * width
    parts = ceil_div(match.length, part)
    partial = Buffer(PARTIAL, "f32", (match.outer, parts), "scratch")
    extents = (("OUTER", match.outer), ("LENGTH", match.length))
    scratch = (partial,) if parts > 1 else ()
    frame = Frame(match, schedule, target, extents, scratch)
    row = _Row(frame, match, width)
    kind = FOLDINGS[match.kind]
    code = frame.code(
        "opencl/cpu_scan.cl.j2",
        (parts, match.outer, 1),
        (1, 1, 1),
        kind=match.kind,
        reverse=match.reverse,
        width=width,
        parts=parts,
        part_length=part,
        length=frame.name("LENGTH"),
        type=f"float{width}",
        start=f"(float{width})({kind.start})",
        neutral=kind.start,
        combine=kind.combine.format,
        across=across_lanes(match.kind, width, "lanes"),
        partial=PARTIAL,
        **row.context(parts),
    )
    return replace(code, launches=_launches(code, parts, match.outer))


def _launches(code: KernelCode, parts: int, rows: int) -> tuple[Launch, ...]:
    (main,) = code.launches
    if parts == 1:
        return (main,)
    fold = replace(main, function=f"{code.label}_fold")
    before = replace(main, function=f"{code.label}_parts", grid=(rows, 1, 1))
    return (fold, before, main)


class _Row:
    """The statements of one vector of a row, whole or the first `rest` lanes of it."""

    def __init__(self, frame: Frame, match: ScanMatch, width: int):
        self.frame, self.match, self.width = frame, match, width
        self.kind = FOLDINGS[match.kind]
        self.uniform: list[str] = []

    def context(self, parts: int) -> dict[str, object]:
        ragged = self.match.length % self.width != 0
        return {
            "full": self._scan(""),
            "some": self._scan("rest") if ragged else [],
            "fold": self._fold("") if parts > 1 else [],
            "fold_some": self._fold("rest") if parts > 1 and ragged else [],
            "uniform": self.uniform,
        }

    def _loader(self, count: str) -> Loader:
        named = self.frame.named_extents()
        return Loader(Lanes(self.width, ("row", "i"), named, 1, count))

    def _keep(self, loader: Loader) -> None:
        """What is the same along a row is declared in front of it, once."""
        self.uniform = list(dict.fromkeys((*self.uniform, *loader.uniform)))

    def _element(self, loader: Loader, count: str) -> list[str]:
        """Declares `x`: what is scanned, neutral behind `count` lanes."""
        inputs = loader.read_all([_row_access(a) for a in self.match.inputs])
        lines: list[str] = []
        value = inputs[0]
        if self.match.prologue is not None:
            printed = _body(loader, self.match.prologue, inputs, "p")
            lines, value = list(printed.lines), printed.results[0]
        text = loader.lanes.printer.spread(value)
        if count:
            text = f"mbc_first{self.width}({text}, {count}, {self.kind.start})"
        self._keep(loader)
        return [*loader.lines, *lines, f"const float{self.width} x = {text};"]

    def _fold(self, count: str) -> list[str]:
        lines = self._element(self._loader(count), count)
        return [*lines, f"lanes = {self.kind.combine.format('lanes', 'x')};"]

    def _scan(self, count: str) -> list[str]:
        loader, width, match = self._loader(count), self.width, self.match
        lines = self._element(loader, count)
        helper = f"mbc_scan{'_back' if match.reverse else ''}_{self.kind.helper}{width}"
        carry = f"(float{width})(carry)"
        total = self.kind.combine.format("within", carry)
        lines += [
            f"const float{width} within = {helper}(x);",
            f"const float{width} total = {total};",
        ]
        result = "total"
        if match.exclusive:
            lines.append(f"const float{width} before = {self._behind()};")
            result = "before"
        lines.append(f"carry = total.s{HEX[0 if match.reverse else width - 1]};")
        loader = loader.for_next_loop()
        end, results = list[str](), (Value(result),)
        if match.epilogue is not None:
            inputs = [
                Value(result) if a is None else loader.read(_row_access(a))
                for a in match.extra
            ]
            printed = _body(loader, match.epilogue, inputs, "e")
            end, results = list(printed.lines), printed.results
        self._keep(loader)
        stores = [
            loader.lanes.store(_row_access(access), value)
            for access, value in zip(match.out, results, strict=True)
        ]
        return [*lines, *loader.lines, *end, *stores]

    def _behind(self) -> str:
        """`total` one lane further on, with the carry in front."""
        lanes = [f"total.s{digit}" for digit in HEX[: self.width]]
        moved = [*lanes[1:], "carry"] if self.match.reverse else ["carry", *lanes[:-1]]
        return f"(float{self.width})({', '.join(moved)})"


def _body(
    loader: Loader, op: linalg.GenericOp, inputs: list[Value], prefix: str
) -> PrintedVectors:
    return loader.lanes.printer.body(op.body.block, inputs, prefix)


def _row_access(access: Access) -> Access:
    return replace(access, strides=access.strides[:2])


def emit_columns(match: ScanMatch, schedule: Schedule, target: Target) -> KernelCode:
    extents = (("OUTER", match.outer), ("LENGTH", match.length), ("INNER", match.inner))
    frame = Frame(match, schedule, target, extents)
    width = fitting_width(number(schedule, "vector"), match.inner)
    vectors = min(number(schedule, "parallel"), ceil_div(match.inner, width))
    kind = FOLDINGS[match.kind]
    lanes = _column_lanes(frame, match, width, width * vectors)
    start = lanes.printer.spread(Value(kind.start, uniform=True))
    return frame.code(
        "opencl/cpu_scan_columns.cl.j2",
        (ceil_div(match.inner, width * vectors), match.outer, 1),
        (1, 1, 1),
        kind=match.kind,
        reverse=match.reverse,
        vectors=vectors,
        width=width,
        type=lanes.printer.type("float"),
        start=start,
        length=frame.name("LENGTH"),
        step=_column_step(match, lanes),
    )


def _column_lanes(frame: Frame, match: ScanMatch, width: int, span: int) -> Lanes:
    count = f"{frame.name('INNER')} - i" if match.inner % span else ""
    return Lanes(width, ("o", "r", "i"), frame.named_extents(), 2, count)


def _column_step(match: ScanMatch, lanes: Lanes) -> list[str]:
    loader, kind = Loader(lanes), FOLDINGS[match.kind]
    inputs = loader.read_all(match.inputs)
    before: list[str] = []
    value = inputs[0]
    if match.prologue is not None:
        printed = _body(loader, match.prologue, inputs, "p")
        before, value = list(printed.lines), printed.results[0]
    more = kind.combine.format("fold[v]", lanes.printer.spread(value))
    end, results = list[str](), (Value("total"),)
    if match.epilogue is not None:
        reads = [Value("total") if a is None else loader.read(a) for a in match.extra]
        printed = _body(loader, match.epilogue, reads, "e")
        end, results = list(printed.lines), printed.results
    stores = [lanes.store(a, v) for a, v in zip(match.out, results, strict=True)]
    type = lanes.printer.type("float")
    old = f"const {type} total = fold[v];"
    taken = (
        [old, f"fold[v] = {more};"] if match.exclusive else [f"fold[v] = {more};", old]
    )
    return [*loader.uniform, *loader.lines, *before, *taken, *end, *stores]
