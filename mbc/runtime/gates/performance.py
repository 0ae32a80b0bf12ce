"""G4: a candidate beside its reference, in rounds of the same run.

The verdict is the statistics' own (`mbc/runtime/statistics.py`): an interval that does
not clear the threshold is no improvement, however good the median looks. Not to gain
says nothing against the result; it only keeps a candidate from being the best.
"""

from __future__ import annotations

import math
import time
from dataclasses import dataclass

from mbc.runtime.gates.report import GateResult, Passed, Rejected, Skipped
from mbc.runtime.outcome import Measured, Measurement, NotMeasured
from mbc.runtime.statistics import Comparison, compare


@dataclass(frozen=True)
class Pair:
    """Two measurements of one interleaved run."""

    candidate: Measurement
    reference: Measurement


def check_performance(pair: Pair) -> GateResult:
    """Passed only where the candidate is faster beyond doubt.

    A candidate of which a timed call was wrong is wrong, whatever was checked before.
    """
    started = time.perf_counter()
    if isinstance(pair.candidate, NotMeasured) and pair.candidate.rule:
        rule, reason = pair.candidate.rule, pair.candidate.reason
        return Rejected("G4", rule, "verify_fail", reason)
    compared = compare(pair.candidate, pair.reference)
    seconds = time.perf_counter() - started
    if isinstance(compared, NotMeasured):
        return Skipped("G4", f"not measured: {compared.reason}")
    detail = {
        "ratio": math.exp(compared.log_speedup),
        "low": math.exp(compared.low),
        "high": math.exp(compared.high),
    }
    if compared.verdict == "improved":
        return Passed("G4", _rounds(pair), seconds, detail)
    verdict = compared.verdict
    reason = f"the reference takes {in_words(compared)} as long"
    return Rejected("G4", "speed", verdict, reason, seconds, detail)


def in_words(compared: Comparison) -> str:
    """`1.31 [1.28, 1.35] times`; without an interval where there is no noise."""
    ratio, low, high = map(
        math.exp, (compared.log_speedup, compared.low, compared.high)
    )
    interval = f" [{low:.2f}, {high:.2f}]" if low < high else ""
    return f"{ratio:.2f}{interval} times"


def _rounds(pair: Pair) -> int:
    """Pairs that were compared; a model that repeats exactly needs one."""
    measured = pair.candidate
    return max(1, len(measured.samples)) if isinstance(measured, Measured) else 1
