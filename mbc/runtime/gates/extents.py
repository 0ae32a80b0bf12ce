"""Extents to check a candidate at: drawn by Hypothesis, few, and unlike each other.

Many are drawn inside the predicate; those are kept that add most to what is covered:
nothing, one, primes, multiples of a vector, tails, more than one vector register.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass

import hypothesis
from hypothesis import strategies as st

from mbc.codegen.families import match_kernel, schedule_of
from mbc.errors import PassRefused
from mbc.ir.cost import fewest_bytes, flops
from mbc.ir.kernel import KernelOp
from mbc.ir.ops.gather import GatherOp
from mbc.ir.resize import extents
from mbc.ir.types import shape_of
from mbc.runtime.gates.candidate import Candidate
from mbc.runtime.gates.predicate import Predicate

Extents = tuple[tuple[str, int], ...]
"""In order of names, as a key."""

DRAWS = 60
MAX_FLOPS = 200_000
MAX_BYTES = 256 << 10
LARGEST = 300
TELLING = (0, 1, 2, 3, 5, 7, 8, 13, 16, 17, 31, 32, 33, 64, 65, 127, 128, 131, 257)
ALIGNED = 8
LONG = 64


@dataclass(frozen=True)
class At:
    """The reference at some extents."""

    extents: Extents
    kernel: KernelOp

    @property
    def small(self) -> bool:
        bytes = fewest_bytes(self.kernel)
        return flops(self.kernel) <= MAX_FLOPS and bytes <= MAX_BYTES

    def __str__(self) -> str:
        return ", ".join(f"{n}={v}" for n, v in self.extents) or "its own extents"


def own_extents(candidate: Candidate) -> At:
    return At(tuple(extents(candidate.kernel).items()), candidate.kernel)


def draw_extents(
    candidate: Candidate,
    predicate: Predicate,
    seed: int,
    count: int,
    exclude: Collection[Extents] = (),
) -> list[At]:
    """Up to `count` extents inside the candidate's predicate, other than `exclude`."""
    free = extents(candidate.kernel)
    if not candidate.resizable or not free or count <= 0:
        return []
    found: dict[Extents, At] = {}

    def consider(drawn: dict[str, int]) -> None:
        key = tuple((name, drawn[name]) for name in free)
        if key in found or key in exclude or not predicate.holds(drawn):
            return
        at = _at(candidate, drawn, key)
        if at is not None and at.small:
            found[key] = at

    _draw(free, seed, consider)
    return _unlike(list(found.values()), count, _inside(candidate))


def _draw(
    free: Mapping[str, int], seed: int, consider: Callable[[dict[str, int]], None]
) -> None:
    """Calls `consider` with `DRAWS` examples; nothing is stored or printed."""
    strategy = st.fixed_dictionaries({n: _extent(own) for n, own in free.items()})

    @hypothesis.seed(seed)
    @hypothesis.settings(
        max_examples=DRAWS,
        database=None,
        deadline=None,
        phases=[hypothesis.Phase.generate],
        suppress_health_check=[hypothesis.HealthCheck.too_slow],
    )
    @hypothesis.given(strategy)
    def record(drawn: dict[str, int]) -> None:
        consider(drawn)

    record()


def _extent(own: int) -> st.SearchStrategy[int]:
    near = sorted({max(0, own - 1), own, own + 1})
    return st.one_of(
        st.sampled_from(TELLING),
        st.sampled_from(near),
        st.integers(0, LARGEST),
        st.integers(1, 16),
    )


def _at(candidate: Candidate, drawn: Mapping[str, int], key: Extents) -> At | None:
    try:
        kernel = candidate.at(drawn)
    except PassRefused:
        return None
    return None if _reads_nothing(kernel) else At(key, kernel)


def _reads_nothing(kernel: KernelOp) -> bool:
    """Whether a gather must read from an axis that has no element."""
    gathers = [op for op in kernel.ops() if isinstance(op, GatherOp)]
    return any(0 in shape_of(op.input) for op in gathers)


def _inside(candidate: Candidate) -> Callable[[At], bool]:
    """An emitted text holds where its family and its written schedule stay the same.

    A text from outside can hold where the constants that it reads are named and the
    launches that call it are the same functions on the same buffers.
    """
    if candidate.source:
        face = _face(candidate, candidate.kernel)
        return lambda at: _face(candidate, at.kernel) == face

    def identity(kernel: KernelOp) -> tuple[str, dict[str, object]]:
        match = match_kernel(kernel, candidate.target)
        chosen = schedule_of(match, candidate.target)
        written = kernel.schedule.values() if kernel.schedule is not None else {}
        return match.family, {knob: chosen.get(knob) for knob in written}

    own = identity(candidate.kernel)
    return lambda at: identity(at.kernel) == own


def _face(candidate: Candidate, kernel: KernelOp) -> tuple[list[object], list[str]]:
    code = candidate.code(kernel)
    calls = [(call.function, call.args, call.steps > 1) for call in code.launches]
    return list[object](calls), [name for name, _ in code.extents]


def _unlike(drawn: Sequence[At], count: int, inside: Callable[[At], bool]) -> list[At]:
    """Greedy cover of what extents can be; ties go to what was drawn first.

    Whether the candidate holds there is asked of the chosen only: matching is slow.
    """
    left, kept = list(drawn), list[At]()
    covered: set[tuple[str, str]] = set()
    while left and len(kept) < count:
        best = max(left, key=lambda at: len(_kinds(at) - covered))
        left.remove(best)
        if inside(best):
            covered |= _kinds(best)
            kept.append(best)
    return kept


def _kinds(at: At) -> set[tuple[str, str]]:
    if any(extent == 0 for _, extent in at.extents):
        return {(name, "none") for name, extent in at.extents if extent == 0}
    return {(name, kind) for name, extent in at.extents for kind in kinds_of(extent)}


def kinds_of(extent: int) -> set[str]:
    """What is special about an extent over zero."""
    kinds = {
        "one": extent == 1,
        "prime": extent > 1 and all(extent % d for d in range(2, extent)),
        "aligned": extent % ALIGNED == 0,
        "tail": extent > ALIGNED and extent % ALIGNED != 0,
        "long": extent > LONG,
    }
    return {kind for kind, holds in kinds.items() if holds}
