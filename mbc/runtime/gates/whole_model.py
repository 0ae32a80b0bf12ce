"""G3: a whole model with its kernels in it, against `execute` in float64.

The reference is the model as it was imported. Parameters are the model's own, and
inputs are drawn several times. A model with an input that no result depends on, or one
that makes NaN of finite inputs, is refused: nothing that is compared there means much.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
from xdsl.dialects.builtin import ModuleOp

from mbc.codegen.model import ModelCode
from mbc.ir.execute import execute, function_named
from mbc.ir.types import Array
from mbc.runtime.bound import SHARES, Expected, Mismatch, expected_results, judged
from mbc.runtime.execution import run_function, run_prepare
from mbc.runtime.gates.profiles import Profile, draw, is_float_array
from mbc.runtime.gates.report import GateResult, Passed, Rejected, RejectionVerdict
from mbc.runtime.outcome import Failed, FailureKind
from mbc.runtime.runner import Runner

DRAWS = 3
"""Sets of inputs that a model is compared on."""
ATTEMPTS = 2
"""Fresh values of an input before no result depends on it."""
VERDICTS: dict[FailureKind, RejectionVerdict] = {
    "compile_fail": "compile_fail",
    "crash": "verify_fail",
    "timeout": "timeout",
    "blocked": "blocked",
}


@dataclass(frozen=True)
class ModelCase:
    """One set of arguments of @forward, by name, and what must come out."""

    arrays: dict[str, Array] = field(repr=False)
    expected: tuple[Expected, ...] = field(repr=False)


@dataclass(frozen=True)
class Meaning:
    """What a model must compute: `op` as imported, with parameters as arguments.

    `names` are those of @forward's arguments in order. Cases are made once, and serve
    every version of the model's code.
    """

    op: ModuleOp
    names: tuple[str, ...]
    parameters: Mapping[str, Array] = field(repr=False)
    seed: int = 0

    @cached_property
    def cases(self) -> tuple[ModelCase, ...] | str:
        """Or why the model cannot be judged, in one sentence."""
        with np.errstate(all="ignore"):
            drawn = [self._case("normal", self.seed + i) for i in range(DRAWS)]
            if not all(map(_is_defined, drawn)):
                drawn = [self._case("positive", self.seed + i) for i in range(DRAWS)]
            if not all(map(_is_defined, drawn)):
                return "the model itself makes NaN of finite inputs"
            ignored = [name for name in self._inputs if self._is_ignored(name, drawn)]
        if ignored:
            return f"no result depends on input '{ignored[0]}'"
        return tuple(drawn)

    @property
    def _inputs(self) -> list[str]:
        return [name for name in self.names if name not in self.parameters]

    def _case(self, profile: Profile, seed: int) -> ModelCase:
        arrays = self._drawn(profile, seed)
        return ModelCase(arrays, expected_results(self.op, list(arrays.values()), seed))

    def _drawn(self, profile: Profile, seed: int) -> dict[str, Array]:
        block = function_named(self.op, "forward").body.block
        drawn = dict(zip(self.names, draw(block, profile, seed), strict=True))
        return {**drawn, **self.parameters}

    def _is_ignored(self, name: str, cases: Sequence[ModelCase]) -> bool:
        """Whether fresh values of one input change nothing, in float64.

        An input without elements has no values to change.
        """
        forward = function_named(self.op, "forward")
        case = cases[0]
        if case.arrays[name].size == 0 or not any(w.value.size for w in case.expected):
            return False
        for attempt in range(ATTEMPTS):
            fresh = self._drawn("normal", self.seed + DRAWS + attempt)[name]
            changed = {**case.arrays, name: fresh}
            results = execute(forward, list(changed.values()), "float64")
            pairs = zip(case.expected, results, strict=True)
            if not all(_same(want.value, got) for want, got in pairs):
                return False
        return True


def _is_defined(case: ModelCase) -> bool:
    """Whether the reference is free of NaN."""
    floats = [w.value for w in case.expected if is_float_array(w.value)]
    return not any(np.isnan(value).any() for value in floats)


def _same(one: Array, other: Array) -> bool:
    return bool(np.array_equal(one, other, equal_nan=is_float_array(one)))


@dataclass(frozen=True)
class WholeModel:
    """A model's meaning, and the code that a kernel of it is part of."""

    meaning: Meaning
    code: ModelCode


def check_whole_model(model: WholeModel, runner: Runner) -> GateResult:
    started = time.perf_counter()
    result = _check(model, runner)
    return replace(result, seconds=time.perf_counter() - started)


def _check(model: WholeModel, runner: Runner) -> Passed | Rejected:
    cases = model.meaning.cases
    if isinstance(cases, str):
        return Rejected("G3", "model", "refused", cases)
    prepared = run_prepare(runner, model.code, model.meaning.parameters)
    if isinstance(prepared, Failed):
        return _failed(prepared)
    checks, worst, shares = 0, 0.0, [0] * len(SHARES)
    for number, case in enumerate(cases):
        ran = run_function(runner, model.code.forward, case.arrays, prepared)
        if isinstance(ran, Failed):
            return _failed(ran)
        arrays = list(case.arrays.values())
        verdict = judged(model.meaning.op, arrays, case.expected, ran)
        if isinstance(verdict, Mismatch):
            reason = f"{verdict}, on draw {number} of the inputs"
            return Rejected("G3", "bound", "verify_fail", reason)
        checks += verdict.checked
        worst = max(worst, verdict.worst)
        shares = [a + b for a, b in zip(shares, verdict.shares, strict=True)]
    if not checks:
        return Rejected("G3", "no checks", "refused", "no result has an element")
    detail = {
        "draws": len(cases),
        "seed": model.meaning.seed,
        "worst share of a bound": round(worst, 4),
        "shares of bounds": shares,
    }
    return Passed("G3", checks, 0.0, detail)


def _failed(failure: Failed) -> Rejected:
    log = {"log": failure.log} if failure.log else {}
    verdict = VERDICTS[failure.kind]
    return Rejected("G3", failure.kind, verdict, failure.message, 0.0, log)


def culprits(
    labels: Sequence[str], passes: Callable[[Sequence[str]], bool]
) -> list[str]:
    """Which of `labels` make a model wrong: found by halving, one after another.

    `passes` says whether the model is right with the chosen kernels of these alone. It
    must be so without any, and is not with all of them. What is left once the culprits
    are taken out is right; the empty list means that it is not even then.
    """
    left, found = list(labels), list[str]()
    while not passes(left):
        if not left:
            return []
        low, high = 0, len(left)
        # The first `low` are right together, the first `high` are not.
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (middle, high) if passes(left[:middle]) else (low, middle)
        found.append(left.pop(high - 1))
    return found
