"""window on GPUs: a work item folds one window; neighbours read the same lines."""

from __future__ import annotations

import math

from mbc.codegen.emitters.simt import SimtFrame
from mbc.codegen.emitters.window_names import WindowNames, place_text
from mbc.codegen.expression import ScalarPrinter
from mbc.codegen.families import Match, Schedule
from mbc.codegen.families.window import WindowMatch
from mbc.codegen.loops import index_text
from mbc.codegen.program import KernelCode, Launch
from mbc.codegen.targets import Target
from mbc.ir.types import shape_of

STARTS = {"max": "-MBC_INF", "sum": "0.0f"}
FOLDS = {"max": "mbc_maximum(total, x)", "sum": "total + x"}


def emit(match: Match, schedule: Schedule, target: Target) -> KernelCode:
    assert isinstance(match, WindowMatch)
    names = WindowNames(match)
    frame = SimtFrame(match, schedule, target, names.extents())
    size, label = frame.number("parallel"), frame.label
    items = math.prod(shape_of(match.op.result))
    return frame.code(
        "common/window_simt.j2",
        [Launch(label, (), (-(-items // size), 1, 1), (size, 1, 1))],
        kernel=frame.spelling.kernel.format(size),
        kind=match.op.str_of("kind"),
        items=" * ".join(names.loop_extents(label)),
        indices=_indices(names, label),
        axes=_axes(match, names, label),
        element=_element(match, names, label),
        start=STARTS[match.kind],
        fold=FOLDS[match.kind],
        divisor=match.divisor(),
        ending=_ending(match, names, label, dict(frame.named), target),
    )


def _indices(names: WindowNames, label: str) -> list[tuple[str, str]]:
    """The loops' indices, innermost first, each from what is left of `rest`."""
    pairs = list(zip(names.loops(), names.loop_extents(label), strict=True))
    found: list[tuple[str, str]] = []
    rest = "item"
    for number, (loop, extent) in reversed(list(enumerate(pairs))):
        found.append((loop, f"{rest} % {extent}" if number else rest))
        rest = f"{rest} / {extent}"
    return found


def _axes(
    match: WindowMatch, names: WindowNames, label: str
) -> list[dict[str, object]]:
    return [
        {
            "name": name.lower(),
            "extent": f"{label}_{name}",
            "taps": axis.taps,
            "stride": axis.stride,
            "at": place_text(axis, name.lower()),
            "low": axis.low,
            "margin": margin,
        }
        for name, axis, margin in zip(names.axes, match.axes, match.margins)
    ]


def _element(match: WindowMatch, names: WindowNames, label: str) -> str:
    text = names.start(label).removeprefix(f"{match.source} + ")
    return f"{match.source}[{text} + w]"


def _ending(
    match: WindowMatch,
    names: WindowNames,
    label: str,
    named: dict[str, int],
    target: Target,
) -> list[str]:
    """From the finished fold to the stores of every result."""
    loops = names.loops()
    extents = [(name, named[name]) for name in names.loop_extents(label)]
    lines: list[str] = []
    values = ["total"] * len(match.out)
    if match.epilogue is not None:
        reads: list[str] = []
        for access in match.extra:
            place = "" if access is None else index_text(access, loops, extents)
            reads.append("total" if access is None else f"{access.buffer}[{place}]")
        block = match.epilogue.body.block
        reads += ["0.0f"] * (len(block.args) - len(reads))
        printed = ScalarPrinter(target).body(block, reads)
        lines, values = list(printed.lines), list(printed.results)
    stores = [
        f"{access.buffer}[{index_text(access, loops, extents)}] = {value};"
        for access, value in zip(match.out, values, strict=True)
    ]
    return [*lines, *stores]
