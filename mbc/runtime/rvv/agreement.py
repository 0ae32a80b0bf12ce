"""Whether one program's results at several vector lengths are the same results.

This is no accuracy test: it only tells the order of additions, which depends on the
vector length, from a program that is wrong at some of them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np
import numpy.typing as npt

from mbc.runtime.rvv.job import Array

TOLERANCE = 1e-3
"""Largest difference of floats, relative to the largest magnitude in the array."""
CANCELLED = 1e-4
"""Results this much smaller than inputs of up to one may be nothing but rounding, such
as the mean of what was normalized. Larger inputs excuse no more: what is bounded, as a
softmax is, would not be compared at all."""


def disagreement(
    results: Mapping[int, Mapping[str, Array]], inputs: Iterable[Array] = ()
) -> str | None:
    """One sentence about the first output that differs, or None. Keys are VLENs."""
    largest = max((_magnitude(array) for array in inputs), default=0.0)
    least = CANCELLED * min(1.0, largest)
    (first, expected), *others = results.items()
    for vlen, outputs in others:
        for name, array in outputs.items():
            if not _agree(expected[name], array, least):
                return f"results differ between VLEN {first} and {vlen} in '{name}'"
    return None


def _magnitude(array: Array) -> float:
    """The largest finite one; 0 for what is no float."""
    if array.dtype.kind in "biu":
        return 0.0
    values = np.abs(array.astype(np.float64))
    return float(np.max(values[np.isfinite(values)], initial=0.0))


def _agree(a: Array, b: Array, least: float) -> bool:
    if a.dtype.kind in "biu":
        return bool(np.array_equal(a, b))
    return _floats_agree(a.astype(np.float64), b.astype(np.float64), least)


def _floats_agree(
    a: npt.NDArray[np.float64], b: npt.NDArray[np.float64], least: float
) -> bool:
    finite = np.isfinite(a) & np.isfinite(b)
    if not np.array_equal(a[~finite], b[~finite], equal_nan=True):
        return False
    if not finite.any():
        return True
    scale = max(np.abs(a[finite]).max(), np.abs(b[finite]).max(), least)
    return bool(np.abs(a[finite] - b[finite]).max() <= TOLERANCE * scale)
