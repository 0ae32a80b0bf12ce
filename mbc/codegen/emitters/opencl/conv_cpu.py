"""conv on OpenCL, cpu style: vectors of filters, or of results along a row.

A first launch copies the input between its zeros, so that the sums need no branches.
"""

from __future__ import annotations

from dataclasses import replace

from mbc.codegen.emitters.conv_held import Held, Read
from mbc.codegen.emitters.conv_index import ConvIndex, conv_extents
from mbc.codegen.emitters.conv_text import plus, row_readers, scaled
from mbc.codegen.emitters.opencl.conv_results import COLUMNS, FILTERS, Place, epilogue
from mbc.codegen.emitters.opencl.frame import Frame, ceil_div, number, numbers
from mbc.codegen.families import Schedule
from mbc.codegen.families.conv_match import ConvMatch
from mbc.codegen.program import Buffer, KernelCode, Launch
from mbc.codegen.targets import Target


class CpuConv:
    """The kernel with its launches."""

    def __init__(
        self, match: ConvMatch, schedule: Schedule, target: Target, read: Read
    ):
        self.match, self.held = match, Held(match, read)
        channels = match.batch * match.groups * match.channels
        held = Buffer("s0", "f32", (channels, *self.held.extents), "scratch")
        scratch = (held,) if self.held.is_copied else ()
        extents = conv_extents(match, self.held)
        self.frame = Frame(match, schedule, target, extents, scratch)
        self.index = ConvIndex(match, self.held, self.frame.name)

    def start(self, row: str, column: str) -> str:
        """Where the result at (z, row, column) starts to read."""
        held = "s0" if self.held.is_copied else self.match.input
        group = self.index.group("P" if self.held.is_copied else "I")
        return plus(f"{held} + {group}", self.index.corner(row, column))

    def code(
        self, template: str, grid: tuple[int, int], **context: object
    ) -> KernelCode:
        """Images, groups and phases are the third dimension of the grid."""
        match, name = self.match, self.frame.name
        code = self.frame.code(
            template,
            (*grid, self.index.images()),
            (1, 1, 1),
            axes=self.index.axes,
            grouped=match.groups > 1,
            names={extent: name(extent) for extent, _ in self.frame.extents},
            pitches=self.index.pitches,
            input=match.input,
            copied=self.held.is_copied,
            copies=self.held.copies(),
            lows=[axis.low for axis in match.axes],
            **context,
        )
        if not self.held.is_copied:
            return code
        channels = match.batch * match.groups * match.channels
        grid = (self.held.extents[0], channels)
        fill = Launch(f"{code.label}_pad", (match.input, "s0"), (*grid, 1))
        return replace(code, launches=(fill, *code.launches))


def emit_filters(match: ConvMatch, schedule: Schedule, target: Target) -> KernelCode:
    """A work item sums up some results in a few vectors of filters."""
    conv = CpuConv(match, schedule, target, "elements")
    name, index = conv.frame.name, conv.index
    width, vectors = _vectors(match, schedule)
    counts, results = match.phase_results(), match.longest
    rows, columns = min(numbers(schedule, "tile")[0], results), width * vectors
    ragged = match.filters % columns != 0
    place = Place(conv.index, ("z", "y", "x"))
    lanes = place.lanes(width, FILTERS, count=f"{name('F')} - f" if ragged else "")
    return conv.code(
        "opencl/cpu_conv.cl.j2",
        (ceil_div(results, rows), ceil_div(match.filters, columns)),
        rows=rows,
        vectors=vectors,
        width=width,
        columns=columns,
        type=lanes.printer.type("float"),
        guarded=any(count % rows for count in counts),
        varied=any(axis.varies for axis in match.axes),
        ragged=ragged and vectors > 1,
        count=index.count(),
        start=conv.start("y", "x"),
        at=index.input_at(index.axes[1].input()),
        weight=index.weight_start("f0", columns),
        load=_load(conv, width, vectors, ragged),
        below=epilogue(lanes, "tile[r][v]", place),
    )


