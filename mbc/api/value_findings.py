"""What the values of a model show: NaN, constants, inputs without effect, lost digits.

Results are computed by `execute` in the given dtypes and in float64, and with every
tensor moved by one ulp (`mbc/runtime/bound.py`).
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import numpy as np

from mbc.api.subject import Subject
from mbc.frontend.findings import Finding
from mbc.ir.execute import execute
from mbc.ir.types import Array, tensor_type
from mbc.runtime.bound import FACTOR, Expected, epsilon, expected_results
from mbc.runtime.inputs import random_arguments

SEEDS = (1, 2)
"""Of the fresh values that an input gets to see whether anything changes."""
UNDECIDED = 0.01


def value_findings(subject: Subject) -> Iterator[Finding]:
    kernel, arrays = subject.kernel, list(subject.arrays)
    expected = expected_results(kernel, arrays)
    given = execute(kernel, arrays)
    for number, index in enumerate(subject.outputs):
        name, want = f"output {number}", expected[index]
        yield from _special(name, want.value, given[index])
        dtype = str(tensor_type(kernel.outs[index]).element_type)
        yield from _precision(name, dtype, want)
    values = [want.value for want in expected]
    yield from _ignored(subject, values)
    yield from _constants(subject, values)


def _special(name: str, wide: Array, given: Array) -> Iterator[Finding]:
    if wide.dtype.kind != "f":
        return
    narrow = np.asarray(given, np.float64)
    kinds = (
        ("NaN", np.isnan(wide)),
        ("infinite", np.isinf(wide)),
        ("not finite where float64 is", np.isfinite(wide) & ~np.isfinite(narrow)),
    )
    for word, mask in kinds:
        if mask.any():
            text = f"{name}: {mask.sum()} of {mask.size} elements are {word}"
            yield Finding("warning", "special-values", text)


def _precision(name: str, dtype: str, want: Expected) -> Iterator[Finding]:
    if not want.value.size:
        return
    if want.value.dtype.kind != "f":
        share = 1 - float(want.decided.mean())
        if share > UNDECIDED:
            text = f"one rounding decides {share:.0%} of the elements of {name}"
            yield Finding("warning", "float64-sensitive", text)
        return
    scale = float(np.max(np.abs(want.value[want.decided]), initial=0.0))
    bound = float(np.max(want.bound[want.decided], initial=0.0))
    if not scale or not math.isfinite(scale):
        return
    eps = epsilon(dtype)
    error = (bound / scale - eps) / FACTOR
    if error > math.sqrt(eps):
        text = (
            f"{name} loses more than half the digits of {dtype}: it is up to "
            f"{error:.1g} of its largest value away from float64"
        )
        yield Finding("warning", "float64-sensitive", text)


def _ignored(subject: Subject, before: Sequence[Array]) -> Iterator[Finding]:
    if not any(value.size for value in before):
        return
    for index, name in subject.inputs:
        telling = subject.arrays[index].size > 0
        if telling and not any(_changed(subject, [index], before)):
            text = f"no result depends on the values of input '{name}'"
            yield Finding("warning", "ignored-input", text)


def _constants(subject: Subject, before: Sequence[Array]) -> Iterator[Finding]:
    """Outputs without elements, with equal ones, or that no input changes."""
    telling = [index for index, _ in subject.inputs if subject.arrays[index].size]
    moved = _changed(subject, telling, before)
    for number, index in enumerate(subject.outputs):
        flat = before[index].reshape(-1)
        if not flat.size:
            text = f"output {number} has no element"
            yield Finding("warning", "empty-output", text)
            continue
        equal = flat.size > 1 and bool((flat == flat[0]).all())
        what = f"every element of output {number} is {flat[0]:g}"
        what = what if equal else f"output {number} is the same"
        if equal or (telling and not moved[index]):
            always = "" if moved[index] else " whatever the inputs are"
            yield Finding("warning", "constant-output", f"{what}{always}")


def _changed(
    subject: Subject, inputs: Sequence[int], before: Sequence[Array]
) -> list[bool]:
    """Which results move, in float64, when `inputs` get other values."""
    moved = [False] * len(before)
    for fresh in _others(subject):
        arrays = list(subject.arrays)
        for index in inputs:
            arrays[index] = fresh[index]
        after = execute(subject.kernel, arrays, "float64")
        pairs = zip(moved, before, after, strict=True)
        moved = [was or not _same(old, new) for was, old, new in pairs]
    return moved


def _others(subject: Subject) -> Iterator[list[Array]]:
    """Random values, and each input's own ones in reverse, which stay legal."""
    for seed in SEEDS:
        yield random_arguments(subject.kernel.block, seed)
    yield [array.reshape(-1)[::-1].reshape(array.shape) for array in subject.arrays]


def _same(one: Array, other: Array) -> bool:
    return bool(np.array_equal(one, other, equal_nan=one.dtype.kind == "f"))
