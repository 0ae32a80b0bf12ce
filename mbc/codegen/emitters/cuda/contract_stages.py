"""The launches of a contraction: its sums, and what adds up those of parts of k."""

from __future__ import annotations

from dataclasses import dataclass

from mbc.codegen.emitters.cuda.contract_ends import (
    PARTIAL,
    End,
    in_parts,
    in_results,
    load_part,
)
from mbc.codegen.emitters.cuda.lanes import WIDTHS
from mbc.codegen.emitters.cuda.signature import Signature
from mbc.codegen.families.contract_match import ContractMatch
from mbc.codegen.program import Launch

M, N = 1, 2
JOIN_THREADS = 256


@dataclass(frozen=True)
class Stage:
    """A launch, its parameters, and what it does with its sums."""

    launch: Launch
    parameters: str
    end: End
    load: str = ""
    """Fills `x` from one part, in the launch that adds them up."""


@dataclass(frozen=True)
class Blocks:
    """Of m x n results each, and strips of a thread's finished sums: `total` is one,
    where `{0}` adds the number of a lane to an index and `{1}` is an index."""

    m: int
    n: int
    threads: int
    strip: int
    total: str


def stages_of(
    match: ContractMatch, blocks: Blocks, parts: int, signature: Signature
) -> list[Stage]:
    count = match.b * -(-match.m // blocks.m) * -(-match.n // blocks.n)
    label, block = signature.label, (blocks.threads, 1, 1)
    results = [r.name for r in signature.results]
    if parts == 1:
        end = in_results(match, blocks.strip, blocks.total, signature)
        launch = Launch(label, signature.names, (count, 1, 1), block)
        return [Stage(launch, signature.parameters(signature.names, results), end)]
    read = [name for name in signature.names if _is_summed(name, match)]
    names = (*read, PARTIAL)
    first = Stage(
        Launch(f"{label}_parts", names, (count, parts, 1), block),
        signature.parameters(names, [PARTIAL]),
        in_parts(match, blocks.strip, blocks.total, parts, signature),
    )
    end = in_results(match, WIDTHS[0], "sum{1}", signature)
    rest = tuple(n for n in signature.names if n not in read or _is_extra(n, match))
    vectors = match.b * match.m * (match.n // end.width)
    grid = (-(-vectors // JOIN_THREADS), 1, 1)
    last = Stage(
        Launch(f"{label}_join", rest, grid, (JOIN_THREADS, 1, 1)),
        signature.parameters(rest, results),
        end,
        load_part(match, parts, signature, end.width),
    )
    return [first, last]


def _is_summed(name: str, match: ContractMatch) -> bool:
    return name in (match.lhs.buffer, match.rhs.buffer)


def _is_extra(name: str, match: ContractMatch) -> bool:
    """Whether the epilogue reads a buffer."""
    return any(access is not None and access.buffer == name for access in match.extra)


def rows_outermost(match: ContractMatch) -> ContractMatch:
    """With lhs and rhs exchanged where the result is contiguous along m, not n."""
    if match.out[0].strides[N] == 1 or match.out[0].strides[M] != 1:
        return match
    return match.exchanged()