def _vectors(match: ConvMatch, schedule: Schedule) -> tuple[int, int]:
    """Lanes, and vectors of a work item: no more than filters, dividing the panel."""
    vectors, width = numbers(schedule, "tile")[1], number(schedule, "vector")
    while width > max(match.filters, 1):
        width //= 2
    vectors = min(vectors, ceil_div(match.filters, width))
    panel = match.weight.panel
    while panel and panel % (width * vectors):
        vectors, width = (vectors - 1, width) if vectors > 1 else (1, width // 2)
    return width, vectors


def _load(conv: CpuConv, width: int, vectors: int, ragged: bool) -> str:
    """Vector v of the weight at a tap."""
    weight = conv.match.weight
    lane = scaled("v", width if weight.panel else width * weight.filter)
    moved = conv.index.weight_at(conv.index.axes[1].window())
    pointer = plus(plus("w", lane if vectors > 1 else "0"), moved)
    if width == 1:
        return f"*({pointer})"
    if weight.panel:
        return f"vload{width}(0, {pointer})"
    left = f"{conv.frame.name('F')} - f0"
    if vectors > 1:
        left = f"{left} - v * {width}"
    count = left if ragged else str(width)
    return f"mbc_gather{width}({pointer}, {weight.filter}, {count})"


def emit_rows(match: ConvMatch, schedule: Schedule, target: Target) -> KernelCode:
    """A work item sums up some rows of one filter, in vectors along them."""
    conv = CpuConv(match, schedule, target, "vectors")
    index, (z, y, x) = conv.index, match.axes
    rows = min(numbers(schedule, "tile")[0], y.shortest)
    width = number(schedule, "vector")
    while width > x.shortest:
        width //= 2
    ragged = any(phase.results % width for phase in x.phases)
    place = Place(conv.index, ("z", "(y0 + r)", "x"))
    lanes = place.lanes(width, COLUMNS, skip="done" if ragged else "")
    blocks = ceil_div(y.longest, rows)
    shared = match.shares_rows(rows)
    return conv.code(
        "opencl/cpu_conv_rows.cl.j2",
        (blocks * z.longest, match.filters),
        rows=rows,
        width=width,
        type=lanes.printer.type("float"),
        ragged=ragged,
        varied=y.varies or z.varies,
        blocks=blocks,
        start=conv.start("y0", "0"),
        shared=shared,
        weight=index.weight_start("f", 1),
        weight_at=index.weight_at("0" if shared else index.axes[1].window()),
        input_at=index.input_at("0" if shared else index.axes[1].input()),
        steps=_shared_steps(conv, rows, width)
        if shared
        else _own_steps(conv, rows, width),
        below=epilogue(lanes, "sums[r]", place),
    )


def _shared_steps(conv: CpuConv, rows: int, width: int) -> list[str]:
    """Every row of input is loaded once for all results that read it."""
    _, y, x = conv.match.axes
    lines: list[str] = []
    for at, pairs in row_readers(y, rows):
        pointer = plus("p", scaled(conv.index.pitches[2], at))
        lines.append(f"v = {_load_row(pointer, width)};")
        for row, element in pairs:
            factor = f"wt[{element * x.window * conv.match.weight.tap}]"
            lines.append(f"sums[{row}] = mbc_fma(v, {factor}, sums[{row}]);")
    return lines


def _own_steps(conv: CpuConv, rows: int, width: int) -> list[str]:
    """Every result row loads what it reads at this tap."""
    lines: list[str] = []
    for row in range(rows):
        pointer = plus(
            "p", scaled(conv.index.pitches[2], row * conv.match.axes[1].stride)
        )
        lines.append(f"v = {_load_row(pointer, width)};")
        lines.append(f"sums[{row}] = mbc_fma(v, wt[0], sums[{row}]);")
    return lines


def _load_row(pointer: str, width: int) -> str:
    return f"*({pointer})" if width == 1 else f"vload{width}(0, {pointer})"
