"""sort in CUDA: a block per row, or passes over all rows where they are long."""

from __future__ import annotations

from mbc.codegen.emitters.cuda.signature import Signature, number, shape_text
from mbc.codegen.emitters.sort_passes import emit_passes
from mbc.codegen.emitters.sorting import sort_context
from mbc.codegen.families import Match, Schedule
from mbc.codegen.families.sort import LOCAL_ROW, SortMatch
from mbc.codegen.program import KernelCode, Launch
from mbc.codegen.render import render
from mbc.codegen.targets import Target


def emit(match: Match, schedule: Schedule, target: Target) -> KernelCode:
    assert isinstance(match, SortMatch)
    if match.padded > LOCAL_ROW:
        return emit_passes(match, schedule, target)
    signature = Signature(match, target, ())
    threads = min(number(schedule, "parallel"), max(1, match.padded // 2))
    written = [buffer.name for buffer in signature.results]
    source = render(
        "cuda/sort.cu.j2",
        sig=signature,
        comment=f"sort of {shape_text(signature.operands[0].shape)}",
        parameters=signature.parameters(signature.names, written),
        threads=threads,
        c=sort_context(match, target),
    )
    grid, block = (match.rows, 1, 1), (threads, 1, 1)
    launch = Launch(signature.label, signature.names, grid, block)
    return signature.code(source, [launch], schedule)
