"""arg_reduce on OpenCL, cpu style: chunks of rows, or vectors across columns."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from mbc.codegen.emitters.arg_reduce_simt import SIGNS
from mbc.codegen.emitters.arg_reduce_simt import emit as emit_gpu
from mbc.codegen.emitters.opencl.elements import Lanes, Loader
from mbc.codegen.emitters.opencl.frame import Frame, ceil_div, fitting_width, number
from mbc.codegen.emitters.opencl.row_text import FOLDINGS, across_lanes
from mbc.codegen.families import Match, Schedule
from mbc.codegen.families.arg_reduce import ArgReduceMatch
from mbc.codegen.loops import Access
from mbc.codegen.program import KernelCode
from mbc.codegen.targets import Target

CHUNK = 1024
"""Elements; a small part of the first cache."""


def emit(match: Match, schedule: Schedule, target: Target) -> KernelCode:
    return target.in_style(STYLES)(match, schedule, target)


def emit_cpu(match: Match, schedule: Schedule, target: Target) -> KernelCode:
    assert isinstance(match, ArgReduceMatch)
    form = emit_rows if match.inner == 1 else emit_columns
    return form(match, schedule, target)


STYLES: dict[str, Callable[[Match, Schedule, Target], KernelCode]] = {
    "cpu": emit_cpu,
    "gpu": emit_gpu,
}


def emit_rows(match: ArgReduceMatch, schedule: Schedule, target: Target) -> KernelCode:
    extents = (("OUTER", match.outer), ("REDUCED", match.reduced))
    frame = Frame(match, schedule, target, extents)
    width = max(4, fitting_width(number(schedule, "vector"), match.reduced))
    lanes = Lanes(width, ("row", "i"), frame.named_extents(), 1)
    loader = Loader(lanes)
    full = _row_step(match, loader, "")
    some = _row_step(match, Loader(replace(lanes, count="rest")), "rest")
    return frame.code(
        "opencl/cpu_arg_reduce.cl.j2",
        (match.outer, 1, 1),
        (1, 1, 1),
        width=width,
        chunk=CHUNK,
        type=f"float{width}",
        start=f"(float{width})({FOLDINGS[match.kind].start})",
        across=across_lanes(match.kind, width, "lanes"),
        full=full,
        some=some if match.reduced % width else [],
        uniform=loader.uniform,
        search=_element(match, Loader(replace(lanes, width=1)), (0, 1)),
        **_context(match, frame),
    )


def _context(match: ArgReduceMatch, frame: Frame) -> dict[str, object]:
    return {
        "kind": match.kind,
        "sign": SIGNS[match.kind],
        "reduced": frame.name("REDUCED"),
        "where": match.where,
        "value": match.value,
    }


def _element(
    match: ArgReduceMatch, loader: Loader, loops: tuple[int, ...]
) -> tuple[list[str], str]:
    """Statements, and the text of what is compared."""

    def narrowed(access: Access) -> Access:
        return replace(access, strides=tuple(access.strides[d] for d in loops))

    inputs = loader.read_all([narrowed(a) for a in match.inputs])
    if match.prologue is None:
        return loader.lines, loader.lanes.printer.spread(inputs[0])
    printed = loader.lanes.printer.body(match.prologue.body.block, inputs, "p")
    value = loader.lanes.printer.spread(printed.results[0])
    return [*loader.lines, *printed.lines], value


def _row_step(match: ArgReduceMatch, loader: Loader, count: str) -> list[str]:
    kind, width = FOLDINGS[match.kind], loader.lanes.width
    lines, value = _element(match, loader, (0, 1))
    if count:
        value = f"mbc_first{width}({value}, {count}, {kind.start})"
    return [
        *lines,
        f"const float{width} x = {value};",
        f"lanes = {kind.combine.format('lanes', 'x')};",
    ]


def emit_columns(
    match: ArgReduceMatch, schedule: Schedule, target: Target
) -> KernelCode:
    extents = (
        ("OUTER", match.outer),
        ("REDUCED", match.reduced),
        ("INNER", match.inner),
    )
    frame = Frame(match, schedule, target, extents)
    width = fitting_width(number(schedule, "vector"), match.inner)
    vectors = min(number(schedule, "parallel"), ceil_div(match.inner, width))
    span = width * vectors
    count = f"{frame.name('INNER')} - i" if match.inner % span else ""
    loader = Loader(Lanes(width, ("o", "r", "i"), frame.named_extents(), 2, count))
    lines, value = _element(match, loader, (0, 1, 2))
    type, int_type = (
        loader.lanes.printer.type("float"),
        loader.lanes.printer.type("int"),
    )
    return frame.code(
        "opencl/cpu_arg_reduce_columns.cl.j2",
        (ceil_div(match.inner, span), match.outer, 1),
        (1, 1, 1),
        vectors=vectors,
        width=width,
        type=type,
        int_type=int_type,
        start=FOLDINGS[match.kind].start,
        inner=frame.name("INNER"),
        step=[*loader.uniform, *lines, f"const {type} x = {value};"],
        **_context(match, frame),
    )
