"""G2: a candidate against the reference, over cases of extents and values.

Every case is run twice on fresh copies of its inputs with poisoned results; the runs
must be identical, and each element must lie within the bound of its case.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from mbc.errors import PassRefused
from mbc.ir.types import Array
from mbc.runtime.bound import SHARES, Mismatch, compare
from mbc.runtime.gates.batch import Batch, batches
from mbc.runtime.gates.candidate import Candidate
from mbc.runtime.gates.cases import Case, CaseSet
from mbc.runtime.gates.discrimination import ignored_operands
from mbc.runtime.gates.failures import rejection
from mbc.runtime.gates.numerics import (
    STRICT,
    Numerics,
    loosened,
    not_bit_exact,
    worst_error,
)
from mbc.runtime.gates.report import (
    GateName,
    GateResult,
    Passed,
    Rejected,
    RejectionVerdict,
)
from mbc.runtime.gates.sanitize import with_sanitizer
from mbc.runtime.outcome import Failed
from mbc.runtime.runner import Runner

RUNS = 2
HIDDEN = "a result is out of bounds on a hidden case"
Pairs = list[tuple[Case, Sequence[Array]]]


@dataclass(frozen=True)
class Differential:
    """`gate` is G6 where the cases are hidden; a reason then names none of them."""

    gate: GateName = "G2"
    numerics: Numerics = STRICT
    runs: int = RUNS

    def check(self, candidate: Candidate, runner: Runner, drawn: CaseSet) -> GateResult:
        started = time.perf_counter()
        result = self._check(candidate, runner, drawn)
        return replace(result, seconds=time.perf_counter() - started)

    def _check(
        self, candidate: Candidate, runner: Runner, drawn: CaseSet
    ) -> Passed | Rejected:
        if not drawn.cases:
            reason = drawn.problem or "there is nothing to check"
            return self._rejected("no case", "refused", reason)
        ignored = ignored_operands(drawn.cases)
        if ignored and self.gate == "G2":
            names = ", ".join(f"a{i}" for i in ignored)
            reason = f"the result does not depend on operand {names}"
            return self._rejected("ignored input", "refused", reason)
        try:
            built = batches(candidate, drawn.cases)
        except PassRefused as refusal:
            return self._rejected("legality", "refused", refusal.reason)
        pairs: Pairs = []
        for batch in built:
            ran = self._run(candidate, runner, batch)
            if isinstance(ran, Rejected):
                return ran
            pairs += zip(batch.cases, ran, strict=True)
        judged = self._judge(pairs, drawn)
        if isinstance(judged, Rejected) or self.gate != "G2":
            return judged
        return with_sanitizer(judged, candidate, runner, drawn.cases)

    def _run(
        self, candidate: Candidate, runner: Runner, batch: Batch
    ) -> list[list[Array]] | Rejected:
        first = batch.run(runner)
        if isinstance(first, Failed):
            return rejection(self.gate, candidate, runner, batch, first)
        for _ in range(self.runs - 1):
            again = batch.run(runner)
            if isinstance(again, Failed):
                return rejection(self.gate, candidate, runner, batch, again)
            for case, one, other in zip(batch.cases, first, again, strict=True):
                if not all(map(_same, one, other)):
                    hint = "".join(map(_hint, one, other))
                    reason = f"two runs differ{hint}{self._on(case)}"
                    return self._rejected("determinism", "verify_fail", reason)
        return first

    def _judge(self, pairs: Pairs, drawn: CaseSet) -> Passed | Rejected:
        checks, worst, shares = 0, 0.0, [0] * len(SHARES)
        for case, results in pairs:
            verdict = compare(loosened(case.expected, self.numerics), results)
            if isinstance(verdict, Mismatch):
                return self._mismatch(case, verdict)
            checks += verdict.checked
            worst = max(worst, verdict.worst)
            shares = [a + b for a, b in zip(shares, verdict.shares, strict=True)]
        if not checks:
            reason = "no case has a result to compare"
            return self._rejected("no checks", "refused", reason)
        error = worst_error(pairs, self.numerics)
        inexact = not_bit_exact(pairs) if self.numerics.name == "bit_exact" else ""
        if inexact or (error is not None and error.share > 1):
            words = str(inexact or error) if self.gate == "G2" else "on a hidden case"
            reason = f"not {self.numerics}: {words}"
            return self._rejected("numerics", "verify_fail", reason)
        detail = {
            **_coverage([case for case, _ in pairs], self.gate),
            "seed": drawn.seed,
            "worst share of a bound": round(worst, 4),
            "shares of bounds": shares,
            "numerics": str(self.numerics),
            "share of the class": round(error.share, 4) if error is not None else 0.0,
        }
        return Passed(self.gate, checks, 0.0, detail)

    def _mismatch(self, case: Case, verdict: Mismatch) -> Rejected:
        rule = "nan" if np.isnan(verdict.got) else "bound"
        where = f"{verdict}, on {case}" if self.gate == "G2" else HIDDEN
        return self._rejected(rule, "verify_fail", where)

    def _on(self, case: Case) -> str:
        return f" on {case}" if self.gate == "G2" else " on a hidden case"

    def _rejected(self, rule: str, verdict: RejectionVerdict, reason: str) -> Rejected:
        return Rejected(self.gate, rule, verdict, reason)


def _coverage(cases: Sequence[Case], gate: GateName) -> dict[str, object]:
    """What was checked; extents of hidden cases stay hidden."""
    found: dict[str, object] = {
        "cases": len(cases),
        "profiles": dict(Counter(case.profile for case in cases)),
    }
    if gate == "G2":
        found["extents"] = list(dict.fromkeys(str(case.at) for case in cases))
    return found


def _same(one: Array, other: Array) -> bool:
    """Bit for bit, but any NaN is as good as another."""
    if one.dtype.kind in "iub":
        return bool(np.array_equal(one, other))
    a, b = np.asarray(one, np.float64), np.asarray(other, np.float64)
    return bool(np.array_equal(a, b, equal_nan=True))


def _hint(one: Array, other: Array) -> str:
    """Results are poisoned with a NaN in one run and a number in the next."""
    if one.dtype.kind in "iub":
        return ""
    half = np.isnan(np.asarray(one, np.float64)) != np.isnan(
        np.asarray(other, np.float64)
    )
    return " as if an element was not written" if half.any() else ""


def check_differential(
    candidate: Candidate, runner: Runner, drawn: CaseSet, numerics: Numerics = STRICT
) -> GateResult:
    """G2 on cases of `draw_cases`."""
    return Differential("G2", numerics).check(candidate, runner, drawn)
