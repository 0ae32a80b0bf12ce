"""window on OpenCL: chunks of a row of windows (cpu), or a window per item (gpu)."""

from __future__ import annotations

import math
from collections.abc import Callable

from mbc.codegen.emitters.opencl.elements import Lanes, Loader
from mbc.codegen.emitters.opencl.frame import Frame, ceil_div, fitting_width, number
from mbc.codegen.emitters.opencl.map import row_indices
from mbc.codegen.emitters.opencl.row_text import FOLDINGS
from mbc.codegen.emitters.opencl.vector_body import Value
from mbc.codegen.emitters.window_names import WindowNames
from mbc.codegen.emitters.window_simt import emit as emit_gpu
from mbc.codegen.families import Match, Schedule
from mbc.codegen.families.window import WindowMatch
from mbc.codegen.program import KernelCode
from mbc.codegen.targets import Target

PAIR = 2
LONGEST_ROW = 4096
"""Floats that a work item holds for itself."""


def emit(match: Match, schedule: Schedule, target: Target) -> KernelCode:
    return target.in_style(STYLES)(match, schedule, target)


def emit_cpu(match: Match, schedule: Schedule, target: Target) -> KernelCode:
    assert isinstance(match, WindowMatch)
    names = WindowNames(match)
    frame = Frame(match, schedule, target, names.extents())
    columns = match.columns
    width = fitting_width(number(schedule, "vector"), max(2, columns.out))
    chunk = width * min(number(schedule, "parallel"), ceil_div(columns.out, width))
    while chunk > width and _row_length(match, chunk) > LONGEST_ROW:
        chunk -= width
    lines = math.prod(match.planes) * math.prod(axis.out for axis in match.rows)
    kind, label = FOLDINGS[match.kind], frame.label
    return frame.code(
        "opencl/cpu_window.cl.j2",
        (ceil_div(columns.out, chunk), lines, 1),
        (1, 1, 1),
        chunk=chunk,
        needs_end=columns.out % chunk != 0,
        columns=frame.name("OW"),
        width_name=frame.name("W"),
        line_indices=_line_indices(frame, names),
        row_taps=match.row_taps,
        rows=names.rows(label),
        inside=names.inside(label),
        start=names.start(label),
        row=_row_length(match, chunk),
        stride=columns.stride,
        low=columns.low,
        width=width,
        type=f"float{width}",
        fold=kind.combine.format,
        neutral=kind.start,
        scale=names.scale(label, frame.index_type(), width == 1),
        lines=_windows(frame, match, names, width, chunk),
    )


STYLES: dict[str, Callable[[Match, Schedule, Target], KernelCode]] = {
    "cpu": emit_cpu,
    "gpu": emit_gpu,
}


def _row_length(match: WindowMatch, chunk: int) -> int:
    """What all windows of a chunk take, and the ends of vectors behind the last."""
    columns = match.columns
    return (chunk - 1) * columns.stride + columns.span + columns.stride - 1


def _line_indices(frame: Frame, names: WindowNames) -> list[tuple[str, str]]:
    """The loops around a row, from its number `line`."""
    named = dict(frame.named_extents())
    loops = names.loops()[:-1]
    extents = tuple(
        (name, named[name]) for name in names.loop_extents(frame.label)[:-1]
    )
    if len(loops) == 1:
        return [(loops[0], "line")]
    texts = [text.replace("row", "line", 1) for _, text in row_indices(extents)]
    return list(zip(loops, texts, strict=True))


def _windows(
    frame: Frame, match: WindowMatch, names: WindowNames, width: int, chunk: int
) -> list[str]:
    """`width` windows at once: their taps, their division, the epilogue, stores."""
    kind, columns = FOLDINGS[match.kind], match.columns
    named = dict(frame.named_extents())
    extents = tuple((name, named[name]) for name in names.loop_extents(frame.label))
    count = f"{frame.name('OW')} - i" if columns.out % width else ""
    lanes = Lanes(width, (*names.loops()[:-1], "i"), extents, len(extents) - 1, count)
    places = list(range(0, columns.span, columns.dilation))
    lines = [f"float{width} total = {_tap(places[0], columns.stride, width)};"]
    for place in places[1:]:
        value = _tap(place, columns.stride, width)
        lines.append(f"const float{width} x{place} = {value};")
        lines.append(f"total = {kind.combine.format('total', f'x{place}')};")
    lines += names.divided(frame.label, width)
    results: tuple[Value, ...] = (Value("total"),)
    if match.epilogue is not None:
        loader = Loader(lanes)
        inputs = [Value("total") if a is None else loader.read(a) for a in match.extra]
        printed = lanes.printer.body(match.epilogue.body.block, inputs, "e")
        lines += [*loader.uniform, *loader.lines, *printed.lines]
        results = printed.results
    stores = [lanes.store(a, v) for a, v in zip(match.out, results, strict=True)]
    return [*lines, *stores]


def _tap(place: int, stride: int, width: int) -> str:
    """Elements `place` behind the starts of `width` neighbouring windows."""
    if stride == 1:
        return f"vload{width}(0, taps + {place})" if place else f"vload{width}(0, taps)"
    if stride == PAIR:
        half, at = ("odd" if place % PAIR else "even"), place - place % PAIR
        low, high = (f"vload{width}(0, taps + {at + k * width})" for k in (0, 1))
        return f"(float{width})({low}.{half}, {high}.{half})"
    lanes = ", ".join(f"taps[{place + lane * stride}]" for lane in range(width))
    return f"(float{width})({lanes})"
