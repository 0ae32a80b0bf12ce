"""contract in CUDA by the matrix unit: tiles arrive in the background, warps sum up.

Operands in f32 are split in two tf32 numbers each as fragments are read; three products
of halves are summed from zero for every 16 of k, and that is added to the f32 sums: the
unit rounds towards zero, which long sums would show.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from mbc.codegen.emitters.cuda.contract_ends import partial_buffer
from mbc.codegen.emitters.cuda.contract_stages import JOIN_THREADS, Blocks, stages_of
from mbc.codegen.emitters.cuda.lanes import Walk, is_aligned
from mbc.codegen.emitters.cuda.matrix_tiles import (
    SHORT_REGISTERS,
    SPLIT_REGISTERS,
    Operand,
    Sums,
)
from mbc.codegen.emitters.cuda.signature import Signature, number, numbers, op_summary
from mbc.codegen.emitters.simt import strip_of
from mbc.codegen.families import Schedule
from mbc.codegen.families.contract_match import ContractMatch
from mbc.codegen.families.matrix_unit import Warps, warps_of
from mbc.codegen.loops import Access
from mbc.codegen.program import KernelCode
from mbc.codegen.render import render
from mbc.codegen.targets import Target

M, N, K = 1, 2, 3
LOOPS = ("b", "m", "n", "k")
WIDTHS = {"f32": (4, 2, 1), "f16": (8, 4, 2, 1), "bf16": (8, 4, 2, 1)}
"""Elements of a copy."""


@dataclass(frozen=True)
class Side(Operand):
    """One operand on its way from global memory to its tile in shared memory."""

    loop: str
    extent: str
    width: int
    vectors: int
    """Of a whole tile."""
    per_thread: int
    buffer: str
    source: str
    """The element at (b, m, n, k)."""


def emit(match: ContractMatch, schedule: Schedule, target: Target) -> KernelCode:
    rows, columns, depth = numbers(schedule, "tile")
    across, down = numbers(schedule, "parallel")
    warps = warps_of(rows, columns, across * down)
    assert warps is not None
    parts = number(schedule, "split")
    extents = list(zip("BMNK", (match.b, match.m, match.n, match.k), strict=True))
    extents += [("PARTS", parts)] if parts > 1 else []
    scratch = (partial_buffer(match, parts),) if parts > 1 else ()
    signature = Signature(match, target, extents, scratch)
    vector = number(schedule, "vector")
    sides = (
        _side(match.lhs, M, warps, depth, vector, signature),
        _side(match.rhs, N, warps, depth, vector, signature),
    )
    is_split = match.lhs.dtype == "f32"
    others = SPLIT_REGISTERS if is_split else SHORT_REGISTERS
    sums = Sums(warps, *sides, others)
    blocks = Blocks(rows, columns, warps.threads, sums.b.together, "total{1}")
    stages = stages_of(match, blocks, parts, signature)
    end = stages[0].end.width
    source = render(
        "cuda/contract_matrix.cu.j2",
        sig=signature,
        stages=stages,
        summary=f"{match.op.equation()}: {op_summary(match.kernel)}",
        sums=sums,
        type=match.lhs.dtype,
        element=target.types[match.lhs.dtype],
        bytes=4 if is_split else 2,
        depth=depth,
        names=[name for name, _ in signature.constants],
        batched=match.b > 1,
        parts=parts,
        tiles=number(schedule, "stages"),
        sides=sides,
        again=_element(match.rhs, K, signature, "(n + l)" if end > 1 else "n"),
        join_threads=JOIN_THREADS,
    )
    return signature.code(source, [stage.launch for stage in stages], schedule)


def _side(
    access: Access,
    loop: int,
    warps: Warps,
    depth: int,
    vector: int,
    signature: Signature,
) -> Side:
    size = warps.m if loop == M else warps.n
    lane = loop if access.strides[loop] == 1 else K
    _, extent = signature.constants[lane]
    width = next(
        w
        for w in WIDTHS[access.dtype]
        if w <= (vector if vector == 1 else 8)
        and extent % w == 0
        and (w == 1 or access.strides[lane] == 1)
        and is_aligned(access, w, lane)
    )
    vectors = size * depth // width
    return Side(
        "lhs" if loop == M else "rhs",
        size,
        lane == K,
        _together(loop, lane == K, warps),
        LOOPS[loop],
        signature.constants[loop][0],
        width,
        vectors,
        -(-vectors // warps.threads),
        access.buffer,
        _element(access, lane, signature),
    )


def _together(loop: int, along_k: bool, warps: Warps) -> int:
    """Columns always interleave, so that results are stored in vectors."""
    if loop == M and along_k:
        return 1
    return strip_of((warps.rows if loop == M else warps.columns) // 8)


def _element(access: Access, lane: int, signature: Signature, n: str = "n") -> str:
    """`a0[m * k3_K + k]`; loops in the order of the operand's axes, `n` as given."""
    order = sorted(range(4), key=lambda loop: -access.strides[loop])
    order = [loop for loop in order if access.strides[loop] or loop == lane]
    loops = tuple(n if loop == N else LOOPS[loop] for loop in order)
    walk = Walk(loops, [signature.constants[loop] for loop in order], 1)
    strides = tuple(access.strides[loop] for loop in order)
    return walk.element(replace(access, strides=strides))
