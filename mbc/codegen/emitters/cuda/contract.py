"""contract in CUDA: double-buffered shared tiles, a register tile per thread."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from mbc.codegen.emitters.cuda.lanes import WIDTHS, Walk, is_aligned
from mbc.codegen.emitters.cuda.signature import Signature, number, numbers, op_summary
from mbc.codegen.expression import ScalarPrinter
from mbc.codegen.families import Match, Schedule
from mbc.codegen.families.contract import ContractMatch
from mbc.codegen.loops import Access
from mbc.codegen.program import KernelCode, Launch
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
    match = _rows_outermost(match)
    rows, columns, depth = numbers(schedule, "tile")
    threads_n, threads_m = numbers(schedule, "parallel")
    tile = Tile(rows, columns, depth, threads_m, threads_n)
    extents = list(zip("BMNK", _extents(match), strict=True))
    signature = Signature(match, target, extents)
    vector = number(schedule, "vector")
    source = render(
        "cuda/contract.cu.j2",
        sig=signature,
        parameters=signature.parameters(
            signature.names, [r.name for r in signature.results]
        ),
        summary=f"{match.op.equation()}: {op_summary(match.kernel)}",
        tile=tile,
        names=[name for name, _ in signature.constants],
        batched=match.b > 1,
        sides=[
            _side(match.lhs, M, tile, vector, signature),
            _side(match.rhs, N, tile, vector, signature),
        ],
        rows=_strip(tile.per_thread(M)),
        columns=_strip(tile.per_thread(N)),
        end=_epilogue(match, _strip(tile.per_thread(N)), signature),
    )
    blocks = match.b * -(-match.m // tile.m) * -(-match.n // tile.n)
    launch = Launch(
        signature.label, signature.names, (blocks, 1, 1), (tile.threads, 1, 1)
    )
    return signature.code(source, [launch], schedule)


def _extents(match: ContractMatch) -> tuple[int, int, int, int]:
    return match.b, match.m, match.n, match.k


def _rows_outermost(match: ContractMatch) -> ContractMatch:
    """With lhs and rhs exchanged where the result is contiguous along m, not n."""
    if match.out[0].strides[N] == 1 or match.out[0].strides[M] != 1:
        return match

    def exchanged(access: Access) -> Access:
        b, m, n, k = access.strides
        return replace(access, strides=(b, n, m, k))

    return replace(
        match,
        m=match.n,
        n=match.m,
        lhs=exchanged(match.rhs),
        rhs=exchanged(match.lhs),
        out=tuple(exchanged(a) for a in match.out),
        extra=tuple(None if a is None else exchanged(a) for a in match.extra),
    )


def _strip(sums: int) -> int:
    """Neighbouring sums of a thread: what one read of a shared tile brings."""
    return next(width for width in WIDTHS if sums % width == 0)


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


def _epilogue(
    match: ContractMatch, strip: int, signature: Signature
) -> dict[str, object]:
    """How a strip of a row of sums becomes results."""
    out = [_of_result(a) for a in match.out]
    extra = [None if a is None else _of_result(a) for a in match.extra]
    named = [(f"z{i}", a) for i, a in enumerate(extra) if a is not None]
    fits = _fits_results(match.n, out, [a for _, a in named])
    width = next(w for w in WIDTHS if w <= strip and (w == 1 or fits(w)))
    walk = Walk(LOOPS[:K], signature.constants[:K], width)
    lane = "[e]" if width > 1 else ""
    total = "sum[i][j + e]" if width > 1 else "sum[i][j]"
    lanes = iter([walk.lane_of(name, a) for name, a in named])
    lines: list[str] = []
    values = [total] * len(out)
    if match.epilogue is not None:
        arguments = [total if a is None else next(lanes) for a in extra]
        arguments += ["uninitialized"] * len(out)
        printer = ScalarPrinter(signature.target)
        printed = printer.body(match.epilogue.body.block, arguments)
        lines, values = list(printed.lines), list(printed.results)
    results = [f"y{i}" for i in range(len(out))]
    sets = [f"{y}{lane} = {v};" for y, v in zip(results, values, strict=True)]
    sizes = f"[{width}]" if width > 1 else ""
    return {
        "width": width,
        "declarations": [
            *(walk.declare(name, a) for name, a in named),
            *(y + sizes for y in results),
        ],
        "loads": [walk.load(name, a) for name, a in named],
        "lane": [*lines, *sets],
        "stores": [walk.store(a, y) for y, a in zip(results, out, strict=True)],
    }


def _of_result(access: Access) -> Access:
    """Results and what the epilogue reads do not move with k."""
    return replace(access, strides=access.strides[:K])


def _fits_results(
    extent: int, out: Sequence[Access], reads: Sequence[Access]
) -> Callable[[int], bool]:
    """Results are stored in vectors where all of them lie together along n."""
    together = all(a.strides[N] == 1 for a in out)

    def fits(width: int) -> bool:
        aligned = all(is_aligned(a, width) for a in (*out, *reads))
        return together and aligned and extent % width == 0

    return fits
