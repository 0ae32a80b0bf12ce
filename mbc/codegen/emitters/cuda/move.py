"""move in CUDA: an item per element or vector, matrices turned in shared memory."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from mbc.codegen.emitters import scatter_simt
from mbc.codegen.emitters.cuda.signature import (
    Signature,
    number,
    op_summary,
    shape_text,
)
from mbc.codegen.emitters.moves import (
    fill_bits,
    matrix_bounds,
    matrix_indices,
    start_text,
    stride_text,
)
from mbc.codegen.emitters.pieces import piece_texts, total
from mbc.codegen.families import Match, Schedule
from mbc.codegen.families.move import MoveMatch
from mbc.codegen.families.movements import Picks, Rows, Scatter, Transposition
from mbc.codegen.program import KernelCode, Launch
from mbc.codegen.render import render
from mbc.codegen.targets import Target

UNSIGNED = {
    8: "unsigned char",
    16: "unsigned short",
    32: "unsigned int",
    64: "unsigned long long",
}


def emit(match: Match, schedule: Schedule, target: Target) -> KernelCode:
    assert isinstance(match, MoveMatch)
    return EMIT[type(match.movement)](match, match.movement, schedule, target)


def emit_rows(
    match: MoveMatch, rows: Rows, schedule: Schedule, target: Target
) -> KernelCode:
    width, threads = number(schedule, "vector"), number(schedule, "parallel")
    texts = piece_texts(rows.tree, width)
    signature = Signature(match, target, ())
    source = _render(
        "cuda/move_rows.cu.j2",
        signature,
        pieces=texts,
        threads=threads,
        width=width,
        type=UNSIGNED[match.bits],
        fill=fill_bits(rows.fill, match.dtype),
        sources=sorted({text.source for text in texts if text.source}),
    )
    blocks = -(-total(texts) // threads)
    return _launched(signature, source, schedule, (blocks, 1, 1), (threads, 1, 1))


def emit_picks(
    match: MoveMatch, picks: Picks, schedule: Schedule, target: Target
) -> KernelCode:
    """A thread copies up to `vector` elements of a row."""
    threads = number(schedule, "parallel")
    chunk = min(number(schedule, "vector"), picks.inner)
    extents = (
        ("OUTER", picks.outer),
        ("PICKED", picks.picked),
        ("EXTENT", picks.extent),
        ("INNER", picks.inner),
    )
    signature = Signature(match, target, extents)
    source = _render(
        "cuda/move_picks.cu.j2",
        signature,
        names={
            short: signature.constants[i][0] for i, (short, _) in enumerate(extents)
        },
        threads=threads,
        chunk=chunk,
        type=UNSIGNED[match.bits],
    )
    items = picks.outer * picks.picked * -(-picks.inner // chunk)
    grid = (-(-items // threads), 1, 1)
    return _launched(signature, source, schedule, grid, (threads, 1, 1))


def emit_transposition(
    match: MoveMatch, matrix: Transposition, schedule: Schedule, target: Target
) -> KernelCode:
    """A block turns one tile; blocks run through the tiles of all matrices."""
    nest, column, tile = matrix.nest, matrix.column, number(schedule, "tile")
    extents = [(f"N{d}", extent) for d, extent in enumerate(nest.extents)]
    signature = Signature(match, target, extents)
    constants, last = signature.constants, len(extents) - 1
    around = [d for d in range(last) if d != column]
    (read,), (write,) = nest.inputs, nest.outputs
    lines = min(tile, number(schedule, "parallel"))
    source = _render(
        "cuda/move_transpose.cu.j2",
        signature,
        around=matrix_indices(around, constants),
        type=UNSIGNED[match.bits],
        tile=tile,
        lines=lines,
        from_step=stride_text(read, last, constants),
        to_step=stride_text(write, column, constants),
        from_at=start_text(read, around, constants),
        to_at=start_text(write, around, constants),
        all_rows=constants[last][0],
        all_columns=constants[column][0],
        **matrix_bounds(matrix, constants),
    )
    tiles = -(-matrix.columns // tile) * -(-matrix.rows // tile)
    blocks = tiles * math.prod(nest.extents[d] for d in around)
    return _launched(signature, source, schedule, (blocks, 1, 1), (tile, lines, 1))


def _render(template: str, signature: Signature, **context: Any) -> str:
    shapes = ", ".join(shape_text(buffer.shape) for buffer in signature.operands)
    written = [buffer.name for buffer in signature.results]
    return render(
        template,
        sig=signature,
        comment=f"{op_summary(signature.match.kernel)} of {shapes}",
        parameters=signature.parameters(signature.names, written),
        **context,
    )


def _launched(
    signature: Signature,
    source: str,
    schedule: Schedule,
    grid: tuple[int, int, int],
    block: tuple[int, int, int],
) -> KernelCode:
    launch = Launch(signature.label, signature.names, grid, block)
    return signature.code(source, [launch], schedule)


EMIT: dict[type, Callable[[MoveMatch, Any, Schedule, Target], KernelCode]] = {
    Picks: emit_picks,
    Rows: emit_rows,
    Scatter: scatter_simt.emit,
    Transposition: emit_transposition,
}
