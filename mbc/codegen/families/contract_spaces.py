"""Legal schedules of contractions on GPUs."""

from __future__ import annotations

from collections.abc import Sequence

from mbc.codegen.families import Schedule, Space, matrix_unit
from mbc.codegen.families.contract_match import ContractMatch
from mbc.codegen.targets import Target
from mbc.ir.attributes import Entry

GPU_TILES = {
    (128, 128, 16): (16, 16),
    (128, 64, 16): (16, 16),
    (64, 64, 16): (8, 16),
    (32, 32, 16): (8, 8),
    (128, 8, 16): (8, 16),
    (8, 128, 16): (16, 8),
}
"""Tiles of a work group, the largest first, and the shape of group that suits each."""
NARROW = 16
"""Results with fewer rows or columns take one of the two flat tiles."""


MATRIX_TILES = {
    (128, 128, 16): (16, 16),
    (128, 64, 16): (8, 16),
    (64, 64, 16): (8, 8),
    (32, 32, 16): (8, 8),
}
"""Tiles for the matrix unit, and the threads that suit each."""
SHORT_TILES = {
    (128, 128, 32): (8, 16),
    (64, 64, 32): (8, 16),
    (128, 64, 32): (8, 16),
    (32, 32, 32): (8, 8),
}
"""The same for elements of 16 bits, of which twice as many are as long."""
SPLITS = (1, 2, 4, 8, 16, 32)
LEAST_PART = 128
"""Of k; shorter parts cost more to add up than they save."""
LONG_PART = 2048
"""Of k, from which on parts are the default, where groups are few."""


def gpu_space(match: ContractMatch, target: Target) -> Space:
    """Every tile; first the largest that still gives each unit of the GPU a group."""
    *square, tall, flat = GPU_TILES
    units, most = target.peaks.units, _most_parts(match.k, LONG_PART)
    enough = [tile for tile in square if _groups_of(match, tile) * most >= units]
    best = [*enough, square[-1]][0]
    if match.n < NARROW:
        best = tall
    elif match.m < NARROW:
        best = flat
    shape = GPU_TILES[best]
    if target.large_block is not None and best == square[0]:
        shape = target.large_block
    wanted = max(1, 2 * units // _groups_of(match, best))
    split = max(s for s in SPLITS if s <= min(wanted, most))
    if _groups_of(match, best) >= units:
        split = 1
    legal = [s for s in SPLITS if s <= _most_parts(match.k, LEAST_PART)]
    space: dict[str, tuple[Entry, ...]] = {
        "tile": tuple(dict.fromkeys((best, *GPU_TILES))),
        "vector": (4, 1),
        "parallel": tuple(dict.fromkeys((shape, *GPU_TILES.values()))),
        "split": tuple(dict.fromkeys((split, *legal))),
    }
    if target.contract_stages:
        space["stages"] = target.contract_stages
    products = matrix_unit.products_of(match.lhs.dtype, target)
    if products and min(match.m, match.n) >= NARROW:
        space |= _matrix_space(match, products, target)
    return space


def _matrix_space(
    match: ContractMatch, products: tuple[int, ...], target: Target
) -> dict[str, tuple[Entry, ...]]:
    """The largest tile that still gives each unit of the GPU a group."""
    suited = MATRIX_TILES if 0 in products else SHORT_TILES
    most = _most_parts(match.k, LONG_PART)
    units = target.peaks.units
    enough = [t for t in suited if _groups_of(match, t) * most >= units]
    best = [*enough, [*suited][-1]][0]
    wanted = max(1, 2 * units // _groups_of(match, best))
    split = max(s for s in SPLITS if s <= min(wanted, most))
    if _groups_of(match, best) >= units:
        split = 1
    legal = [s for s in SPLITS if s <= _most_parts(match.k, LEAST_PART)]
    tiles, blocks, stages = [best, *suited], [*suited.values()], [*matrix_unit.STAGES]
    if 0 in products:
        tiles += GPU_TILES
        blocks += GPU_TILES.values()
        stages += target.contract_stages
    return {
        "tile": tuple(dict.fromkeys(tiles)),
        "parallel": tuple(dict.fromkeys((suited[best], *blocks))),
        "split": tuple(dict.fromkeys((split, *legal))),
        "stages": tuple(dict.fromkeys(stages)),
        "matrix": products,
    }


def _most_parts(k: int, least: int) -> int:
    return max(s for s in SPLITS if s == 1 or s * least <= k)


def _groups_of(match: ContractMatch, tile: tuple[int, int, int]) -> int:
    return match.b * -(-match.m // tile[0]) * -(-match.n // tile[1])


def gpu_refusal(dtype: str, schedule: Schedule, target: Target) -> str:
    tile = schedule["tile"]
    assert isinstance(tile, tuple)
    if schedule.get("matrix"):
        return _matrix_refusal(tile, schedule, 4 if dtype == "f32" else 2)
    if schedule.get("stages", 1) not in (2, 1):
        return "without the matrix unit there are at most two stages"
    return _block_refusal(tile, schedule, target.most_sums)


def _block_refusal(tile: Sequence[int], schedule: Schedule, sums: int) -> str:
    block = schedule.get("parallel", (16, 16))
    assert isinstance(block, tuple)
    rows, columns = tile[0] % block[1], tile[1] % block[0]
    if rows or columns or tile[0] < block[1] or tile[1] < block[0]:
        return f"a tile of {tile[0]} x {tile[1]} does not divide into the work group"
    if (tile[0] // block[1]) * (tile[1] // block[0]) > sums:
        return f"a work item would hold over {sums} sums"
    return ""


def _matrix_refusal(tile: Sequence[int], schedule: Schedule, bytes: int) -> str:
    block, stages = schedule["parallel"], schedule["stages"]
    assert isinstance(block, tuple)
    assert isinstance(stages, int)
    return matrix_unit.refusal(tile, block, stages, bytes)
