"""conv in CUDA: double-buffered shared tiles, or a column of results per thread.

Products of a sum are numbered through channels and taps, and a tile takes some of
them at a time; what lies outside the input is 0 as it is read.
"""

from __future__ import annotations

import math

from mbc.codegen.emitters.conv_columns import column_steps, own_steps
from mbc.codegen.emitters.conv_held import Held
from mbc.codegen.emitters.conv_index import ConvIndex, conv_extents
from mbc.codegen.emitters.cuda import conv_matrix
from mbc.codegen.emitters.cuda.conv_results import epilogue
from mbc.codegen.emitters.cuda.signature import Signature, numbers, op_summary
from mbc.codegen.emitters.simt import strip_of
from mbc.codegen.families import Match, Schedule
from mbc.codegen.families.conv_match import ConvMatch
from mbc.codegen.program import KernelCode, Launch
from mbc.codegen.render import render
from mbc.codegen.targets import Target


def emit(match: Match, schedule: Schedule, target: Target) -> KernelCode:
    assert isinstance(match, ConvMatch)
    held = Held(match, "checked")
    signature = Signature(match, target, conv_extents(match, held))
    index = ConvIndex(match, held, lambda extent: f"{signature.label}_{extent}")
    form = _columns if match.is_narrow else _tiles
    template, grid, block, context = form(signature, index, schedule)
    source = render(
        template,
        sig=signature,
        parameters=signature.parameters(
            signature.names, [r.name for r in signature.results]
        ),
        summary=op_summary(match.kernel),
        names={extent: index.name(extent) for extent, _ in signature.extents},
        axes=index.axes,
        grouped=match.groups > 1,
        count=index.count(),
        read=f"{match.input} + {index.group()}",
        weight=index.weight_start("f", 1),
        threads=math.prod(block),
        block=block,
        **context,
    )
    launch = Launch(signature.label, signature.names, grid, block)
    return signature.code(source, [launch], schedule)


Shape = tuple[int, int, int]
Form = tuple[str, Shape, Shape, dict[str, object]]
"""Template, grid, block and what only this template needs. The grid has one axis: the
others are limited to 65535 blocks, and groups times images may be more."""


def _tiles(signature: Signature, index: ConvIndex, schedule: Schedule) -> Form:
    """A block sums up a tile of filters and results."""
    match = index.match
    filters, results, depth = numbers(schedule, "tile")
    across, down = numbers(schedule, "parallel")
    padded = [axis.input(axis.letter) for axis in index.axes]
    places, inside, at = index.checked(padded)
    threads, tiles = across * down, -(-match.filters // filters)
    result_blocks = -(-match.longest // results)
    context: dict[str, object] = {
        "filters": filters,
        "results": results,
        "depth": depth,
        "result_blocks": result_blocks,
        "blocks_each": tiles * result_blocks,
        "across": across,
        "thread_filters": filters // down,
        "thread_results": results // across,
        "weight_loads": -(-filters * depth // threads),
        "value_loads": -(-results * depth // threads),
        "varied": any(axis.varies for axis in match.axes),
        **_steps(signature, index, depth),
        **_strips(filters // down, results // across, across),
        "places": places,
        "inside": inside,
        "at": at,
        "weight_at": index.weight_at(index.axes[1].window()),
        **index.weight_order(filters, depth),
        "end": epilogue(index, ("z", "y", "x"), "sum[i][j]"),
    }
    grid = (tiles * result_blocks * index.images(), 1, 1)
    template = "cuda/conv.cu.j2"
    if schedule.get("matrix"):
        template = "cuda/conv_matrix.cu.j2"
        context |= conv_matrix.context(signature, index, schedule)
    return template, grid, (threads, 1, 1), context


def _steps(signature: Signature, index: ConvIndex, depth: int) -> dict[str, object]:
    """A sum goes tap by tap where channels fill steps; else through both at once."""
    channels = index.match.channels
    by_tap = channels >= 2 * depth or channels % depth == 0
    channel = [f"const {signature.index} c = k;"]
    return {
        "by_tap": by_tap,
        "sum_length": index.depth(),
        "taps": " * ".join(index.own_taps()) or "1",
        "tap_lines": index.tap_lines("tap"),
        "decoded": channel if by_tap else index.decoded("k", signature.index),
    }


def _strips(filters: int, results: int, across: int) -> dict[str, object]:
    """A thread's filters and results, in runs of neighbours."""
    strip = strip_of(results)
    place = f"p0 + j / {strip} * {across * strip} + across * {strip} + j % {strip}"
    if strip == 1:
        place = f"p0 + j * {across} + across"
    return {
        "filter_strip": strip_of(filters),
        "result_strip": strip,
        "place": place,
    }


def _columns(signature: Signature, index: ConvIndex, schedule: Schedule) -> Form:
    """A thread sums up some neighbours in a column of one filter's results."""
    match = index.match
    z, y, x = match.axes
    rows = min(numbers(schedule, "tile")[0], y.shortest)
    across, down = numbers(schedule, "parallel")
    shared = match.shares_rows(rows)
    blocks = (-(-x.longest // across), -(-(-(-y.longest // rows)) // down))
    each = math.prod(blocks) * z.longest * match.filters
    context: dict[str, object] = {
        "rows": rows,
        "blocks": blocks,
        "blocks_each": each,
        "shared": shared,
        "steps": (column_steps if shared else own_steps)(index, rows, "sum"),
        "end": epilogue(index, ("z", "(y0 + r)", "x"), "sum[r]"),
    }
    grid = (each * index.images(), 1, 1)
    return "cuda/conv_rows.cu.j2", grid, (across, down, 1), context
