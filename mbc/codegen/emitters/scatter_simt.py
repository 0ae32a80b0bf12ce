"""Scatters on GPUs: an item keeps one element and takes its updates in order.

A group reads indices in chunks; a chunk without an index among the group's own places
is skipped by all of its items. No two items write one element, so there is nothing
atomic, and sums do not depend on who comes first.
"""

from __future__ import annotations

from mbc.codegen.emitters.scatters import scatter_context
from mbc.codegen.emitters.simt import SimtFrame
from mbc.codegen.families import Schedule
from mbc.codegen.families.move import MoveMatch
from mbc.codegen.families.movements import Scatter
from mbc.codegen.program import KernelCode, Launch
from mbc.codegen.targets import Target


def emit(
    match: MoveMatch, scatter: Scatter, schedule: Schedule, target: Target
) -> KernelCode:
    extents = (
        ("PICKED", scatter.picked),
        ("EXTENT", scatter.extent),
        ("INNER", scatter.inner),
    )
    frame = SimtFrame(match, schedule, target, extents)
    size = frame.number("parallel")
    blocks = -(-scatter.extent * scatter.inner // size)
    picked, extent, inner = (name for name, _ in frame.named)
    return frame.code(
        "common/scatter_simt.j2",
        [Launch(frame.label, (), (blocks * scatter.outer, 1, 1), (size, 1, 1))],
        kernel=frame.spelling.kernel.format(size),
        size=size,
        blocks=blocks,
        picked=picked,
        extent=extent,
        inner=inner,
        long=target.types["i64"],
        **scatter_context(match, scatter, target),
    )
