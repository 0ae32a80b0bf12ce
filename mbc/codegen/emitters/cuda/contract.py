"""contract in CUDA: double-buffered shared tiles, a register tile per thread.

With `split`, blocks sum parts of k, and a second launch adds the parts up.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from mbc.codegen.emitters.cuda import contract_matrix
from mbc.codegen.emitters.cuda.contract_ends import partial_buffer
from mbc.codegen.emitters.cuda.contract_stages import (
    JOIN_THREADS,
    Blocks,
    rows_outermost,
    stages_of,
)
from mbc.codegen.emitters.cuda.lanes import WIDTHS, Walk, is_aligned
from mbc.codegen.emitters.cuda.signature import Signature, number, numbers, op_summary
from mbc.codegen.emitters.simt import strip_of
from mbc.codegen.families import Match, Schedule
from mbc.codegen.families.contract_match import ContractMatch
from mbc.codegen.loops import Access
from mbc.codegen.program import KernelCode
from mbc.codegen.render import render
from mbc.codegen.targets import Target

B, M, N, K = range(4)
UNIT_REGISTERS = 1 << 16
"""Of a multiprocessor."""
OTHER_REGISTERS = 96
"""What a thread needs beside its sums, so that it reads shared memory ahead."""
LOOPS = ("b", "m", "n", "k")


@dataclass(frozen=True)
class Tile:
    """What a block computes, and how its threads share it."""

    m: int
    n: int
    k: int
    threads_m: int
    threads_n: int

    @property
    def threads(self) -> int:
        return self.threads_m * self.threads_n

    @property
    def resident(self) -> int:
        """Blocks that share a multiprocessor with registers enough for all."""
        registers = self.per_thread(M) * self.per_thread(N) + OTHER_REGISTERS
        return max(1, UNIT_REGISTERS // (registers * self.threads))

    def per_thread(self, loop: int) -> int:
        return self.m // self.threads_m if loop == M else self.n // self.threads_n


@dataclass(frozen=True)
class Side:
    """One operand on its way from global memory to its tile in shared memory."""

    name: str
    size: int
    """Of the tile along m or n."""
    along_k: bool
    """Neighbouring threads, and vectors, run along k."""
    width: int
    vectors: int
    """Of a whole tile."""
    per_thread: int
    load: str
    """The statement that fills `next`."""


def emit(match: Match, schedule: Schedule, target: Target) -> KernelCode:
    assert isinstance(match, ContractMatch)
    match = rows_outermost(match)
    if schedule.get("matrix"):
        return contract_matrix.emit(match, schedule, target)
    rows, columns, depth = numbers(schedule, "tile")
    threads_n, threads_m = numbers(schedule, "parallel")
    tile = Tile(rows, columns, depth, threads_m, threads_n)
    parts = number(schedule, "split")
    extents = list(zip("BMNK", _extents(match), strict=True))
    extents += [("PARTS", parts)] if parts > 1 else []
    scratch = (partial_buffer(match, parts),) if parts > 1 else ()
    signature = Signature(match, target, extents, scratch)
    vector = number(schedule, "vector")
    strip = strip_of(tile.per_thread(N))
    blocks = Blocks(tile.m, tile.n, tile.threads, strip, "sum[i][j{0}]")
    stages = stages_of(match, blocks, parts, signature)
    source = render(
        "cuda/contract.cu.j2",
        sig=signature,
        stages=stages,
        summary=f"{match.op.equation()}: {op_summary(match.kernel)}",
        tile=tile,
        names=[name for name, _ in signature.constants],
        batched=match.b > 1,
        parts=parts,
        tiles=number(schedule, "stages"),
        sides=[
            _side(match.lhs, M, tile, vector, signature),
            _side(match.rhs, N, tile, vector, signature),
        ],
        rows=strip_of(tile.per_thread(M)),
        columns=strip,
        join_threads=JOIN_THREADS,
    )
    return signature.code(source, [stage.launch for stage in stages], schedule)


def _extents(match: ContractMatch) -> tuple[int, int, int, int]:
    return match.b, match.m, match.n, match.k


def _side(
    access: Access, loop: int, tile: Tile, vector: int, signature: Signature
) -> Side:
    size = tile.m if loop == M else tile.n
    lane = loop if access.strides[loop] == 1 else K
    extent = dict(zip(LOOPS, (n for _, n in signature.extents)))[LOOPS[lane]]
    along = size if lane == loop else tile.k
    width = next(
        w
        for w in WIDTHS
        if w <= vector
        and extent % w == 0
        and along % w == 0
        and (w == 1 or access.strides[lane] == 1)
        and is_aligned(access, w, lane)
    )
    vectors = size * tile.k // width
    name = "lhs" if loop == M else "rhs"
    return Side(
        name,
        size,
        lane == K,
        width,
        vectors,
        -(-vectors // tile.threads),
        _load(f"{name}_next[v]", access, lane, width, signature),
    )


def _load(
    place: str, access: Access, lane: int, width: int, signature: Signature
) -> str:
    """The statement that loads one vector; loops in the order of the operand's axes."""
    order = sorted(range(4), key=lambda loop: -access.strides[loop])
    order = [loop for loop in order if access.strides[loop] or loop == lane]
    walk = Walk(
        tuple(LOOPS[loop] for loop in order),
        [signature.constants[loop] for loop in order],
        width,
        order.index(lane),
    )
    strides = tuple(access.strides[loop] for loop in order)
    return walk.load(place, replace(access, strides=strides))
