"""Cases: a kernel at some extents, arguments of some profile, and what must come out.

A case is only used where the reference is defined: it gives the same special values
in its own dtypes as in float64, makes no NaN from numbers, and hangs on no comparison
that an ulp decides in more than one element of a hundred.
"""

from __future__ import annotations

import warnings
from collections.abc import Collection
from dataclasses import dataclass, field

import numpy as np

from mbc.errors import InvalidInput
from mbc.ir.cost import flops
from mbc.ir.execute import execute
from mbc.ir.kernel import KernelOp
from mbc.ir.types import Array
from mbc.runtime.bound import Expected, expected_results
from mbc.runtime.gates.candidate import Candidate
from mbc.runtime.gates.extents import At, Extents, draw_extents, own_extents
from mbc.runtime.gates.predicate import ANYWHERE, Predicate
from mbc.runtime.gates.profiles import (
    HEADROOM,
    PROFILES,
    SPECIAL,
    Profile,
    draw,
    is_float_array,
    large_powers,
)

TRIES = 3
"""Draws of a case before its profile is given up."""
UNDECIDED = 0.01
MAX_OWN_FLOPS = 2_000_000_000
"""Above, the kernel's own extents are left to the check of the whole model."""


@dataclass(frozen=True)
class Case:
    at: At
    profile: Profile
    seed: int
    arguments: tuple[Array, ...] = field(repr=False)
    expected: tuple[Expected, ...] = field(repr=False)
    given: tuple[Array, ...] = field(repr=False)
    """The reference in the given dtypes."""

    @property
    def elements(self) -> int:
        return sum(want.value.size for want in self.expected)

    def __str__(self) -> str:
        return f"{self.profile} values at {self.at}"


@dataclass(frozen=True)
class CaseSet:
    """`problem` says why there is no case to believe in, or is empty."""

    cases: tuple[Case, ...]
    seed: int
    problem: str = ""
    notes: tuple[str, ...] = ()

    @property
    def extents(self) -> frozenset[Extents]:
        return frozenset(case.at.extents for case in self.cases)


@dataclass(frozen=True)
class Undefined:
    """Why a profile cannot be used; `nan`: the reference makes NaN from numbers."""

    reason: str
    nan: bool = False


def draw_cases(
    candidate: Candidate,
    seed: int = 0,
    predicate: Predicate = ANYWHERE,
    count: int = 4,
    exclude: Collection[Extents] = (),
) -> CaseSet:
    """Cases at the kernel's own extents and at `count` others inside the predicate.

    With `exclude`, own extents appear only where nothing else can be drawn.
    """
    own = own_extents(candidate)
    unknown = predicate.unknown(dict(own.extents))
    if unknown:
        return CaseSet((), seed, f"the predicate names {unknown}, no free extent")
    others = draw_extents(candidate, predicate, seed, count, exclude)
    use_own = predicate.holds(dict(own.extents)) and not (exclude and others)
    places = [own, *(at for at in others if at.extents != own.extents)]
    if not use_own or (others and flops(own.kernel) > MAX_OWN_FLOPS):
        places = places[1:]
    if not places:
        return CaseSet((), seed, f"no extents satisfy the predicate {predicate}")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # means of nothing, overflow
        return _filled(places, seed)


def _filled(places: list[At], seed: int) -> CaseSet:
    base: Profile = "normal"
    notes: list[str] = []
    telling = next((at for at in places if _all_extents_above_one(at)), places[0])
    trial = make_case(telling, base, seed)
    if isinstance(trial, Undefined) and trial.nan:
        base = "positive"
        notes.append("the reference makes NaN of negative inputs; cases are positive")
    cases: list[Case] = []
    last = trial
    for index, at in enumerate(places):
        for profile in _profiles(at, index, base, telling):
            made = make_case(at, profile, seed + index)
            if isinstance(made, Case):
                cases.append(made)
            elif profile == base:
                last = made
    believed = any(case.profile == base and case.elements for case in cases)
    if not believed and isinstance(last, Undefined):
        return CaseSet((), seed, last.reason)
    return CaseSet(tuple(cases), seed, "", tuple(notes))


