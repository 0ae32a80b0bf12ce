"""move on RVV: rows in vectors, columns read in words, rows picked by an index."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from mbc.codegen.emitters.moves import (
    fill_bits,
    loop_text,
    matrix_bounds,
    start_text,
    stride_text,
)
from mbc.codegen.emitters.rvv import scatter
from mbc.codegen.emitters.rvv.frame import Frame
from mbc.codegen.emitters.rvv.knobs import number
from mbc.codegen.families import Match, Schedule
from mbc.codegen.families.move import MoveMatch
from mbc.codegen.families.move_rows import Loop, Span, Tree
from mbc.codegen.families.movements import Picks, Rows, Scatter, Transposition
from mbc.codegen.loops import Access
from mbc.codegen.program import DTYPE_BYTES, KernelCode
from mbc.codegen.targets import Target

WORD = 64
LINE = 64
"""Bytes of a cache line; only speed depends on it."""
INDEXED = ("i32", "i64")
"""Types of indices that indexed loads take."""


def emit(match: Match, schedule: Schedule, target: Target) -> KernelCode:
    assert isinstance(match, MoveMatch)
    return EMIT[type(match.movement)](match, match.movement, schedule, target)


def move_header(function: str, bits: int, lmul: int) -> str:
    """The name of the header with `mbc_<function>_b<bits>m<lmul>`."""
    return f"moves:{function}:{bits}:{lmul}"


def emit_rows(
    match: MoveMatch, rows: Rows, schedule: Schedule, target: Target
) -> KernelCode:
    writer = _RowWriter(
        match, fill_bits(rows.fill, match.dtype), number(schedule, "vector")
    )
    lines = writer.lines(rows.tree, ())
    frame = Frame(match, target, schedule, ())
    return frame.code(
        "rvv/move_rows.c.j2", writer.headers, lines=lines, **_views(match)
    )


class _RowWriter:
    """Loops and calls of the row helpers, and the headers with those helpers."""

    def __init__(self, match: MoveMatch, fill: str, lmul: int):
        self.bits, self.fill, self.lmul = match.bits, fill, lmul
        self.headers: set[str] = set()

    def lines(self, tree: Tree, extents: Sequence[int]) -> list[str]:
        found: list[str] = []
        for node in tree:
            found += (
                [self.span(node, extents)]
                if isinstance(node, Span)
                else self.loop(node, extents)
            )
        return found

    def loop(self, loop: Loop, extents: Sequence[int]) -> list[str]:
        name = f"i{len(extents)}"
        head = f"for (size_t {name} = 0; {name} < {loop.extent}; {name}++) {{"
        return [head, *self.lines(loop.body, (*extents, loop.extent)), "}"]

    def span(self, span: Span, extents: Sequence[int]) -> str:
        to = _address("to", span.write, extents)
        if span.read is None:
            return self.call("fill", to, self.fill, str(span.count))
        source = _address(_view(span.read.buffer), span.read, extents)
        step = span.read.strides[-1]
        if step == 1:
            return self.call("copy", to, source, str(span.count))
        return self.call("copy_steps", to, "1", source, str(step), str(span.count))

    def call(self, function: str, *arguments: str) -> str:
        self.headers.add(move_header(function, self.bits, self.lmul))
        return f"mbc_{function}_b{self.bits}m{self.lmul}({', '.join(arguments)});"


def _address(buffer: str, access: Access, extents: Sequence[int]) -> str:
    index = loop_text(access, len(extents))
    return buffer if index == "0" else f"{buffer} + {index}"


def _view(buffer: str) -> str:
    """A buffer as the unsigned integers that it is moved as: `a0` is `from0`."""
    return f"from{buffer.removeprefix('a')}"


def _views(match: MoveMatch, sources: Sequence[int] | None = None) -> dict[str, object]:
    """Declarations of the result and of the sources as unsigned integers."""
    count = range(len(match.kernel.block.args)) if sources is None else sources
    return {"type": f"uint{match.bits}_t", "sources": list(count)}


def emit_transposition(
    match: MoveMatch, matrix: Transposition, schedule: Schedule, target: Target
) -> KernelCode:
    """Columns of a matrix, in words where that is possible, become rows."""
    nest, column = matrix.nest, matrix.column
    names = tuple((f"N{d}", extent) for d, extent in enumerate(nest.extents))
    frame = Frame(match, target, schedule, names)
    constants, last = frame.constants, len(names) - 1
    around = [d for d in range(last) if d != column]
    (read,), (write,) = nest.inputs, nest.outputs
    context: dict[str, Any] = {
        "loops": [(f"i{d}", constants[d][0]) for d in around],
        "bits": match.bits,
        "from_step": stride_text(read, last, constants),
        "to_step": stride_text(write, column, constants),
        "from_at": start_text(read, around, constants),
        "to_at": start_text(write, around, constants),
        **matrix_bounds(matrix, constants),
        **_views(match),
    }
    if matrix.fields:
        split = matrix.fields == matrix.columns
        context |= {"fields": matrix.fields, "split": split}
        context["lmul"] = number(schedule, "vector")
        return frame.code("rvv/move_fields.c.j2", (), **context)
    context |= _words(match, matrix, number(schedule, "vector"))
    context |= {"tile": number(schedule, "tile"), "line": 8 * LINE // match.bits}
    return frame.code("rvv/move_transpose.c.j2", (), **context)


def _words(match: MoveMatch, matrix: Transposition, lmul: int) -> dict[str, object]:
    """How columns are read: several neighbours as one word of 64 bits, where words
    are aligned, and then narrowed to each of them."""
    bits = match.bits
    word = WORD if matrix.reads_aligned(WORD // bits) else bits
    lines: list[str] = []
    parts, width = ["words"], word
    while width > bits:
        width //= 2
        group = _group(lmul, width, word)
        halves: list[str] = []
        for part in parts:
            for half, shift in enumerate((0, width)):
                name = f"{'x' if part == 'words' else part}{half}"
                lines.append(
                    f"const vuint{width}{group}_t {name} = "
                    f"__riscv_vnsrl({part}, {shift}, vl);"
                )
                halves.append(name)
        parts = halves
    group = _group(lmul, bits, word)
    return {"word": word, "lmul": lmul, "narrow": lines, "parts": parts, "group": group}


def _group(lmul: int, bits: int, word: int) -> str:
    """The LMUL of as many elements of `bits` as `lmul` registers hold words."""
    eighths = 8 * lmul * bits // word
    return f"m{eighths // 8}" if eighths >= 8 else f"mf{8 // eighths}"


def emit_picks(
    match: MoveMatch, picks: Picks, schedule: Schedule, target: Target
) -> KernelCode:
    lmul = number(schedule, "vector")
    names = (
        ("OUTER", picks.outer),
        ("PICKED", picks.picked),
        ("EXTENT", picks.extent),
        ("INNER", picks.inner),
    )
    frame = Frame(match, target, schedule, names)
    context: dict[str, Any] = {
        "names": {short: name for (short, _), (name, _) in zip(names, frame.constants)},
        "bits": match.bits,
        "lmul": lmul,
        **_views(match, [0]),
    }
    if picks.inner == 1 and _fits_indexed(match, picks, lmul):
        context |= _indexed(match, picks, lmul)
        return frame.code("rvv/move_elements.c.j2", (), **context)
    headers = {move_header("copy", match.bits, lmul)}
    return frame.code("rvv/move_picks.c.j2", headers, **context)


def _fits_indexed(match: MoveMatch, picks: Picks, lmul: int) -> bool:
    """Offsets in bytes fit the type of the indices, and data take a legal LMUL."""
    if picks.index_dtype not in INDEXED:
        return False
    bits = 8 * DTYPE_BYTES[picks.index_dtype]
    small = picks.extent * match.bits // 8 < 2 ** (bits - 1)
    return small and lmul * match.bits <= 8 * bits


def _indexed(match: MoveMatch, picks: Picks, lmul: int) -> dict[str, object]:
    """Types of the indices at `lmul`, and of the data, whose share may be smaller."""
    bits = 8 * DTYPE_BYTES[picks.index_dtype]
    group = _group(lmul, match.bits, bits)
    return {"index_bits": bits, "group": group, "bytes": match.bits // 8}


EMIT: dict[type, Callable[[MoveMatch, Any, Schedule, Target], KernelCode]] = {
    Picks: emit_picks,
    Rows: emit_rows,
    Scatter: scatter.emit,
    Transposition: emit_transposition,
}
