"""pointwise in CUDA: a grid-stride loop, several elements of a thread in flight."""

from __future__ import annotations

from mbc.codegen.emitters.cuda.map import BLOCKS_PER_UNIT, index_lines, vector_count
from mbc.codegen.emitters.cuda.signature import (
    Signature,
    number,
    op_summary,
    shape_text,
)
from mbc.codegen.emitters.pointwise import statements, with_a_loop
from mbc.codegen.families import Match, Schedule
from mbc.codegen.families.map import MapMatch
from mbc.codegen.program import KernelCode, Launch
from mbc.codegen.render import render
from mbc.codegen.targets import Target


def emit(match: Match, schedule: Schedule, target: Target) -> KernelCode:
    assert isinstance(match, MapMatch)
    nest = with_a_loop(match.nest)
    threads, unroll = number(schedule, "parallel"), number(schedule, "unroll")
    extents = [(f"N{d}", extent) for d, extent in enumerate(nest.extents)]
    signature = Signature(match, target, extents)
    indices = [f"i{d}" for d in range(len(extents))]
    found = statements(match, nest, target, indices, signature.constants)
    source = render(
        "cuda/pointwise.cu.j2",
        sig=signature,
        comment=f"{op_summary(match.kernel)} over {shape_text(nest.extents)}",
        threads=threads,
        unroll=unroll,
        elements=vector_count(signature, 1, False),
        indices=index_lines(signature, nest, 1),
        lines=[*found.uniform, *found.lines],
    )
    most = target.peaks.units * BLOCKS_PER_UNIT
    blocks = min(-(-nest.points() // (threads * unroll)), most)
    launch = Launch(signature.label, signature.names, (blocks, 1, 1), (threads, 1, 1))
    return signature.code(source, [launch], schedule)
