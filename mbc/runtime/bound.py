"""How far a right result may be from the reference: the bound of one case.

Per element `c * (spread + |given - wide|) + eps * max|wide|`: `wide` is the float64
result of `execute`, `given` its result in the given dtypes, and `spread` how far
`wide` moves when the inputs and the results of all tensor ops move by one ulp of
their dtype, over several draws. So the bound knows the reduction lengths, the
cancellation and the conditioning of the computation, whatever was fused.

A few draws leave some elements unmoved by chance, so an element's spread and rounding
are at least half the root mean square over its result. Among a million elements there
is still one that they hardly moved, though it is larger than most: where only very few
are out of bounds, `judged` draws again before it says so.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import ml_dtypes
import numpy as np
from xdsl.dialects import func
from xdsl.dialects.builtin import ModuleOp, TensorType
from xdsl.ir import Operation, SSAValue

from mbc.ir.execute import Evaluator, execute, function_named
from mbc.ir.kernel import KernelOp
from mbc.ir.types import NUMPY_DTYPES, Array, is_float, tensor_type

FACTOR = 32.0
"""c of the formula. The error of a sum in one accumulator grows with the root of its
length where the spread does not: 4096 random terms in f32 come to about 45 ulps of the
result's root mean square at five standard deviations, and the bound to about 75. Inputs
rounded to tf32 come to over 3,000."""
DRAWS = 3


@dataclass(frozen=True)
class Expected:
    """One result of a case: `value` and `bound` in float64, of the result's shape.

    `decided` is False where a discrete value (an index, a comparison) changes when
    its inputs move by one ulp; such elements are not judged.
    """

    value: Array
    bound: Array
    decided: Array


@dataclass(frozen=True)
class Mismatch:
    """The worst element outside its bound."""

    result: int
    index: tuple[int, ...]
    got: float
    wanted: float
    bound: float
    count: int
    elements: int

    def __str__(self) -> str:
        place = ", ".join(str(i) for i in self.index)
        return (
            f"result {self.result} at ({place}) is {self.got:.9g}, expected "
            f"{self.wanted:.9g} within {self.bound:.2g}; "
            f"{self.count} of {self.elements} elements are out of bounds"
        )


SHARES = (1e-4, 1e-3, 1e-2, 0.1, 0.25, 0.5, 1.0)
"""Upper ends of the bins of a histogram of errors, as shares of their bounds."""


@dataclass(frozen=True)
class Agreement:
    """Every element within its bound; `worst` is the largest share of a bound used.

    `shares` counts elements by the share they used, in the bins of `SHARES`.
    """

    worst: float
    checked: int
    shares: tuple[int, ...]


Verdict = Agreement | Mismatch


@dataclass(frozen=True)
class _Perturbed(Evaluator):
    """float64 evaluation in which every tensor op's result moves by up to one ulp."""

    rng: np.random.Generator

    def op(
        self, op: Operation, arrays: list[Array], values: dict[SSAValue, Array]
    ) -> Sequence[Array]:
        results = super().op(op, arrays, values)
        if isinstance(op, KernelOp) or not op.results:
            return results
        pairs = zip(results, op.results, strict=True)
        return [_nudged(array, value, self.rng) for array, value in pairs]


def _nudged(array: Array, value: SSAValue, rng: np.random.Generator) -> Array:
    if not isinstance(value.type, TensorType):
        return array
    element = tensor_type(value).element_type
    if not is_float(element):
        return array
    sign = rng.integers(0, 2, np.shape(array)) * 2 - 1
    return np.asarray(array, np.float64) * (1 + sign * epsilon(str(element)))


def epsilon(dtype: str) -> float:
    """Distance from 1 to the next value of a float dtype."""
    limits: Any = ml_dtypes.finfo
    return float(limits(NUMPY_DTYPES[dtype]).eps)


def expected_results(
    op: ModuleOp | func.FuncOp | KernelOp, arguments: Sequence[Array], seed: int = 0
) -> tuple[Expected, ...]:
    """The reference of a case, from `DRAWS + 2` executions of @forward or a kernel."""
    body = function_named(op, "forward") if isinstance(op, ModuleOp) else op
    with np.errstate(all="ignore"):
        wide = execute(body, arguments, "float64")
        given = execute(body, arguments, "given")
        moved = [_moved(body, arguments, seed + draw) for draw in range(DRAWS)]
        returned = body.body.block.last_op
        assert returned is not None
        dtypes = [str(tensor_type(value).element_type) for value in returned.operands]
        return tuple(
            _expected(dtypes[i], wide[i], given[i], [draw[i] for draw in moved])
            for i in range(len(wide))
        )


