"""map on OpenCL: chunks of vectors per work item (cpu), or a grid of vectors (gpu)."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace

from mbc.codegen.emitters.opencl.elements import Lanes, Loader
from mbc.codegen.emitters.opencl.frame import Frame, ceil_div, fitting_width, number
from mbc.codegen.families import Match, Schedule
from mbc.codegen.families.map import MapMatch
from mbc.codegen.loops import Nest
from mbc.codegen.program import KernelCode
from mbc.codegen.targets import Target


def emit(match: Match, schedule: Schedule, target: Target) -> KernelCode:
    assert isinstance(match, MapMatch)
    nest = _with_a_loop(match.nest)
    extents = tuple((f"N{d}", extent) for d, extent in enumerate(nest.extents))
    frame = Frame(match, schedule, target, extents)
    return target.in_style(STYLES)(frame, nest, match)


def emit_cpu(frame: Frame, nest: Nest, match: MapMatch) -> KernelCode:
    inner, rows = nest.extents[-1], math.prod(nest.extents[:-1])
    width = _width(frame, nest)
    chunk = min(number(frame.schedule, "parallel") * width, _padded(inner, width))
    rows_per_item = max(1, number(frame.schedule, "parallel") * width // chunk)
    rows_per_item = min(rows_per_item, rows)
    grid = (ceil_div(inner, chunk), ceil_div(rows, rows_per_item), 1)
    return frame.code(
        "opencl/cpu_map.cl.j2",
        grid,
        (1, 1, 1),
        chunk=chunk,
        rows=rows,
        rows_per_item=rows_per_item,
        **_text(frame, nest, match, width),
    )


def emit_gpu(frame: Frame, nest: Nest, match: MapMatch) -> KernelCode:
    inner, rows = nest.extents[-1], math.prod(nest.extents[:-1])
    width, group = _width(frame, nest), number(frame.schedule, "parallel")
    items = ceil_div(inner, width) * rows
    unroll = number(frame.schedule, "unroll")
    return frame.code(
        "opencl/gpu_map.cl.j2",
        (ceil_div(items, group * unroll), 1, 1),
        (group, 1, 1),
        items=items,
        per_row=ceil_div(inner, width),
        unroll=unroll,
        **_text(frame, nest, match, width),
    )


STYLES: dict[str, Callable[[Frame, Nest, MapMatch], KernelCode]] = {
    "cpu": emit_cpu,
    "gpu": emit_gpu,
}


def _with_a_loop(nest: Nest) -> Nest:
    """A single element is a loop of extent 1."""
    if nest.extents:
        return nest
    return Nest(
        (1,),
        ("parallel",),
        tuple(replace(a, strides=(0,)) for a in nest.inputs),
        tuple(replace(a, strides=(0,)) for a in nest.outputs),
    )


def _width(frame: Frame, nest: Nest) -> int:
    contiguous = all(a.strides[-1] == 1 for a in nest.outputs)
    width = number(frame.schedule, "vector") if contiguous else 1
    return fitting_width(width, nest.extents[-1])


def _padded(extent: int, width: int) -> int:
    return ceil_div(extent, width) * width


def _text(frame: Frame, nest: Nest, match: MapMatch, width: int) -> dict[str, object]:
    """The loop body and the names that it uses."""
    named = frame.named_extents()
    loops = len(nest.extents)
    inner = named[-1][0]
    indices = (*row_names(loops - 1), "i")
    count = f"{inner} - i" if nest.extents[-1] % width else ""
    loader = Loader(Lanes(width, indices, named, loops - 1, count))
    inputs = loader.read_all(nest.inputs)
    printed = loader.lanes.printer.body(match.op.body.block, inputs, "t")
    stores = [
        loader.lanes.store(access, value)
        for access, value in zip(nest.outputs, printed.results, strict=True)
    ]
    return {
        "width": width,
        "inner": inner,
        "has_rows": loops > 1,
        "row_indices": row_indices(named[:-1]),
        "uniform": loader.uniform,
        "lines": [*loader.lines, *printed.lines, *stores],
    }


def row_names(loops: int) -> tuple[str, ...]:
    """What the loops around the row are called; a single one is the row itself."""
    return ("row",) if loops == 1 else tuple(f"i{d}" for d in range(loops))


def row_indices(extents: tuple[tuple[str, int], ...]) -> list[tuple[str, str]]:
    """(i0, row / k0_N1), (i1, row % k0_N1): loop indices from the linear row."""
    if len(extents) <= 1:
        return []
    found: list[tuple[str, str]] = []
    for d, name in enumerate(row_names(len(extents))):
        trailing = " * ".join(extent for extent, _ in extents[d + 1 :])
        product = f"({trailing})" if "*" in trailing else trailing
        text = f"row / {product}" if trailing else "row"
        found.append((name, f"{text} % {extents[d][0]}" if d else text))
    return found
