"""move on OpenCL: chunks of rows, matrices turned in registers or local memory."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from mbc.codegen.emitters import scatter_simt
from mbc.codegen.emitters.moves import (
    fill_bits,
    matrix_bounds,
    matrix_indices,
    start_text,
    stride_text,
)
from mbc.codegen.emitters.opencl.frame import Frame, ceil_div, number
from mbc.codegen.emitters.pieces import piece_texts, total
from mbc.codegen.emitters.scatters import scatter_context
from mbc.codegen.families import Match, Schedule
from mbc.codegen.families.move import MoveMatch
from mbc.codegen.families.movements import Picks, Rows, Scatter, Transposition
from mbc.codegen.program import KernelCode
from mbc.codegen.targets import Target

UNSIGNED = {8: "uchar", 16: "ushort", 32: "uint", 64: "ulong"}
SMALL_GROUP = 16
"""Work items of a group in the cpu style, where one item may do little."""


def emit(match: Match, schedule: Schedule, target: Target) -> KernelCode:
    assert isinstance(match, MoveMatch)
    return EMIT[type(match.movement)](match, match.movement, schedule, target)


def emit_rows(
    match: MoveMatch, rows: Rows, schedule: Schedule, target: Target
) -> KernelCode:
    width, parallel = number(schedule, "vector"), number(schedule, "parallel")
    cpu = target.is_cpu_style
    texts = piece_texts(rows.tree, width * parallel if cpu else width)
    group = SMALL_GROUP if cpu else parallel
    frame = Frame(match, schedule, target, ())
    return frame.code(
        "opencl/move_rows.cl.j2",
        (ceil_div(total(texts), group), 1, 1),
        (group, 1, 1),
        pieces=texts,
        width=width,
        bits=match.bits,
        type=UNSIGNED[match.bits],
        fill=fill_bits(rows.fill, match.dtype),
        sources=sorted({text.source for text in texts if text.source}),
    )


def emit_picks(
    match: MoveMatch, picks: Picks, schedule: Schedule, target: Target
) -> KernelCode:
    """An item copies a chunk of a row, or some rows that are shorter."""
    width, parallel = number(schedule, "vector"), number(schedule, "parallel")
    cpu = target.is_cpu_style
    chunk = min(width * parallel if cpu else width, picks.inner)
    rows = picks.outer * picks.picked
    extents = (
        ("OUTER", picks.outer),
        ("PICKED", picks.picked),
        ("EXTENT", picks.extent),
        ("INNER", picks.inner),
    )
    frame = Frame(match, schedule, target, extents)
    named = frame.named_extents()
    group = SMALL_GROUP if cpu else parallel
    items = rows * ceil_div(picks.inner, chunk)
    return frame.code(
        "opencl/move_picks.cl.j2",
        (ceil_div(items, group), 1, 1),
        (group, 1, 1),
        names={short: name for (short, _), (name, _) in zip(extents, named)},
        chunk=chunk,
        width=width,
        bits=match.bits,
        type=UNSIGNED[match.bits],
    )


def emit_transposition(
    match: MoveMatch, matrix: Transposition, schedule: Schedule, target: Target
) -> KernelCode:
    nest, column = matrix.nest, matrix.column
    names = tuple((f"N{d}", extent) for d, extent in enumerate(nest.extents))
    frame = Frame(match, schedule, target, names)
    constants, last = frame.named_extents(), len(names) - 1
    around = [d for d in range(last) if d != column]
    (read,), (write,) = nest.inputs, nest.outputs
    context: dict[str, Any] = {
        "around": matrix_indices(around, constants),
        "type": UNSIGNED[match.bits],
        "tile": number(schedule, "tile"),
        "from_step": stride_text(read, last, constants),
        "to_step": stride_text(write, column, constants),
        "from_at": start_text(read, around, constants),
        "to_at": start_text(write, around, constants),
        **matrix_bounds(matrix, constants),
    }
    matrices = math.prod(nest.extents[d] for d in around)
    style = target.in_style(_TRANSPOSITIONS)
    return style(frame, matrix, matrices, context)


def _cpu_transposition(
    frame: Frame, matrix: Transposition, matrices: int, context: dict[str, Any]
) -> KernelCode:
    """An item turns a band of rows, two tiles high, along some tiles of columns."""
    tile = context["tile"]
    columns = tile * number(frame.schedule, "parallel")
    grid = (
        ceil_div(matrix.columns, columns),
        ceil_div(matrix.rows, 2 * tile),
        matrices,
    )
    template = "opencl/cpu_transpose.cl.j2"
    return frame.code(template, grid, (1, 1, 1), band=columns, **context)


def _gpu_transposition(
    frame: Frame, matrix: Transposition, matrices: int, context: dict[str, Any]
) -> KernelCode:
    """A group turns one tile in local memory."""
    tile = context["tile"]
    block = (tile, min(tile, number(frame.schedule, "parallel")), 1)
    grid = (ceil_div(matrix.columns, tile), ceil_div(matrix.rows, tile), matrices)
    return frame.code("opencl/gpu_transpose.cl.j2", grid, block, **context)


def emit_scatter(
    match: MoveMatch, scatter: Scatter, schedule: Schedule, target: Target
) -> KernelCode:
    """An item has some places of an axis (cpu), or one element (gpu)."""
    if not target.is_cpu_style:
        return scatter_simt.emit(match, scatter, schedule, target)
    extents = (
        ("PICKED", scatter.picked),
        ("EXTENT", scatter.extent),
        ("INNER", scatter.inner),
    )
    frame = Frame(match, schedule, target, extents)
    named = frame.named_extents()
    places = ceil_div(scatter.extent, number(schedule, "parallel"))
    return frame.code(
        "opencl/cpu_scatter.cl.j2",
        (ceil_div(scatter.extent, places), scatter.outer, 1),
        (1, 1, 1),
        names={short: name for (short, _), (name, _) in zip(extents, named)},
        places=places,
        type=UNSIGNED[match.bits],
        **scatter_context(match, scatter, target),
    )


_TRANSPOSITIONS: dict[
    str, Callable[[Frame, Transposition, int, dict[str, Any]], KernelCode]
] = {"cpu": _cpu_transposition, "gpu": _gpu_transposition}

EMIT: dict[type, Callable[[MoveMatch, Any, Schedule, Target], KernelCode]] = {
    Picks: emit_picks,
    Rows: emit_rows,
    Scatter: emit_scatter,
    Transposition: emit_transposition,
}