def _moved(
    body: func.FuncOp | KernelOp, arguments: Sequence[Array], seed: int
) -> tuple[Array, ...]:
    rng = np.random.default_rng(seed)
    block = body.body.block
    nudged = [
        _nudged(np.asarray(array), arg, rng)
        for array, arg in zip(arguments, block.args, strict=True)
    ]
    return _Perturbed("float64", rng).block(block, nudged)


def _expected(
    dtype: str, wide: Array, given: Array, moved: Sequence[Array]
) -> Expected:
    if wide.dtype.kind != "f":
        decided = np.ones(wide.shape, np.bool_)
        for draw in moved:
            decided &= draw == wide
        return Expected(wide, np.zeros(wide.shape), decided)
    spread = np.zeros(wide.shape)
    for draw in moved:
        spread = np.fmax(spread, np.abs(draw - wide))
    rounding = np.abs(np.asarray(given, np.float64) - wide)
    spread, rounding = _at_least_typical(spread), _at_least_typical(rounding)
    scale = np.max(np.abs(wide[np.isfinite(wide)]), initial=0.0)
    bound = FACTOR * (spread + rounding) + epsilon(dtype) * scale
    return Expected(wide, np.nan_to_num(bound, nan=0.0, posinf=0.0), np.isfinite(wide))


def _at_least_typical(error: Array) -> Array:
    finite = error[np.isfinite(error)]
    typical = float(np.sqrt(np.mean(finite**2))) if finite.size else 0.0
    return np.fmax(error, typical / 2)


def compare(expected: Sequence[Expected], got: Sequence[Array]) -> Verdict:
    """Judge the results of one run; NaN and infinities must be where they belong."""
    worst, checked, shares = 0.0, 0, np.zeros(len(SHARES), np.int64)
    for index, (want, array) in enumerate(zip(expected, got, strict=True)):
        error, bound = _errors(want, array)
        bad = error > bound
        if bad.any():
            return _mismatch(index, want, array, error, bound, int(bad.sum()))
        share = np.divide(error, bound, out=np.zeros_like(error), where=bound > 0)
        worst = max(worst, float(np.max(share, initial=0.0)))
        checked += array.size
        bins = np.searchsorted(SHARES, share.ravel())
        shares += np.bincount(bins, minlength=len(SHARES))
    return Agreement(worst, checked, tuple(shares.tolist()))


RARE = 1e-4
"""Share of elements out of bounds that more draws may bring back."""
MORE = (101, 202, 303)
"""Seeds of those draws."""


def judged(
    op: ModuleOp | func.FuncOp | KernelOp,
    arguments: Sequence[Array],
    expected: Sequence[Expected],
    got: Sequence[Array],
) -> Verdict:
    """As `compare`, with bounds from more draws before rare elements are wrong.

    More draws come closer to how far an element moves, never past it.
    """
    verdict = compare(expected, got)
    for seed in MORE:
        if not isinstance(verdict, Mismatch) or not _is_rare(verdict):
            return verdict
        drawn = expected_results(op, arguments, seed)
        pairs = zip(expected, drawn, strict=True)
        expected = [_larger(one, other) for one, other in pairs]
        verdict = compare(expected, got)
    return verdict


def _is_rare(found: Mismatch) -> bool:
    return found.count <= max(1, RARE * found.elements)


def _larger(one: Expected, other: Expected) -> Expected:
    bound = np.maximum(one.bound, other.bound)
    decided = one.decided & other.decided
    return Expected(one.value, bound, decided)


def _errors(want: Expected, array: Array) -> tuple[Array, Array]:
    """Distance and bound per element; infinite distance for a wrong special value."""
    value, got = want.value, np.asarray(array)
    if value.dtype.kind != "f":
        differs = (got != value) & want.decided
        return differs.astype(np.float64), np.zeros(value.shape)
    wide = got.astype(np.float64)
    with np.errstate(invalid="ignore"):
        error = np.abs(wide - value)
    same_special = (np.isnan(wide) & np.isnan(value)) | (wide == value)
    error = np.where(want.decided, error, np.where(same_special, 0.0, np.inf))
    return np.where(np.isnan(error), np.inf, error), want.bound


def _mismatch(
    index: int, want: Expected, array: Array, error: Array, bound: Array, count: int
) -> Mismatch:
    excess = np.where(error > bound, error - bound, -1.0)
    place = np.unravel_index(int(np.argmax(excess)), excess.shape)
    return Mismatch(
        index,
        tuple(int(i) for i in place),
        float(array[place]),
        float(want.value[place]),
        float(bound[place]),
        count,
        int(array.size),
    )
