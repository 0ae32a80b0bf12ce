"""conv on OpenCL, gpu style: tiles in local memory, or a column of results per item.

Products of a sum are numbered through channels and taps, and a tile takes some of
them at a time; what lies outside the input is 0 as it is read.
"""

from __future__ import annotations

from mbc.codegen.emitters.conv_columns import column_steps, own_steps
from mbc.codegen.emitters.conv_held import Held
from mbc.codegen.emitters.conv_index import ConvIndex, conv_extents
from mbc.codegen.emitters.opencl.conv_results import COLUMNS, Place, epilogue
from mbc.codegen.emitters.opencl.frame import Frame, ceil_div, numbers
from mbc.codegen.families import Schedule
from mbc.codegen.families.conv_match import ConvMatch
from mbc.codegen.program import KernelCode
from mbc.codegen.targets import Target


def emit_tiles(match: ConvMatch, schedule: Schedule, target: Target) -> KernelCode:
    """A work group does a tile of filters and results, in steps of the sum."""
    frame, index = _frame(match, schedule, target)
    filters, results, depth = numbers(schedule, "tile")
    across, down = numbers(schedule, "parallel")
    place = Place(index, ("z", "y", "x"))
    padded = [axis.input(axis.letter) for axis in index.axes]
    lines, inside, at = index.checked(padded)
    grid = (
        ceil_div(match.longest, results),
        ceil_div(match.filters, filters),
        index.images(),
    )
    return frame.code(
        "opencl/gpu_conv.cl.j2",
        grid,
        (across, down, 1),
        **_context(frame, index),
        filters=filters,
        results=results,
        depth=depth,
        item_filters=filters // down,
        item_results=results // across,
        count=index.count(),
        varied=any(axis.varies for axis in match.axes),
        sum_length=index.depth(),
        decoded=index.decoded("k", frame.index_type()),
        places=lines,
        inside=inside,
        read=f"{match.input} + {index.group()}",
        at=at,
        weight=index.weight_start("f", 1),
        weight_at=index.weight_at(index.axes[1].window()),
        **index.weight_order(filters, depth),
        below=epilogue(place.lanes(1, COLUMNS), "sums[r][q]", place),
    )


def emit_columns(match: ConvMatch, schedule: Schedule, target: Target) -> KernelCode:
    """A work item sums up some neighbours in a column of one filter's results."""
    frame, index = _frame(match, schedule, target)
    z, y, x = match.axes
    rows = min(numbers(schedule, "tile")[0], y.shortest)
    across, down = numbers(schedule, "parallel")
    place = Place(index, ("z", "(y0 + r)", "x"))
    blocks = ceil_div(ceil_div(y.longest, rows), down)
    grid = (
        ceil_div(x.longest, across),
        blocks * z.longest,
        index.images() * match.filters,
    )
    shared = match.shares_rows(rows)
    return frame.code(
        "opencl/gpu_conv_rows.cl.j2",
        grid,
        (across, down, 1),
        **_context(frame, index),
        rows=rows,
        blocks=blocks,
        read=f"{match.input} + {index.group()}",
        weight=index.weight_start("f", 1),
        steps=(column_steps if shared else own_steps)(index, rows, "sums"),
        shared=shared,
        below=epilogue(place.lanes(1, COLUMNS), "sums[r]", place),
    )


def _frame(
    match: ConvMatch, schedule: Schedule, target: Target
) -> tuple[Frame, ConvIndex]:
    held = Held(match, "checked")
    frame = Frame(match, schedule, target, conv_extents(match, held))
    return frame, ConvIndex(match, held, frame.name)


def _context(frame: Frame, index: ConvIndex) -> dict[str, object]:
    return {
        "axes": index.axes,
        "grouped": index.match.groups > 1,
        "names": {extent: frame.name(extent) for extent, _ in frame.extents},
    }
