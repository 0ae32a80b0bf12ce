"""attention on GPUs: a work group does a tile of queries, with keys in shared memory.

Scores and sums are in registers, a strip of both per work item; only the weights of one
tile of keys pass through shared memory. Wide values are split over groups, which make
the scores once each.
"""

from __future__ import annotations

from functools import partial

from mbc.codegen.emitters.simt import SimtFrame, strip_of
from mbc.codegen.expression import ScalarPrinter, float_literal
from mbc.codegen.families import Match, Schedule
from mbc.codegen.families.attention import AttentionMatch, items_across
from mbc.codegen.program import Buffer, KernelCode, Launch
from mbc.codegen.targets import Target

DEPTH = 32
"""Of queries and keys, staged at a time."""
KEYS = 16
"""Whose values are staged at a time."""
RUN = 8
"""Neighbouring elements of a row that neighbouring items stage: a sector of memory.
With four rows they fall into all banks of a tile."""
SHARED = 48 << 10
"""Bytes of shared memory; queries are held in it whole where they fit."""
WIDEST = 128
"""Columns of values that one group sums up."""


def emit(match: Match, schedule: Schedule, target: Target) -> KernelCode:
    assert isinstance(match, AttentionMatch)
    tile = schedule["tile"]
    assert isinstance(tile, tuple)
    heads = match.batch * match.groups
    scratch = (Buffer("s0", "f32", (heads,), "scratch"),) if match.causal else ()
    frame = SimtFrame(match, schedule, target, match.extents(), scratch)
    size, spelling = frame.number("parallel"), frame.spelling
    across = items_across(size)
    width = min(-(-match.width // across) * across, WIDEST)
    parts, tiles = -(-match.width // width), -(-match.queries // tile[0])
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
        across=across,
        **_own(tile, size, width),
        **_shared(match, tile, width, across),
        parts=parts,
        tiles=tiles,
        run=RUN,
        kernel=spelling.kernel.format(size),
        fold=spelling.fold.format(size, "sum"),
        load=partial(spelling.copied, spelling.load),
        store=partial(spelling.copied, spelling.store),
        exp=ScalarPrinter(target).function("exp", "f32"),
        pointer=target.pointer,
        scale=float_literal(match.op.float_of("scale"), "f32"),
        mask=match.mask_index(names, ("b", "h", "i", "j")),
    )


def _own(tile: tuple[int, ...], size: int, width: int) -> dict[str, int]:
    """What an item keeps of a tile's queries, keys and values."""
    rows, keys = tile
    across = items_across(size)
    own = {
        "row": rows // (size // across),
        "key": keys // across,
        "value": width // across,
    }
    strips = {f"{name}_strip": strip_of(count) for name, count in own.items()}
    return {**{f"own_{name}s": count for name, count in own.items()}, **strips}


def _shared(
    match: AttentionMatch, tile: tuple[int, ...], width: int, across: int
) -> dict[str, object]:
    """Tiles in shared memory, in floats: queries whole if there is room for them."""
    rows, keys = tile
    staged = max(DEPTH * (keys + 4), keys * (rows + 4))
    depths = -(-match.depth // DEPTH) * DEPTH
    others = staged + KEYS * width + rows * (across + 4)
    is_held = 4 * (depths * (rows + 4) + others) <= SHARED
    return {
        "rows": rows,
        "keys": keys,
        "width": width,
        "depth": DEPTH,
        "value_keys": KEYS,
        "staged": staged,
        "held": (depths if is_held else DEPTH) * (rows + 4),
        "chunk": f"d0 * {rows + 4} + " if is_held else "",
    }
