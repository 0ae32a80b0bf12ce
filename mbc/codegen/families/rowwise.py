"""rowwise: softmax, norms and their kin; reductions of a row kept on chip."""

from __future__ import annotations

import math
from dataclasses import dataclass

from xdsl.dialects.linalg import ops as linalg

from mbc.codegen.families import Cost, Match, PackChoice, Schedule, Space
from mbc.codegen.families.row_builder import row_program
from mbc.codegen.families.row_program import RowProgram
from mbc.codegen.families.vectors import body_vectorizes, lane_use
from mbc.codegen.targets import Target
from mbc.ir.cost import fewest_bytes, flops
from mbc.ir.decompose import decompose_ops
from mbc.ir.kernel import KernelOp
from mbc.ir.ops.reduce import ReduceOp


@dataclass(frozen=True)
class RowwiseMatch(Match):
    program: RowProgram
    body: KernelOp
    """The decomposed copy of the kernel that `program` refers to."""

    @property
    def rows(self) -> int:
        return math.prod(self.program.rows)


class RowwiseFamily:
    """Knobs: `vector` (LMUL on RVV, lanes per access on SIMT; on GPUs it divides a
    segment), `unroll` (rows side by side, RVV), `parallel` (work items per row on
    GPUs, rows per group on CPUs)."""

    def match(self, kernel: KernelOp, target: Target) -> RowwiseMatch | None:
        clone = kernel.copy()
        decompose_ops(clone.block, lambda op: not isinstance(op, ReduceOp))
        program = row_program(clone)
        if program is None or not fits_vectors(clone, target):
            return None
        return RowwiseMatch("rowwise", kernel, program, clone)

    def space(self, match: Match, target: Target) -> Space:
        assert isinstance(match, RowwiseMatch)
        program = match.program
        space = row_space(target, row_threads(match.rows, program.length, target))
        if not target.simt or target.is_cpu_style or program.segments == 1:
            return space
        segment = program.extents[-1]
        fitting = tuple(v for v in (4, 1) if segment % v == 0)
        return {**space, "vector": fitting}

    def refusal(self, match: Match, target: Target, schedule: Schedule) -> str:
        return row_refusal(schedule)

    def packable(self, match: Match, target: Target) -> tuple[PackChoice, ...]:
        return ()

    def cost(self, match: Match, target: Target, schedule: Schedule) -> Cost:
        assert isinstance(match, RowwiseMatch)
        return row_cost(
            match.kernel, match.rows, match.program.length, target, schedule
        )


def fits_vectors(kernel: KernelOp, target: Target) -> bool:
    """Every generic of the decomposed body is vector work on f32."""
    generics = [op for op in kernel.ops() if isinstance(op, linalg.GenericOp)]
    reduces = [op for op in kernel.ops() if isinstance(op, ReduceOp)]
    f32 = all(str(r.tensor_operands()[0].element_type) == "f32" for r in reduces)
    return f32 and all(body_vectorizes(op, target) for op in generics)


def row_space(
    target: Target, threads: int, unroll: tuple[int, ...] = (4, 1, 2)
) -> Space:
    """Knobs of kernels that walk rows; on GPUs `threads` per row come first."""
    if not target.simt:
        return {"vector": (4, 8, 2, 1), "unroll": unroll}
    if target.is_cpu_style:
        return {"vector": (16, 8, 4), "parallel": (1, 4, 16)}
    parallel = dict.fromkeys((threads, *ROW_THREADS))
    return {"vector": (4, 1), "parallel": tuple(parallel)}


def row_refusal(schedule: Schedule) -> str:
    """Of more partial results than there are vector registers, on RVV."""
    vector, unroll = schedule.get("vector", 1), schedule.get("unroll", 1)
    assert isinstance(vector, int)
    assert isinstance(unroll, int)
    if vector * (unroll + 1) <= VECTOR_REGISTERS:
        return ""
    return (
        f"partial results of {unroll} rows or strips at LMUL {vector} and what they "
        f"take in need over {VECTOR_REGISTERS} vector registers"
    )


VECTOR_REGISTERS = 32
ROW_THREADS = (256, 128, 512, 1024, 64, 32, 16, 8)
ELEMENTS_PER_THREAD = 16
"""Of a row: four vectors in flight, and few enough to stay in registers."""


def row_threads(rows: int, length: int, target: Target) -> int:
    """Work items per row, a power of two; of few rows, each gets one per vector."""
    busy = rows >= 4 * target.peaks.units
    per_thread = ELEMENTS_PER_THREAD if busy else 4
    threads = 1 << (-(-length // per_thread) - 1).bit_length()
    return min(max(threads, min(ROW_THREADS)), max(ROW_THREADS))


def row_cost(
    kernel: KernelOp, rows: int, length: int, target: Target, schedule: Schedule
) -> Cost:
    width = lane_use(target, schedule)
    vectors = -(-length // width)
    return Cost(
        flops(kernel),
        fewest_bytes(kernel),
        rows * max(1, length / width),
        length / (vectors * width),
    )
