"""pointwise on OpenCL: chunks of neighbours per work item (cpu), or a grid (gpu)."""

from __future__ import annotations

import math
from collections.abc import Callable

from mbc.codegen.emitters.opencl.frame import Frame, ceil_div, number
from mbc.codegen.emitters.opencl.map import row_indices, row_names
from mbc.codegen.emitters.pointwise import statements, with_a_loop
from mbc.codegen.families import Match, Schedule
from mbc.codegen.families.map import MapMatch
from mbc.codegen.loops import Nest
from mbc.codegen.program import KernelCode
from mbc.codegen.targets import Target


def emit(match: Match, schedule: Schedule, target: Target) -> KernelCode:
    assert isinstance(match, MapMatch)
    nest = with_a_loop(match.nest)
    extents = tuple((f"N{d}", extent) for d, extent in enumerate(nest.extents))
    frame = Frame(match, schedule, target, extents)
    return target.in_style(STYLES)(frame, nest, match)


def emit_cpu(frame: Frame, nest: Nest, match: MapMatch) -> KernelCode:
    inner, rows = nest.extents[-1], math.prod(nest.extents[:-1])
    most = number(frame.schedule, "parallel")
    chunk = min(most, inner)
    rows_per_item = min(max(1, most // chunk), rows)
    return frame.code(
        "opencl/cpu_map.cl.j2",
        (ceil_div(inner, chunk), ceil_div(rows, rows_per_item), 1),
        (1, 1, 1),
        chunk=chunk,
        rows=rows,
        rows_per_item=rows_per_item,
        **_text(frame, nest, match),
    )


def emit_gpu(frame: Frame, nest: Nest, match: MapMatch) -> KernelCode:
    points, group = nest.points(), number(frame.schedule, "parallel")
    unroll = number(frame.schedule, "unroll")
    return frame.code(
        "opencl/gpu_map.cl.j2",
        (ceil_div(points, group * unroll), 1, 1),
        (group, 1, 1),
        items=points,
        per_row=nest.extents[-1],
        unroll=unroll,
        **_text(frame, nest, match),
    )


STYLES: dict[str, Callable[[Frame, Nest, MapMatch], KernelCode]] = {
    "cpu": emit_cpu,
    "gpu": emit_gpu,
}


def _text(frame: Frame, nest: Nest, match: MapMatch) -> dict[str, object]:
    """What the templates of map take, for one element at a time."""
    named, loops = frame.named_extents(), len(nest.extents)
    indices = (*row_names(loops - 1), "i")
    found = statements(match, nest, frame.target, indices, named)
    return {
        "width": 1,
        "inner": named[-1][0],
        "has_rows": loops > 1,
        "row_indices": row_indices(named[:-1]),
        "uniform": found.uniform,
        "lines": found.lines,
    }
