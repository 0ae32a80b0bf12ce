"""attention: scores, softmax and weighted sum of one tile of queries at a time.

Keys are walked in tiles with a running maximum and sum per query, so that no matrix
of scores exists in memory.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from xdsl.ir import SSAValue

from mbc.codegen.families import Cost, Match, PackChoice, Schedule, Space
from mbc.codegen.families.body import compute_ops
from mbc.codegen.families.vectors import lane_use
from mbc.codegen.loops import Access, index_text, row_major
from mbc.codegen.targets import Target
from mbc.ir.cost import fewest_bytes, flops
from mbc.ir.kernel import KernelOp
from mbc.ir.ops.attention import AttentionOp
from mbc.ir.types import element_of, shape_of

ELEMENTS = ("f32",)
"""Element types that the templates take."""


@dataclass(frozen=True)
class Mask:
    """Element (b, h, q, k) of the mask is at the sum of index times stride."""

    buffer: str
    boolean: bool
    strides: tuple[int, int, int, int]


@dataclass(frozen=True)
class AttentionMatch(Match):
    """Query (batch, heads, queries, depth), key, value (batch, groups, keys, ...)."""

    op: AttentionOp
    query: str
    key: str
    value: str
    mask: Mask | None

    @property
    def batch(self) -> int:
        return shape_of(self.op.query)[0]

    @property
    def heads(self) -> int:
        return shape_of(self.op.query)[1]

    @property
    def groups(self) -> int:
        """Heads of keys and values; `op.group()` query heads share one."""
        return shape_of(self.op.key)[1]

    @property
    def queries(self) -> int:
        return shape_of(self.op.query)[2]

    @property
    def depth(self) -> int:
        return shape_of(self.op.query)[3]

    @property
    def keys(self) -> int:
        return shape_of(self.op.key)[2]

    @property
    def width(self) -> int:
        """Of a value, and of a result."""
        return shape_of(self.op.value)[3]

    @property
    def causal(self) -> bool:
        return self.op.bool_of("causal")

    def inverse(self, total: str) -> str:
        """What the sum under weights is multiplied with: 0 where there are none."""
        reciprocal = f"1.0f / {total}"
        if not self.op.hides_masked_rows():
            return reciprocal
        return f"{total} == 0.0f ? 0.0f : {reciprocal}"

    def mask_index(self, names: Mapping[str, str], at: Sequence[str]) -> str:
        """The element of the mask at the texts of b, h, q and k; `names` of extents."""
        if self.mask is None:
            return ""
        extents = [(names[n], value) for n, value in self.extents() if n in "BHQK"]
        access = Access(self.mask.buffer, "", 0, self.mask.strides)
        return index_text(access, at, extents)

    def extents(self) -> tuple[tuple[str, int], ...]:
        """What the text names: batch, heads, groups, queries, keys, depth, width."""
        values = (self.batch, self.heads, self.groups, self.queries, self.keys)
        return tuple(zip("BHGQKDV", (*values, self.depth, self.width)))


class AttentionFamily:
    """Knobs: `tile` (queries of a register tile, or of a work group on GPUs, then keys
    that are scored before their values are added), `vector` (LMUL on RVV, lanes of CPU
    work items) and `unroll` of both products, `parallel` (items of a GPU's group)."""

    def match(self, kernel: KernelOp, target: Target) -> AttentionMatch | None:
        ops = compute_ops(kernel)
        if len(ops) != 1 or not isinstance(op := ops[0], AttentionOp):
            return None
        floats = (op.query, op.key, op.value)
        if any(str(element_of(value)) not in ELEMENTS for value in floats):
            return None
        if any(0 in shape_of(value) for value in floats):
            return None
        names = dict[SSAValue, str](
            (arg, f"a{i}") for i, arg in enumerate(kernel.block.args)
        )
        if any(value not in names for value in op.operands):
            return None
        if len(kernel.terminator.values) != 1:
            return None
        query, key, value = (names[v] for v in floats)
        mask = _mask(op, names)
        return AttentionMatch("attention", kernel, op, query, key, value, mask)

    def space(self, match: Match, target: Target) -> Space:
        assert isinstance(match, AttentionMatch)
        if not target.simt:
            return _rvv_space(match)
        return _cpu_space(match) if target.is_cpu_style else _gpu_space(match, target)

    def refusal(self, match: Match, target: Target, schedule: Schedule) -> str:
        tile = schedule.get("tile", (1,))
        assert isinstance(tile, tuple)
        if target.is_cpu_style:
            return ""
        if target.simt:
            return _group_refusal(tile[0], _number(schedule, "parallel", ITEMS))
        vector, unroll = (_number(schedule, knob, 1) for knob in ("vector", "unroll"))
        return _register_refusal(tile[0], vector, unroll)

    def packable(self, match: Match, target: Target) -> tuple[PackChoice, ...]:
        return ()

    def cost(self, match: Match, target: Target, schedule: Schedule) -> Cost:
        """Keys and values are read again by every tile of queries."""
        assert isinstance(match, AttentionMatch)
        tile = schedule.get("tile", (1,))
        assert isinstance(tile, tuple)
        tiles = -(-match.queries // tile[0])
        heads = match.batch * match.heads
        again = 4 * heads * match.keys * (match.depth + match.width) * (tiles - 1)
        lanes = lane_use(target, schedule)
        vectors = -(-match.keys // lanes)
        use = match.queries / (tiles * tile[0]) * match.keys / (vectors * lanes)
        bytes = fewest_bytes(match.kernel) + again
        return Cost(flops(match.kernel), bytes, heads * tiles, use)


def _number(schedule: Schedule, knob: str, default: int) -> int:
    value = schedule.get(knob, default)
    assert isinstance(value, int)
    return value


def _register_refusal(queries: int, vector: int, unroll: int) -> str:
    """A tile has a vector per query and one per step that is unrolled."""
    if (queries + unroll) * vector <= 32:
        return ""
    return (
        f"{queries} queries at LMUL {vector}, unrolled by {unroll}, need over "
        "32 registers"
    )


def _group_refusal(queries: int, items: int) -> str:
    across = items_across(items)
    if queries % (items // across) == 0:
        return ""
    return f"{queries} queries do not divide over {items} items, {across} of each"


def _mask(op: AttentionOp, names: Mapping[SSAValue, str]) -> Mask | None:
    if op.mask is None:
        return None
    shape = shape_of(op.mask)
    b, h, q, k = (
        0 if n == 1 else s for n, s in zip(shape, row_major(shape), strict=True)
    )
    return Mask(names[op.mask], str(element_of(op.mask)) == "i1", (b, h, q, k))


KEY_TILES = (128, 64, 256, 32)


def _rvv_space(match: AttentionMatch) -> Space:
    """The default tile shares the queries out evenly over as few tiles as six allow."""
    even = -(-match.queries // -(-match.queries // 6))
    rows = [r for r in dict.fromkeys((even, 6, 4, 3, 2, 1, 7)) if r <= match.queries]
    tiles = tuple((r, keys) for keys in KEY_TILES for r in rows)
    return {"tile": tiles, "vector": (4, 2, 8, 1), "unroll": (2, 1)}


def _cpu_space(match: AttentionMatch) -> Space:
    rows = [r for r in (6, 4, 8, 12, 2, 1) if r <= match.queries]
    tiles = tuple((r, keys) for keys in KEY_TILES for r in rows)
    return {"tile": tiles, "vector": (16, 8, 4), "unroll": (2, 1, 4)}


ITEMS = 128
GROUP_TILES = ((64, 64), (64, 32), (32, 64), (16, 64), (8, 64))


def items_across(items: int) -> int:
    """Work items of a GPU's group that share a query; few have larger tiles each."""
    return 16 if items >= ITEMS else 8


def _gpu_space(match: AttentionMatch, target: Target) -> Space:
    """First the tile with most queries that still gives each unit a group."""
    heads = match.batch * match.heads

    def is_enough(tile: tuple[int, int]) -> bool:
        return heads * -(-match.queries // tile[0]) >= target.peaks.units

    wanted = [tile for tile in GROUP_TILES if tile[0] < 2 * match.queries]
    best = next(filter(is_enough, wanted), (wanted or GROUP_TILES)[-1])
    tiles = dict.fromkeys((best, *GROUP_TILES))
    return {"tile": tuple(tiles), "parallel": (ITEMS, 64, 256)}