def _profiles(at: At, index: int, base: Profile, telling: At) -> list[Profile]:
    """All where it is cheap and telling; elsewhere the base and one in turn."""
    rest = PROFILES[1:]
    if not at.small:
        return [base]
    if at is telling:
        return [base, *rest]
    return [base, rest[index % len(rest)]]


def _all_extents_above_one(at: At) -> bool:
    return at.small and all(extent > 1 for _, extent in at.extents)


def make_case(at: At, profile: Profile, seed: int) -> Case | Undefined:
    made: Case | Undefined = Undefined("nothing was drawn")
    for trial in range(TRIES):
        made = _try_case(at, profile, seed + 1000 * trial)
        if isinstance(made, Case) or profile == "constant":
            return made
    return made


def _try_case(at: At, profile: Profile, seed: int) -> Case | Undefined:
    power = 0.0
    if profile == "large":
        found = _power(at.kernel, seed)
        if found is None:
            return Undefined("no large values leave the reference finite")
        power = found
    arguments = draw(at.kernel.block, profile, seed, power)
    if profile in SPECIAL and all(np.isfinite(a).all() for a in _floats(arguments)):
        return Undefined("there is no float operand to make special")
    reference = _reference(at.kernel, arguments)
    if isinstance(reference, Undefined):
        return reference
    wide, given = reference
    undefined = _undefined(profile, wide, given)
    if undefined is not None:
        return undefined
    expected = expected_results(at.kernel, arguments, seed)
    if _undecided(expected) > UNDECIDED:
        return Undefined("rounding decides the result")
    return Case(at, profile, seed, tuple(arguments), expected, given)


def _reference(
    kernel: KernelOp, arguments: list[Array]
) -> tuple[tuple[Array, ...], tuple[Array, ...]] | Undefined:
    try:
        wide = execute(kernel, arguments, "float64")
        return wide, execute(kernel, arguments, "given")
    except (ValueError, IndexError, ZeroDivisionError, InvalidInput) as error:
        return Undefined(f"the reference is undefined here: {error}")


def _power(kernel: KernelOp, seed: int) -> float | None:
    """The largest power of two that the reference and others like it survive."""
    for power in large_powers(draw(kernel.block, "normal", seed)):
        arguments = draw(kernel.block, "large", seed, power + HEADROOM)
        reference = _reference(kernel, arguments)
        if isinstance(reference, Undefined):
            return None
        if all(np.isfinite(a).all() for r in reference for a in _floats(r)):
            return power
    return None


def _undefined(
    profile: Profile, wide: tuple[Array, ...], given: tuple[Array, ...]
) -> Undefined | None:
    pairs = [(w, g) for w, g in zip(wide, given, strict=True) if is_float_array(w)]
    makes_nan = any(bool(np.isnan(w).any()) for w, _ in pairs)
    if makes_nan and profile not in ("nan", "infinite"):
        return Undefined("the reference itself makes NaN from finite inputs", nan=True)
    if makes_nan and profile == "infinite":
        return Undefined("the reference makes NaN of an infinity")
    for w, g in pairs:
        narrow = np.asarray(g, np.float64)
        same = np.where(np.isfinite(w), np.isfinite(narrow), narrow == w)
        if not bool((same | (np.isnan(w) & np.isnan(narrow))).all()):
            return Undefined("the reference overflows in its own dtypes")
    return None


def _floats(arrays: Collection[Array]) -> list[Array]:
    return [np.asarray(array, np.float64) for array in arrays if is_float_array(array)]


def _undecided(expected: tuple[Expected, ...]) -> float:
    """Share of elements of discrete results that an ulp of the inputs changes."""
    discrete = [w for w in expected if w.value.dtype.kind != "f"]
    total = sum(want.value.size for want in discrete)
    left = sum(int((~want.decided).sum()) for want in discrete)
    return left / total if total else 0.0
