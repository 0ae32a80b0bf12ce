"""How a strip of sums of a contraction ends: in results, or in a part of the sums.

Parts are written to scratch over (part, b, m, n), and a second launch adds them up.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from mbc.codegen.emitters.cuda.lanes import WIDTHS, Walk, is_aligned
from mbc.codegen.emitters.cuda.signature import Signature
from mbc.codegen.expression import ScalarPrinter
from mbc.codegen.families.contract_match import ContractMatch
from mbc.codegen.loops import Access, row_major
from mbc.codegen.program import Buffer

N, K = 2, 3
LOOPS = ("b", "m", "n")
PARTIAL = "s0"


@dataclass(frozen=True)
class End:
    """Statements for `width` neighbours along n; those of `lane` once for each."""

    width: int
    declarations: tuple[str, ...]
    loads: tuple[str, ...]
    lane: tuple[str, ...]
    stores: tuple[str, ...]


def partial_buffer(match: ContractMatch, parts: int) -> Buffer:
    return Buffer(PARTIAL, "f32", (parts, match.b, match.m, match.n), "scratch")


def in_parts(
    match: ContractMatch, strip: int, total: str, parts: int, signature: Signature
) -> End:
    """The sums as they are, in their part; `total` as in `in_results`."""
    width = next(w for w in WIDTHS if w <= strip and match.n % w == 0)
    walk = Walk(("part", *LOOPS), _with_parts(signature), width)
    lane, size = ("[e]", f"[{width}]") if width > 1 else ("", "")
    total = total.format(" + e" if width > 1 else "", lane)
    store = walk.store(partial_access(match, parts), "y0")
    return End(width, (f"y0{size}",), (), (f"y0{lane} = {total};",), (store,))


def partial_access(match: ContractMatch, parts: int) -> Access:
    """Over (part, b, m, n); without a batch the text has no b."""
    part, b, m, n = row_major((parts, match.b, match.m, match.n))
    return Access(PARTIAL, "f32", 0, (part, b if match.b > 1 else 0, m, n))


def load_part(
    match: ContractMatch, parts: int, signature: Signature, width: int
) -> str:
    """The statement that fills `x` with what a part has for a strip."""
    walk = Walk(("part", *LOOPS), _with_parts(signature), width)
    return walk.load("x", partial_access(match, parts))


def _with_parts(signature: Signature) -> list[tuple[str, int]]:
    *loops, _, parts = signature.constants
    return [parts, *loops]


def in_results(
    match: ContractMatch, strip: int, total: str, signature: Signature
) -> End:
    """The results of the kernel, from sums that `total` spells, `{0}` being a lane."""
    out = [_of_result(a) for a in match.out]
    extra = [None if a is None else _of_result(a) for a in match.extra]
    named = [(f"z{i}", a) for i, a in enumerate(extra) if a is not None]
    fits = _fits_results(match.n, out, [a for _, a in named])
    width = next(w for w in WIDTHS if w <= strip and (w == 1 or fits(w)))
    walk = Walk(LOOPS, signature.constants[:K], width)
    lane = "[e]" if width > 1 else ""
    total = total.format(" + e" if width > 1 else "", lane)
    lanes = iter([walk.lane_of(name, a) for name, a in named])
    lines: list[str] = []
    values = [total] * len(out)
    dtype = match.lhs.dtype
    if match.epilogue is not None:
        # Stores round to 16 bits by themselves.
        total = total if dtype == "f32" else f"mbc_round_{dtype}({total})"
        arguments = [total if a is None else next(lanes) for a in extra]
        arguments += ["uninitialized"] * len(out)
        printer = ScalarPrinter(signature.target)
        printed = printer.body(match.epilogue.body.block, arguments)
        lines, values = list(printed.lines), list(printed.results)
    results = [f"y{i}" for i in range(len(out))]
    sets = [f"{y}{lane} = {v};" for y, v in zip(results, values, strict=True)]
    sizes = f"[{width}]" if width > 1 else ""
    declared = (*(walk.declare(n, a) for n, a in named), *(y + sizes for y in results))
    return End(
        width,
        declared,
        tuple(walk.load(name, a) for name, a in named),
        (*lines, *sets),
        tuple(walk.store(a, y) for y, a in zip(results, out, strict=True)),
    )


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
