"""scan on GPUs: a work group scans a row tile by tile, a work item a column.

Where rows alone would leave the GPU idle each is cut into parts: their folds first,
then what lies before each, then the scans of all parts at once.
"""

from __future__ import annotations

from dataclasses import replace

from mbc.codegen.emitters.simt import SimtFrame
from mbc.codegen.expression import ScalarPrinter
from mbc.codegen.families import Match, Schedule
from mbc.codegen.families.scan import ScanMatch
from mbc.codegen.loops import Access, index_text
from mbc.codegen.program import Buffer, KernelCode, Launch
from mbc.codegen.targets import Target

PARTIAL = "s0"
STARTS = {"sum": "0.0f", "prod": "1.0f", "max": "-MBC_INF", "min": "MBC_INF"}
FOLDS = {
    "sum": "{0} + {1}",
    "prod": "{0} * {1}",
    "max": "mbc_maximum({0}, {1})",
    "min": "mbc_minimum({0}, {1})",
}
GROUPS_PER_UNIT = 4
"""Fewer groups than this per multiprocessor call for parts."""
TILES_PER_PART = 4
"""A part is worth two launches from this many tiles on."""


def emit(match: Match, schedule: Schedule, target: Target) -> KernelCode:
    assert isinstance(match, ScanMatch)
    form = emit_rows if match.inner == 1 else emit_columns
    return form(match, schedule, target)


def emit_rows(match: ScanMatch, schedule: Schedule, target: Target) -> KernelCode:
    extents = (("OUTER", match.outer), ("LENGTH", match.length))
    frame = SimtFrame(match, schedule, target, extents)
    size, each = frame.number("parallel"), frame.number("vector")
    parts, part_length = _parts(match, target, size * each)
    if parts > 1:
        partial = Buffer(PARTIAL, "f32", (match.outer, parts), "scratch")
        frame = replace(frame, scratch=(partial,))
    label, block = frame.label, (size, 1, 1)
    grid = (match.outer * parts, 1, 1)
    launches = [Launch(label, (), grid, block)]
    if parts > 1:
        fold = Launch(f"{label}_fold", (), grid, block)
        before = Launch(f"{label}_parts", (), (match.outer, 1, 1), (1, 1, 1))
        launches = [fold, before, *launches]
    text = _Text(frame, match, ("row", "r"))
    spelling = frame.spelling
    return frame.code(
        "common/scan_simt.j2",
        launches,
        **_context(match),
        length=f"{label}_LENGTH",
        size=size,
        each=each,
        parts=parts,
        part_length=part_length,
        partial=PARTIAL,
        kernel=spelling.kernel.format(size),
        one=spelling.kernel.format(1),
        scan=spelling.scan.format(size, match.kind),
        group_fold=spelling.fold.format(size, match.kind),
        element=text.element(),
        ending=text.ending("result"),
    )


def _parts(match: ScanMatch, target: Target, tile: int) -> tuple[int, int]:
    """How many parts a row has, and the length of all but the last."""
    tiles = -(-match.length // tile)
    wanted = GROUPS_PER_UNIT * target.peaks.units // match.outer
    parts = max(1, min(wanted, tiles // TILES_PER_PART))
    length = -(-tiles // parts) * tile
    return -(-match.length // length), length


def emit_columns(match: ScanMatch, schedule: Schedule, target: Target) -> KernelCode:
    extents = (("OUTER", match.outer), ("LENGTH", match.length), ("INNER", match.inner))
    frame = SimtFrame(match, schedule, target, extents)
    size, label = frame.number("parallel"), frame.label
    items = match.outer * match.inner
    text = _Text(frame, match, ("o", "r", "i"))
    launch = Launch(label, (), (-(-items // size), 1, 1), (size, 1, 1))
    return frame.code(
        "common/scan_columns_simt.j2",
        [launch],
        **_context(match),
        kernel=frame.spelling.kernel.format(size),
        length=f"{label}_LENGTH",
        outer=f"{label}_OUTER",
        inner=f"{label}_INNER",
        element=text.element(),
        ending=text.ending("result"),
    )


def _context(match: ScanMatch) -> dict[str, object]:
    return {
        "kind": match.kind,
        "exclusive": match.exclusive,
        "reverse": match.reverse,
        "neutral": STARTS[match.kind],
        "fold": FOLDS[match.kind].format,
    }


class _Text:
    """Scalar statements around one element of the loops `indices`."""

    def __init__(self, frame: SimtFrame, match: ScanMatch, indices: tuple[str, ...]):
        self.frame, self.match, self.indices = frame, match, indices
        self.printer = ScalarPrinter(frame.target)

    def element(self) -> tuple[list[str], str]:
        """Statements, and the text of what is scanned."""
        reads = [self._read(access) for access in self.match.inputs]
        if self.match.prologue is None:
            return [], reads[0]
        block = self.match.prologue.body.block
        unused = ["0.0f"] * (len(block.args) - len(reads))
        printed = self.printer.body(block, [*reads, *unused], "p")
        return list(printed.lines), printed.results[0]

    def ending(self, result: str) -> list[str]:
        """From the scanned value to the stores."""
        lines, values = list[str](), [result]
        if self.match.epilogue is not None:
            reads = [result if a is None else self._read(a) for a in self.match.extra]
            block = self.match.epilogue.body.block
            unused = ["0.0f"] * (len(block.args) - len(reads))
            printed = self.printer.body(block, [*reads, *unused], "e")
            lines, values = list(printed.lines), list(printed.results)
        stores = zip(self.match.out, values, strict=True)
        return [*lines, *(f"{self._read(a)} = {value};" for a, value in stores)]

    def _read(self, access: Access) -> str:
        count = len(self.indices)
        flat = replace(access, strides=access.strides[:count])
        return f"{access.buffer}[{index_text(flat, self.indices, self.frame.named)}]"
