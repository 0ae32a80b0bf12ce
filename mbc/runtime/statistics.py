"""Is a candidate faster than its reference? A verdict with an interval, never a ratio.

Two fidelities need two answers. A published model is deterministic: no interval, and
less than `TIE` is a tie. A clock is noisy: candidate and reference are timed in the
same rounds, with a paired bootstrap over the rounds' log ratios. Either way only a
candidate whose lower bound clears `GAMMA` is improved.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt

from mbc.runtime.outcome import Fidelity, Measured, Measurement, NotMeasured

GAMMA = 1.03
"""A speedup below this is not worth the word improved."""
TIE = 0.015
"""Log ratio within which two results of a deterministic model are the same."""
MIN_ROUNDS = 5
RESAMPLES = 2000

SpeedVerdict = Literal["improved", "no_improvement", "regressed", "inconclusive"]


@dataclass(frozen=True)
class Comparison:
    """Log-speedup of candidate over reference, with its 95 % interval."""

    verdict: SpeedVerdict
    log_speedup: float
    low: float
    high: float
    se: float


def compare(
    candidate: Measurement, reference: Measurement, seed: int = 0
) -> Comparison | NotMeasured:
    """Compare two measurements of one interleaved run, or say why they cannot be."""
    for measurement in (candidate, reference):
        if isinstance(measurement, NotMeasured):
            return measurement
        if not (measurement.value > 0 and math.isfinite(measurement.value)):
            return NotMeasured(f"a time of {measurement.value:g} is no measurement")
    assert isinstance(candidate, Measured)
    assert isinstance(reference, Measured)
    if _kind(candidate) != _kind(reference):
        return NotMeasured("candidate and reference were measured in different ways")
    if candidate.fidelity is not Fidelity.HARDWARE:
        return _deterministic(math.log(reference.value / candidate.value))
    return _paired(candidate.samples, reference.samples, seed)


def paired_bootstrap(
    log_ratios: npt.NDArray[np.float64], seed: int = 0
) -> tuple[float, float, float]:
    """Low and high 95 % bounds and standard error of the median log ratio."""
    rounds = len(log_ratios)
    rng = np.random.default_rng(seed)
    draws = rng.integers(0, rounds, size=(RESAMPLES, rounds))
    medians = np.median(log_ratios[draws], axis=1)
    low, high = np.quantile(medians, (0.025, 0.975))
    return float(low), float(high), float(medians.std())


def verdict_of(low: float, high: float) -> SpeedVerdict:
    if low >= math.log(GAMMA):
        return "improved"
    if high < 0:
        return "regressed"
    if high < math.log(GAMMA):
        return "no_improvement"
    return "inconclusive"


def _kind(measured: Measured) -> tuple[str, Fidelity, str]:
    return measured.unit, measured.fidelity, measured.device


def _deterministic(log_ratio: float) -> Comparison:
    tied = abs(log_ratio) <= TIE
    verdict = "no_improvement" if tied else verdict_of(log_ratio, log_ratio)
    return Comparison(verdict, log_ratio, log_ratio, log_ratio, 0.0)


def _paired(
    candidate: tuple[float, ...], reference: tuple[float, ...], seed: int
) -> Comparison | NotMeasured:
    if len(candidate) != len(reference) or len(candidate) < MIN_ROUNDS:
        return NotMeasured(f"a clock needs at least {MIN_ROUNDS} paired rounds")
    if min(*candidate, *reference) <= 0:
        return NotMeasured("a round took no time at all")
    log_ratios = np.log(np.asarray(reference)) - np.log(np.asarray(candidate))
    low, high, se = paired_bootstrap(log_ratios, seed)
    middle = float(np.median(log_ratios))
    return Comparison(verdict_of(low, high), middle, low, high, se)
