"""move: one op that only moves: permute, pad, join, slice, pack, gather, scatter."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.dialects.linalg.ops import GenericOp
from xdsl.ir import Operation

from mbc.codegen.families import Cost, Match, PackChoice, Schedule, Space
from mbc.codegen.families.body import buffer_names, compute_ops, yields_each_once
from mbc.codegen.families.move_ops import movement_of
from mbc.codegen.families.move_rows import pieces
from mbc.codegen.families.movements import (
    Movement,
    Picks,
    Rows,
    Scatter,
    Transposition,
)
from mbc.codegen.families.vectors import body_vectorizes
from mbc.codegen.program import DTYPE_BYTES
from mbc.codegen.targets import Target
from mbc.ir.cost import fewest_bytes, flops
from mbc.ir.kernel import KernelOp
from mbc.ir.types import element_of


@dataclass(frozen=True)
class MoveMatch(Match):
    movement: Movement
    dtype: str

    @property
    def bits(self) -> int:
        """Of one element; elements move as unsigned integers of so many."""
        return 8 * DTYPE_BYTES[self.dtype]

    @property
    def span(self) -> int:
        """How many neighbours of the result move together, on average."""
        match self.movement:
            case Picks() | Scatter() as rows:
                return rows.inner
            case Transposition() as matrix:
                return min(matrix.rows, matrix.columns)
            case Rows() as rows:
                counts = [piece.span.count for piece in pieces(rows.tree)]
                return max(counts)


class MoveFamily:
    """Knobs: `vector` (LMUL on RVV, elements per access on SIMT) and `parallel`
    (vectors per work item in the cpu style, work items per group on GPUs; of a scatter,
    parts of an axis that items of the cpu style share out). `tile` of a transposition:
    on RVV rows at a time, whose lines are touched before strided loads read them, or 0
    for whole vectors and no touch; on SIMT targets rows and columns that are turned in
    registers (cpu style) or in local memory."""

    def match(self, kernel: KernelOp, target: Target) -> MoveMatch | None:
        ops = compute_ops(kernel)
        if len(ops) != 1 or not yields_each_once(kernel):
            return None
        movement = movement_of(ops[0], buffer_names(kernel))
        if movement is None or _is_better_map(ops[0], movement, target):
            return None
        dtype = str(element_of(kernel.terminator.values[0]))
        return MoveMatch("move", kernel, movement, dtype)

    def space(self, match: Match, target: Target) -> Space:
        assert isinstance(match, MoveMatch)
        if isinstance(match.movement, Transposition):
            return _transposition_space(match, match.movement, target)
        if isinstance(match.movement, Scatter) and target.simt:
            places = (8, 2, 32) if target.is_cpu_style else (256, 128, 512)
            return {"parallel": places}
        if not target.simt:
            return {"vector": (8, 4, 2, 1)}
        if target.is_cpu_style:
            return {"vector": (16, 8, 4), "parallel": (64, 16, 256)}
        return {"vector": (4, 2, 1), "parallel": (256, 128, 512)}

    def refusal(self, match: Match, target: Target, schedule: Schedule) -> str:
        return ""

    def packable(self, match: Match, target: Target) -> tuple[PackChoice, ...]:
        return ()

    def cost(self, match: Match, target: Target, schedule: Schedule) -> Cost:
        """Traffic; lanes idle in short rows and in strided accesses."""
        assert isinstance(match, MoveMatch)
        moved = fewest_bytes(match.kernel)
        lanes = _lanes(match, target, schedule)
        vectors = -(-match.span // lanes)
        use = match.span / (vectors * lanes)
        return Cost(
            flops(match.kernel), moved / use, moved / (match.bits // 8 * lanes), use
        )


def _is_better_map(op: Operation, movement: Movement, target: Target) -> bool:
    """On GPUs, maps have aligned vectors for rows of f32."""
    one_item = not target.simt or target.is_cpu_style
    if one_item or not isinstance(movement, Rows) or not isinstance(op, GenericOp):
        return False
    return body_vectorizes(op, target)


def _transposition_space(
    match: MoveMatch, matrix: Transposition, target: Target
) -> Space:
    if not target.simt and matrix.fields:
        legal = [lmul for lmul in (1, 2, 4) if lmul * matrix.fields <= 8]
        return {"vector": tuple(reversed(legal))}
    if not target.simt:
        # Few rows at a time where their lines would drive each other out.
        large = fewest_bytes(match.kernel) > 12 * target.peaks.cache_bytes
        lengths, rows = ((2, 4, 8, 1), (8, 0)) if large else ((8, 4, 2, 1), (0, 8))
        return {"vector": lengths, "tile": rows}
    if target.is_cpu_style:
        return {"tile": (8, 4, 16), "parallel": (16, 4, 64)}
    return {"tile": (32, 16), "parallel": (8, 4, 16)}


def _lanes(match: MoveMatch, target: Target, schedule: Schedule) -> int:
    """Elements that one access covers."""
    tile, vector = schedule.get("tile"), schedule.get("vector", 1)
    if isinstance(tile, int):
        return max(tile, 1)
    assert isinstance(vector, int)
    return vector if target.simt else vector * target.number("vlen") // match.bits
