"""contract: GEMM, batched GEMM and GEMV with a fused epilogue."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence

from xdsl.dialects.linalg import ops as linalg
from xdsl.ir import SSAValue

from mbc.codegen.families import Cost, Match, PackChoice, Schedule, Space
from mbc.codegen.families.body import Anchored, anchored, buffer_names
from mbc.codegen.families.contract_match import ContractMatch
from mbc.codegen.families.contract_spaces import NARROW, gpu_refusal, gpu_space
from mbc.codegen.families.vectors import (
    SHORT_FLOATS,
    body_vectorizes,
    map_vectorizes,
)
from mbc.codegen.loops import Access, access, row_major
from mbc.codegen.targets import Target
from mbc.ir.attributes import Entry
from mbc.ir.cost import fewest_bytes, flops
from mbc.ir.kernel import KernelOp
from mbc.ir.ops.contract import ContractOp
from mbc.ir.structured import maps_of
from mbc.ir.types import element_of, shape_of

COLUMN_SPACE: Space = {
    "tile": (
        *((6, 1), (4, 1), (8, 2), (4, 2), (12, 2), (8, 1), (12, 1)),
        *((6, 4), (4, 4), (1, 2), (1, 4)),
    ),
    "vector": (16, 8),
    "unroll": (2, 1, 4),
}
"""On a CPU, where vectors run along n: 12 registers of 8 lanes of sums by default."""

DOT_SPACE: Space = {
    "tile": ((4, 2), (2, 4), (4, 4), (6, 1), (8, 1), (1, 4), (1, 2), (2, 2)),
    "vector": (8, 16),
    "unroll": (1, 2, 4),
}
"""On a CPU, where vectors run along k; the second number of a tile is columns."""


def sums_along_k(match: ContractMatch) -> bool:
    """Both operands are contiguous in k, and the right one is not in n."""
    if match.panel or match.k == 1:
        return False
    contiguous = match.lhs.strides[3] == 1 and match.rhs.strides[3] == 1
    return contiguous and match.rhs.strides[2] != 1


class ContractFamily:
    """Knobs: `tile` (rows of the register tile, then columns in vectors), `vector`
    (LMUL on RVV, lanes on SIMT), `unroll` (of k), `parallel` (work-group shape),
    `split` (parts of k that groups of a GPU sum side by side), `stages` (tiles of an
    operand in shared memory, on CUDA), `matrix` (products in the matrix unit per pair
    of elements, on CUDA; 0 is without it)."""

    def match(self, kernel: KernelOp, target: Target) -> ContractMatch | None:
        found = anchored(kernel, ContractOp)
        if found is None or found.prologues or not isinstance(found.anchor, ContractOp):
            return None
        if 0 in found.packed:
            return None
        if _is_short(found, target):
            return _short_form(kernel, found, target)
        if not _all_f32(found):
            return None
        if found.epilogue and not body_vectorizes(found.epilogue, target):
            return None
        return _normal_form(kernel, found)

    def space(self, match: Match, target: Target) -> Space:
        assert isinstance(match, ContractMatch)
        if not target.simt:
            return _rvv_space(match)
        if target.is_cpu_style:
            return DOT_SPACE if sums_along_k(match) else COLUMN_SPACE
        return gpu_space(match, target)

    def refusal(self, match: Match, target: Target, schedule: Schedule) -> str:
        tile = schedule.get("tile", (1,))
        vector = schedule.get("vector", 1)
        assert isinstance(tile, tuple)
        assert isinstance(vector, int)
        if not target.simt:
            return _register_refusal(tile[0], vector, schedule.get("unroll", 1))
        if target.is_cpu_style:
            return ""
        assert isinstance(match, ContractMatch)
        return gpu_refusal(match.lhs.dtype, schedule, target)

    def packable(self, match: Match, target: Target) -> tuple[PackChoice, ...]:
        assert isinstance(match, ContractMatch)
        if match.panel or match.b != 1 or not match.n or match.rhs.buffer[0] != "a":
            return ()
        if target.simt and not target.is_cpu_style:
            return ()
        axes = match.op.axes()
        mine = [loop for loop in axes[2] if loop in axes[1]]
        if len(mine) != 1 or len(axes[1]) != 2:
            return ()
        axis = axes[1].index(mine[0])
        tiles = (16, 32, 64) if target.simt else (32, 16, 64, 8)
        return (PackChoice(int(match.rhs.buffer[1:]), axis, tiles),)

    def cost(self, match: Match, target: Target, schedule: Schedule) -> Cost:
        assert isinstance(match, ContractMatch)
        tile = schedule.get("tile", (1,))
        assert isinstance(tile, tuple)
        tiles = -(-match.m // tile[0])
        traffic = fewest_bytes(match.kernel) + 4 * match.b * match.k * match.n * (
            tiles - 1
        )
        parts = schedule.get("split", 1)
        assert isinstance(parts, int)
        if parts > 1:
            traffic += 2 * 4 * parts * match.b * match.m * match.n
        use = match.m / (tiles * tile[0]) if tiles else 1.0
        return Cost(flops(match.kernel), traffic, match.b * tiles * parts, use)


def _all_f32(found: Anchored) -> bool:
    values = [*found.anchor.operands, *found.anchor.results]
    return all(str(element_of(value)) == "f32" for value in values)


def _is_short(found: Anchored, target: Target) -> bool:
    """Two operands and a result of one 16-bit float, which the matrix unit takes."""
    types = {
        str(element_of(v)) for v in (*found.anchor.operands, *found.anchor.results)
    }
    return target.has_matrix_unit and len(types) == 1 and types <= SHORT_FLOATS


def _short_form(
    kernel: KernelOp, found: Anchored, target: Target
) -> ContractMatch | None:
    if found.packed or (found.epilogue and not map_vectorizes(found.epilogue, target)):
        return None
    match = _normal_form(kernel, found)
    return match if match and min(match.m, match.n) >= NARROW else None


def _rvv_space(match: ContractMatch) -> Space:
    """The default tile shares the rows out evenly over as few tiles as six allow."""
    even = -(-match.m // -(-match.m // 6))
    rows = dict.fromkeys((even, 6, 5, 4, 7, 3, 2, 1, 14))
    legal = tuple((r,) for r in rows if r <= max(1, match.m))
    return {"tile": legal, "vector": (4, 2, 8, 1), "unroll": (2, 1, 4)}


def _register_refusal(rows: int, vector: int, unroll: Entry) -> str:
    """A tile has a vector per row and one per step of k that is unrolled."""
    assert isinstance(unroll, int)
    if (rows + unroll) * vector <= 32:
        return ""
    return (
        f"a tile of {rows} rows at LMUL {vector}, unrolled by {unroll}, needs over "
        "32 registers"
    )


def _normal_form(kernel: KernelOp, found: Anchored) -> ContractMatch | None:
    op = found.anchor
    assert isinstance(op, ContractOp)
    names, axes = buffer_names(kernel), op.axes()
    extents = op.extents()
    groups = loop_groups(axes)
    if sum(len(group) for group in groups) != op.loops():
        return None
    packed = found.packed.get(1)
    operands = [op.lhs, op.rhs if packed is None else None, op.result]
    strides: list[list[int]] = []
    for value, order in zip(operands, axes, strict=True):
        if value is None:
            strides.append([0, 0, 0, 0])
            continue
        row = _group_strides(order, shape_of(value), groups, extents)
        if row is None:
            return None
        strides.append(row)
    b, m, n, k = (math.prod(extents[loop] for loop in group) for group in groups)
    if 0 in (b, m, n, k):
        return None
    extra = _extra(found.epilogue, op, names, groups, axes[2])
    if extra is None:
        return None
    dtype = str(element_of(op.lhs))
    lhs = Access(names[op.lhs], dtype, 0, tuple(strides[0]))
    source = op.rhs if packed is None else packed.input
    if packed is not None and (b != 1 or len(axes[1]) != 2):
        return None
    panel = shape_of(source)[-1] if packed is not None else 0
    rhs = Access(names[source], dtype, 0, tuple(strides[1]))
    last = found.epilogue or op
    out = tuple(
        Access(names[r], str(element_of(r)), 0, tuple(strides[2])) for r in last.results
    )
    return ContractMatch(
        "contract", kernel, op, b, m, n, k, lhs, rhs, out, panel, found.epilogue, extra
    )


def loop_groups(axes: Sequence[Sequence[int]]) -> list[list[int]]:
    """Loops of batch, rows, columns and the sum, in the result's order.

    A result such as (n, f, p) with only f from the left operand is a batch over n:
    columns on both sides of the rows cannot be one loop.
    """
    lhs, rhs, out = axes
    batch = [d for d in out if d in lhs and d in rhs]
    rows = [d for d in out if d not in rhs]
    columns = [d for d in out if d not in lhs]
    if rows and columns and out.index(columns[-1]) > out.index(rows[0]):
        outer = [d for d in columns if out.index(d) < out.index(rows[0])]
        batch = [d for d in out if d in batch or d in outer]
        columns = [d for d in columns if d not in outer]
    return [batch, rows, columns, [d for d in lhs if d not in out]]


def is_collapsible(axes: Sequence[Sequence[int]]) -> bool:
    """Whether batch, rows, columns and sum are runs of axes in every operand.

    `axes` are the loops of lhs, rhs and result, as `ContractOp.axes` gives them.
    """
    for order in axes:
        for group in loop_groups(axes):
            places = [order.index(loop) for loop in group if loop in order]
            if places and len(places) != len(group):
                return False
            if any(b != a + 1 for a, b in itertools.pairwise(places)):
                return False
    return True


def _group_strides(
    order: Sequence[int],
    shape: Sequence[int],
    groups: Sequence[Sequence[int]],
    extents: Sequence[int],
) -> list[int] | None:
    """One stride per group, or None where a group is not contiguous in the operand."""
    stride = dict(zip(order, row_major(shape), strict=True))
    result: list[int] = []
    for group in groups:
        mine = [d for d in group if d in stride and extents[d] != 1]
        if not mine:
            result.append(0)
            continue
        if len(mine) != sum(extents[d] != 1 for d in group):
            return None
        for outer, inner in itertools.pairwise(mine):
            if stride[outer] != stride[inner] * extents[inner]:
                return None
        result.append(stride[mine[-1]])
    return result


def _extra(
    epilogue: linalg.GenericOp | None,
    op: ContractOp,
    names: dict[SSAValue, str],
    groups: Sequence[Sequence[int]],
    out: Sequence[int],
) -> tuple[Access | None, ...] | None:
    """How the epilogue reads its inputs over (b, m, n, k)."""
    if epilogue is None:
        return ()
    found: list[Access | None] = []
    extents = op.extents()
    position = {loop: axis for axis, loop in enumerate(out)}
    for value, map in zip(epilogue.inputs, maps_of(epilogue)):
        if value is op.result:
            found.append(None)
            continue
        dtype = str(element_of(value))
        read = access(map, shape_of(value), names[value], dtype)
        strides: list[int] = []
        for group in groups:
            mine = [d for d in group if d in position and extents[d] != 1]
            steps = [read.strides[position[d]] for d in mine]
            for (s, t), inner in zip(itertools.pairwise(steps), mine[1:]):
                if s != t * extents[inner]:
                    return None
            strides.append(steps[-1] if steps else 0)
        found.append(Access(read.buffer, dtype, read.offset, tuple(strides)))
    return tuple(found)
