"""attention on GPUs: a work group does a tile of queries, with keys in shared memory.

Scores and sums are in registers, a strip of both per work item; only the weights of one
tile of keys pass through shared memory. Wide values are split over groups, which make
the scores once each.
"""

from __future__ import annotations

from mbc.codegen.emitters.simt import SimtFrame
from mbc.codegen.expression import ScalarPrinter, float_literal
from mbc.codegen.families import Match, Schedule
from mbc.codegen.families.attention import ITEMS_ACROSS, AttentionMatch
from mbc.codegen.program import Buffer, KernelCode, Launch
from mbc.codegen.targets import Target

DEPTH = 32
"""Of queries and keys, staged at a time."""
KEYS = 16
"""Whose values are staged at a time."""
WIDEST = 128
"""Columns of values that one group sums up."""


def emit(match: Match, schedule: Schedule, target: Target) -> KernelCode:
    assert isinstance(match, AttentionMatch)
    tile = schedule["tile"]
    assert isinstance(tile, tuple)
    rows, keys = tile
    heads = match.batch * match.groups
    scratch = (Buffer("s0", "f32", (heads,), "scratch"),) if match.causal else ()
    frame = SimtFrame(match, schedule, target, match.extents(), scratch)
    size = frame.number("parallel")
    width = min(-(-match.width // ITEMS_ACROSS) * ITEMS_ACROSS, WIDEST)
    parts, tiles = -(-match.width // width), -(-match.queries // rows)
    groups = match.batch * match.heads * tiles * parts
    launch = Launch(frame.label, (), (groups, 1, 1), (size, 1, 1))
    check = Launch(f"{frame.label}_check", (), (heads, 1, 1), (size, 1, 1))
    names = dict(zip((n for n, _ in match.extents()), (n for n, _ in frame.named)))
    return frame.code(
        "common/attention_simt.j2",
        (check, launch) if match.causal else (launch,),
        match=match,
        n=names,
        size=size,
        across=ITEMS_ACROSS,
        rows=rows,
        keys=keys,
        own_rows=rows // (size // ITEMS_ACROSS),
        own_keys=keys // ITEMS_ACROSS,
        own_values=width // ITEMS_ACROSS,
        width=width,
        parts=parts,
        tiles=tiles,
        depth=DEPTH,
        value_keys=KEYS,
        staged=max(DEPTH * (rows + 1 + keys + 1), KEYS * width),
        kernel=frame.spelling.kernel.format(size),
        fold=frame.spelling.fold.format(size, "sum"),
        exp=ScalarPrinter(target).function("exp", "f32"),
        pointer=target.pointer,
        scale=float_literal(match.op.float_of("scale"), "f32"),
        mask=match.mask_index(names, ("b", "h", "i", "j")),
    )
