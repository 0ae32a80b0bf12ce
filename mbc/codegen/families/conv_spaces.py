"""Legal schedules of convolutions on each kind of target."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence

from mbc.codegen.families import Schedule, Space, matrix_unit
from mbc.codegen.families.conv_match import ConvMatch
from mbc.codegen.targets import Target
from mbc.ir.attributes import Entry

Tile = tuple[int, ...]
GpuTile = tuple[int, int, int]
Suited = Mapping[GpuTile, tuple[int, int]]
RVV_TILES = (
    *((4, 1), (6, 1), (8, 1), (7, 1), (5, 1), (12, 1), (16, 1), (4, 2), (8, 2)),
    *((6, 2), (5, 2), (3, 2), (4, 4), (4, 3), (3, 4), (2, 4), (2, 1), (1, 1), (1, 4)),
)
"""Filters and rows."""
RVV_FLAT = ((4,), (6,), (8,), (7,), (5,), (2,), (1,))
"""Filters alone, where vectors run on over the ends of rows."""
RVV_NARROW = ((1, 4), (1, 2), (1, 1), (1, 3), (1, 6), (1, 8))
RVV_LENGTHS = (4, 2, 1, 8)
MOST_POINTERS = 8
"""Filters that lie apart need an address each."""
TWO_ROWS: Tile = (1, 2)
"""Of one filter."""


def rvv_space(match: ConvMatch, target: Target) -> Space:
    """Every tile no larger than the result; first the pair that costs least."""
    panel, (_, y, x) = match.weight.panel, match.axes
    known: tuple[Tile, ...] = RVV_NARROW if match.is_narrow else RVV_TILES
    if match.runs_on and not match.is_narrow:
        known = (*known, *RVV_FLAT)
    tiles = [t for t in known if t[0] <= match.filters and rows_of(t) <= y.shortest]
    if panel:
        tiles = [t for t in tiles if panel % t[0] == 0]
    else:
        tiles = [t for t in tiles if t[0] <= MOST_POINTERS]
    pairs = itertools.product(tiles, RVV_LENGTHS)
    legal = [pair for pair in pairs if not _crowded(*pair)]
    phases = len(x.phases)
    if match.is_narrow and phases > 1 and TWO_ROWS in tiles:
        best = TWO_ROWS, 2  # all phases at once, in registers
    elif match.is_narrow:
        best = tiles[0], _shortest_vector(x.phases[0].results, target)
    else:
        best = min(legal, key=lambda pair: _rvv_cycles(match, target, *pair))
    return {
        "tile": tuple(dict.fromkeys((best[0], *tiles))),
        "vector": tuple(dict.fromkeys((best[1], *RVV_LENGTHS))),
    }


def rvv_panels(match: ConvMatch) -> tuple[int, ...]:
    """First the panel that shares the filters out evenly over as few as eight allow."""
    even = -(-match.filters // -(-match.filters // 8))
    return tuple(dict.fromkeys((even, 8, 4, 6, 12, 16)))


def _shortest_vector(columns: int, target: Target) -> int:
    """The LMUL that holds a row, or the longest of which four rows fit."""
    lanes = target.number("vlen") // 32
    return next((n for n in (1, 2) if n * lanes >= columns), 4)


def rows_of(tile: Tile) -> int:
    """Rows of results that are summed up at a time."""
    return tile[1] if len(tile) > 1 else 1


def runs_on(tile: Tile) -> bool:
    return len(tile) == 1


def _crowded(tile: Tile, vector: int) -> bool:
    """Sums and one vector of input per row do not fit into 32 registers."""
    return (tile[0] + 1) * rows_of(tile) * vector > 32


def rvv_refusal(match: ConvMatch, schedule: Schedule) -> str:
    tile, vector = schedule["tile"], schedule["vector"]
    assert isinstance(tile, tuple)
    assert isinstance(vector, int)
    if not _crowded(tile, vector):
        return ""
    shape = f"{tile[0]} x {rows_of(tile)}"
    return f"a tile of {shape} at LMUL {vector} needs over 32 registers"


def _rvv_cycles(match: ConvMatch, target: Target, tile: Tile, vector: int) -> float:
    """Modelled cycles of all sums: of a step, the slowest of arithmetic, loads, issue.

    A register takes a cycle to multiply and two to load, as in the published model;
    two instructions are issued per cycle, and what waits for a load or a sum waits the
    less, the longer vectors are. Sums over the ends of rows are stored and loaded once
    more.
    """
    filters, rows = tile[0], rows_of(tile)
    lanes = target.number("vlen") // 32
    _, y, x = match.axes
    columns, lines = x.phases[0].results, -(-y.out // rows)
    if runs_on(tile):
        columns, lines = (y.out - 1) * x.padded + columns, 1
    full, rest = divmod(columns, lanes * vector)
    strips = [vector] * full + ([-(-rest // lanes)] if rest else [])
    issued = (filters + rows + filters * rows + 2) / 2
    steps = sum(
        max(filters * rows * beats, 2 * rows * beats, issued) + 4 / beats
        for beats in strips
    )
    if runs_on(tile):
        steps += 4 * filters * sum(strips) / (match.channels * match.window)
    return -(-match.filters // filters) * lines * steps


CPU_TILES = ((6, 1), (4, 2), (4, 1), (8, 1), (12, 1), (2, 2), (3, 2), (2, 1), (1, 1))
"""Results, and vectors of filters."""
CPU_NARROW = ((4,), (2,), (1,), (8,))
"""Rows."""


def cpu_space(match: ConvMatch) -> Space:
    if match.is_narrow:
        return {"tile": CPU_NARROW, "vector": (8, 16, 4)}
    return {"tile": CPU_TILES, "vector": (16, 8, 4)}


GPU_TILES = {
    (128, 128, 16): (16, 16),
    (64, 128, 16): (16, 8),
    (64, 64, 16): (16, 8),
    (32, 128, 16): (32, 8),
    (32, 64, 16): (16, 8),
    (32, 32, 16): (8, 8),
    (16, 128, 16): (32, 4),
    (16, 32, 16): (16, 4),
    (4, 128, 16): (32, 2),
}
"""Filters, results and products at a time, and the shape of group that suits each."""
GPU_NARROW = ((4,), (1,), (2,), (8,))
"""Rows."""
GPU_NARROW_GROUPS = ((32, 4), (16, 8), (64, 2), (8, 8))


MATRIX_TILES = {
    (64, 64, 16): (8, 8),
    (64, 128, 16): (8, 16),
    (32, 128, 16): (8, 16),
    (32, 64, 16): (8, 8),
    (32, 32, 16): (8, 8),
}
"""Tiles for the matrix unit, and the threads that suit each."""
MATRIX_STAGES = 3
"""Tiles in shared memory: values come one by one, and late."""


def gpu_space(match: ConvMatch, target: Target) -> Space:
    """First the largest tile that wastes few filters and fills the GPU."""
    if match.is_narrow:
        tiles = tuple(t for t in GPU_NARROW if t[0] <= match.axes[1].shortest)
        return {"tile": tiles, "parallel": GPU_NARROW_GROUPS}
    products = matrix_unit.products_of("f32", target)
    fitting = [t for t in MATRIX_TILES if t[0] < 2 * match.filters]
    if products and fitting:
        return {**_tiles(match, target, fitting, MATRIX_TILES), "matrix": products}
    fitting = [t for t in GPU_TILES if t[0] < 2 * match.filters] or [(4, 128, 16)]
    return _tiles(match, target, fitting, GPU_TILES)


def _tiles(
    match: ConvMatch, target: Target, fitting: Sequence[GpuTile], suited: Suited
) -> dict[str, tuple[Entry, ...]]:
    full = [t for t in fitting if _groups(match, t) >= target.peaks.units]
    best = full[0] if full else max(fitting, key=lambda t: _busy_groups(match, t))
    blocks = dict.fromkeys((suited[best], *suited.values(), *GPU_TILES.values()))
    tiles = dict.fromkeys((best, *suited, *GPU_TILES))
    return {"tile": tuple(tiles), "parallel": tuple(blocks)}


def _groups(match: ConvMatch, tile: GpuTile) -> int:
    filters, results, _ = tile
    tiles = -(-match.filters // filters) * -(-match.results // results)
    return match.batch * match.groups * tiles


def _busy_groups(match: ConvMatch, tile: GpuTile) -> float:
    """As many groups as would have work if all of it were in whole tiles."""
    filters, results, _ = tile
    work = match.batch * match.groups * match.filters * match.results
    return min(_groups(match, tile), work / (filters * results))


def gpu_refusal(match: ConvMatch, target: Target, schedule: Schedule) -> str:
    tile, block = schedule["tile"], schedule["parallel"]
    assert isinstance(tile, tuple)
    assert isinstance(block, tuple)
    if match.is_narrow:
        return ""
    if schedule.get("matrix"):
        return matrix_unit.refusal(tile, block, MATRIX_STAGES, 4)
    filters, results, _ = tile
    if filters % block[1] or results % block[0]:
        return f"a tile of {filters} x {results} does not divide into the work group"
    if filters // block[1] * (results // block[0]) > target.most_sums:
        return f"a work item would hold over {target.most_sums} sums"
    return ""


def tile_of(match: ConvMatch, target: Target, schedule: Schedule) -> tuple[int, int]:
    """Filters and results that are summed up together."""
    tile, vector = schedule["tile"], schedule.get("vector", 1)
    assert isinstance(tile, tuple)
    assert isinstance(vector, int)
    if not target.simt:
        return tile[0], rows_of(tile) * vector * target.number("vlen") // 32
    if match.is_narrow:
        return 1, tile[0] * vector
    if target.is_cpu_style:
        return tile[1] * vector, tile[0]
    return tile[0], tile[1]
