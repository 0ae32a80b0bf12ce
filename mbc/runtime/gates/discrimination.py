"""Can this set of cases tell a wrong kernel from a right one?

Null candidates compute nothing: zeros, an input, the right values in wrong places, all
but one right value, the mean. Each must fail on at least one case. What they return is
made from the float64 reference, so the verdict is about the kernel and not a candidate.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from mbc.ir.execute import execute
from mbc.ir.types import Array
from mbc.runtime.bound import Agreement, compare
from mbc.runtime.gates.cases import Case
from mbc.runtime.inputs import random_arguments

Null = Callable[[Array, Case], Array | None]
"""A result to hand in for the right one; None where it would be the right one."""

TELLING = 4
"""Cases that are enough to see whether an operand matters."""


def non_discriminating(cases: Sequence[Case]) -> tuple[str, ...]:
    """`non-discriminating: constant | identity | empty`, or nothing."""
    sized = [case for case in cases if case.elements]
    if not sized:
        return ("non-discriminating: empty",)
    found = [kind for kind, null in NULLS if not _fails(null, sized)]
    return tuple(f"non-discriminating: {kind}" for kind in dict.fromkeys(found))


def ignored_operands(cases: Sequence[Case]) -> tuple[int, ...]:
    """Operands that no result depends on, in float64, whatever they hold."""
    telling = [case for case in cases if case.elements and case.at.small]
    telling = telling[:TELLING] or [case for case in cases if case.elements][:1]
    if not telling:
        return ()
    operands = range(len(telling[0].arguments))
    return tuple(i for i in operands if not any(_matters(i, c) for c in telling))


def _matters(operand: int, case: Case) -> bool:
    kernel, changed = case.at.kernel, list(case.arguments)
    if changed[operand].size == 0:
        return False
    for seed in (1, 2):
        fresh = random_arguments(kernel.block, case.seed + seed)
        changed[operand] = fresh[operand]
        results = execute(kernel, changed, "float64")
        for want, got in zip(case.expected, results, strict=True):
            if not np.array_equal(want.value, got, equal_nan=got.dtype.kind == "f"):
                return True
    return False


def _fails(null: Null, cases: Sequence[Case]) -> bool:
    """Whether a null is caught somewhere; vacuous nulls are never asked for."""
    asked = False
    for case in cases:
        made = [null(want.value, case) for want in case.expected]
        if any(array is None for array in made):
            continue
        asked = True
        results = [array for array in made if array is not None]
        if not isinstance(compare(case.expected, results), Agreement):
            return True
    return not asked


def _zeros(value: Array, case: Case) -> Array:
    return np.zeros_like(value)


def _mean(value: Array, case: Case) -> Array:
    finite = value[np.isfinite(value)]
    mean = finite.mean() if finite.size else 0
    return np.full_like(value, mean)


def _copy(value: Array, case: Case) -> Array | None:
    """The first operand with an element, cut or repeated to the result's size."""
    sized = [a for a in case.arguments if a.size]
    if not sized or not value.size:
        return None
    return np.resize(np.asarray(sized[0]), value.shape).astype(value.dtype)


def _shuffled(value: Array, case: Case) -> Array | None:
    if value.size < 2:
        return None
    return np.roll(value.reshape(-1), 1).reshape(value.shape)


def _one_off(value: Array, case: Case) -> Array | None:
    """The largest element is half of what it should be; an integer one more."""
    if value.size == 0:
        return None
    made = value.copy().reshape(-1)
    if value.dtype.kind == "f":
        at = int(np.argmax(np.where(np.isfinite(made), np.abs(made), -1.0)))
        made[at] = made[at] / 2
    elif value.dtype == np.bool_:
        made[0] = not made[0]
    else:
        made[0] = made[0] + 1
    return made.reshape(value.shape)


NULLS: tuple[tuple[str, Null], ...] = (
    ("constant", _zeros),
    ("constant", _mean),
    ("identity", _copy),
    ("constant", _shuffled),
    ("constant", _one_off),
)
