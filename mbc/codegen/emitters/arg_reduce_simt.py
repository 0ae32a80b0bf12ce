"""arg_reduce on GPUs: a work group shares a row, a work item does a column."""

from __future__ import annotations

from dataclasses import replace

from mbc.codegen.emitters.simt import SimtFrame
from mbc.codegen.expression import ScalarPrinter
from mbc.codegen.families import Match, Schedule
from mbc.codegen.families.arg_reduce import ArgReduceMatch
from mbc.codegen.loops import Access, index_text
from mbc.codegen.program import KernelCode, Launch
from mbc.codegen.targets import Target

SIGNS = {"max": ">", "min": "<"}
STARTS = {"max": "-MBC_INF", "min": "MBC_INF"}


def emit(match: Match, schedule: Schedule, target: Target) -> KernelCode:
    assert isinstance(match, ArgReduceMatch)
    is_rows = match.inner == 1
    extents = [("OUTER", match.outer), ("REDUCED", match.reduced)]
    extents += [] if is_rows else [("INNER", match.inner)]
    frame = SimtFrame(match, schedule, target, extents)
    size, label = frame.number("parallel"), frame.label
    columns = match.outer * match.inner
    groups = match.outer if is_rows else -(-columns // size)
    return frame.code(
        "common/arg_reduce_simt.j2",
        [Launch(label, (), (groups, 1, 1), (size, 1, 1))],
        kind=match.kind,
        sign=SIGNS[match.kind],
        start=STARTS[match.kind],
        rows=is_rows,
        size=size,
        kernel=frame.spelling.kernel.format(size),
        outer=f"{label}_OUTER",
        reduced=f"{label}_REDUCED",
        inner=f"{label}_INNER",
        element=_element(frame, match),
        where_buffer=match.where,
        value_buffer=match.value,
    )


def _element(frame: SimtFrame, match: ArgReduceMatch) -> tuple[list[str], str]:
    """Statements, and the text of what is compared."""
    indices = ("o", "r") if match.inner == 1 else ("o", "r", "i")

    def read(access: Access) -> str:
        flat = replace(access, strides=access.strides[: len(indices)])
        return f"{access.buffer}[{index_text(flat, indices, frame.named)}]"

    reads = [read(access) for access in match.inputs]
    if match.prologue is None:
        return [], reads[0]
    block = match.prologue.body.block
    unused = ["0.0f"] * (len(block.args) - len(reads))
    printed = ScalarPrinter(frame.target).body(block, [*reads, *unused], "p")
    return list(printed.lines), printed.results[0]
