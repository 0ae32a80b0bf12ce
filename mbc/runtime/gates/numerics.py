"""Classes of accuracy, by measured error only.

`strict` allows four times the error of the reference implementation in the same dtypes
plus two ulps; the reference adds in blocks, so what one accumulator costs is added for
kernels with long sums. A product of inputs rounded to f16 or tf32 is off by thousands
of ulps, and no sum of a kernel's size comes near that.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from mbc.errors import InvalidInput
from mbc.ir.cost import flops
from mbc.ir.types import Array
from mbc.runtime.bound import Expected, epsilon
from mbc.runtime.gates.cases import Case
from mbc.runtime.gates.profiles import is_float_array

FACTOR = 4.0
ULPS = 2.0
PER_ROOT_TERM = 0.5
"""Ulps of the result's magnitude per root of the length of a sum in one accumulator."""


@dataclass(frozen=True)
class Numerics:
    """`strict`, `fast`, `relaxed` with a tolerance relative to the result's RMS, or
    `bit_exact`. Off CUDA `fast` is `strict`, and there torch's default is not asked."""

    name: str = "strict"
    tolerance: float = 0.0

    def __str__(self) -> str:
        return f"relaxed({self.tolerance:g})" if self.tolerance else self.name


STRICT = Numerics()


def parse_numerics(text: str) -> Numerics:
    """`strict`, `fast`, `bit_exact` or `relaxed(1e-3)`."""
    relaxed = re.fullmatch(r"relaxed\(([0-9.]+(?:e-?\d+)?)\)", text)
    if relaxed and float(relaxed[1]) > 0:
        return Numerics("relaxed", float(relaxed[1]))
    if text in ("strict", "fast", "bit_exact"):
        return Numerics(text)
    raise InvalidInput(
        f"'{text}' is no numerics class: strict, fast, bit_exact or relaxed(1e-3)"
    )


@dataclass(frozen=True)
class Error:
    """RMS errors of one result of one case, in units of the result's own RMS."""

    case: Case
    result: int
    measured: float
    allowed: float

    @property
    def share(self) -> float:
        return self.measured / self.allowed if self.allowed else math.inf

    def __str__(self) -> str:
        return (
            f"the RMS error of result {self.result} is {self.measured:.3g} of its RMS, "
            f"{self.allowed:.3g} is allowed, on {self.case}"
        )


def loosened(expected: Sequence[Expected], numerics: Numerics) -> list[Expected]:
    """The bound of each element under a class that allows more than rounding."""
    if not numerics.tolerance:
        return list(expected)
    return [_loosened(want, numerics.tolerance) for want in expected]


def _loosened(want: Expected, tolerance: float) -> Expected:
    if want.value.dtype.kind != "f":
        return want
    scale = np.where(want.decided, np.abs(want.value), 0.0) + _rms(want.value)
    return replace(want, bound=want.bound + 4 * tolerance * scale)


def worst_error(
    pairs: Sequence[tuple[Case, Sequence[Array]]], numerics: Numerics
) -> Error | None:
    """The result that uses most of what its class allows; None without floats."""
    errors = [
        _error(case, index, results[index], numerics)
        for case, results in pairs
        for index, want in enumerate(case.expected)
        if want.value.dtype.kind == "f" and want.decided.any()
        if _judged(case, numerics)
    ]
    return max(errors, key=lambda error: error.share, default=None)


def not_bit_exact(pairs: Sequence[tuple[Case, Sequence[Array]]]) -> str:
    """The first case that differs from the reference in its dtypes, or empty."""
    for case, results in pairs:
        for index, (want, got) in enumerate(zip(case.given, results, strict=True)):
            equal = np.asarray(want == got)
            if is_float_array(want):
                equal = equal | (np.isnan(_wide(want)) & np.isnan(_wide(got)))
            if not bool(equal.all()):
                return f"result {index} is not bit-exact on {case}"
    return ""


def _judged(case: Case, numerics: Numerics) -> bool:
    """Classes are about rounding, which denormal numbers have of another kind."""
    return numerics.name != "bit_exact" and case.profile != "denormal"


def _error(case: Case, index: int, got: Array, numerics: Numerics) -> Error:
    want = case.expected[index]
    decided = want.decided
    scale = _rms(want.value[decided])
    if scale == 0.0:
        return Error(case, index, 0.0, 1.0)
    measured = _rms(_wide(got)[decided] - want.value[decided]) / scale
    if numerics.tolerance:
        return Error(case, index, measured, numerics.tolerance)
    reference = _rms(_wide(case.given[index])[decided] - want.value[decided]) / scale
    eps = epsilon(_dtype(case.given[index]))
    terms = max(1.0, flops(case.at.kernel) / max(1, want.value.size) / 2)
    # A cancelling sum has a small result and rounds like a large one: the bound, which
    # follows the conditioning of the case, is then what the dtype can do.
    conditioned = _rms(want.bound[decided]) / scale / 8
    plain = FACTOR * reference + (ULPS + PER_ROOT_TERM * math.sqrt(terms)) * eps
    return Error(case, index, measured, max(plain, min(conditioned, 64 * plain)))


def _dtype(array: Array) -> str:
    names = {"float16": "f16", "bfloat16": "bf16", "float32": "f32", "float64": "f64"}
    return names[array.dtype.name]


def _wide(array: Array) -> Array:
    return np.asarray(array, np.float64)


def _rms(values: Array) -> float:
    finite = values[np.isfinite(values)]
    return float(np.sqrt(np.mean(finite**2))) if finite.size else 0.0
