"""Verdicts on speed, from exact models and from noisy clocks."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mbc.runtime.outcome import Fidelity, Measured, NotMeasured
from mbc.runtime.statistics import GAMMA, TIE, Comparison, compare


def modelled(value: float) -> Measured:
    return Measured(value, "cycles", Fidelity.MODELLED, "model v1")


def clocked(
    speedup: float, noise: float, rounds: int = 30
) -> tuple[Measured, Measured]:
    """Candidate and reference under one drifting load, each with its own noise."""
    rng = np.random.default_rng(1)
    load = np.exp(np.cumsum(rng.normal(0, 0.05, rounds)))
    own, other = np.exp(rng.normal(0, noise, (2, rounds)))
    return _hardware(100 / speedup * load * own), _hardware(100 * load * other)


def _hardware(samples: np.ndarray) -> Measured:
    times = tuple(map(float, samples))
    return Measured(float(np.median(samples)), "ns", Fidelity.HARDWARE, "board", times)


@pytest.mark.parametrize(
    ("cycles", "verdict"),
    [
        (50.0, "improved"),
        (97.0, "improved"),
        (98.0, "no_improvement"),
        (100.0, "no_improvement"),
        (101.0, "no_improvement"),
        (102.0, "regressed"),
        (200.0, "regressed"),
    ],
)
def test_modelled_cycles(cycles: float, verdict: str) -> None:
    comparison = compare(modelled(cycles), modelled(100.0))
    assert isinstance(comparison, Comparison)
    assert comparison.verdict == verdict
    assert comparison.low == comparison.high == math.log(100 / cycles)


@pytest.mark.parametrize(
    ("speedup", "noise", "verdict"),
    [
        (1.5, 0.02, "improved"),
        (1.1, 0.02, "improved"),
        (1.0, 0.01, "no_improvement"),
        (0.8, 0.02, "regressed"),
        (1.03, 0.2, "inconclusive"),
    ],
)
def test_clocks(speedup: float, noise: float, verdict: str) -> None:
    comparison = compare(*clocked(speedup, noise))
    assert isinstance(comparison, Comparison)
    assert comparison.verdict == verdict
    assert comparison.low <= comparison.log_speedup <= comparison.high
    assert comparison.se > 0


def test_pairing_cancels_what_both_suffered() -> None:
    """The drift moves times by far more than 10 %; the ratio survives it."""
    candidate, reference = clocked(1.1, 0.0)
    comparison = compare(candidate, reference)
    assert isinstance(comparison, Comparison)
    assert comparison.low == pytest.approx(math.log(1.1))


def test_same_seed_same_interval() -> None:
    pair = clocked(1.05, 0.1)
    assert compare(*pair, seed=1) == compare(*pair, seed=1)
    assert compare(*pair, seed=1) != compare(*pair, seed=2)


@pytest.mark.parametrize(
    ("candidate", "reason"),
    [
        (NotMeasured("no kernels were profiled"), "no kernels were profiled"),
        (modelled(0.0), "a time of 0 is no measurement"),
        (modelled(math.inf), "a time of inf is no measurement"),
        (
            Measured(50.0, "instructions", Fidelity.COUNTED, "model v1"),
            "candidate and reference were measured in different ways",
        ),
    ],
)
def test_what_cannot_be_compared_is_said(candidate, reason: str) -> None:
    assert compare(candidate, modelled(100.0)) == NotMeasured(reason)


def test_a_clock_needs_paired_rounds() -> None:
    few = clocked(2.0, 0.0, rounds=4)
    assert compare(*few) == NotMeasured("a clock needs at least 5 paired rounds")
    uneven = clocked(2.0, 0.0)[0], clocked(2.0, 0.0, rounds=9)[1]
    assert isinstance(compare(*uneven), NotMeasured)


POSITIVE = st.floats(1e-3, 1e12)


@given(POSITIVE, st.floats(-TIE, TIE))
def test_a_tie_of_a_model_is_never_improved(value: float, log_ratio: float) -> None:
    comparison = compare(modelled(value * math.exp(-log_ratio)), modelled(value))
    assert isinstance(comparison, Comparison)
    assert comparison.verdict in ("no_improvement", "regressed")
    if abs(comparison.log_speedup) <= TIE:
        assert comparison.verdict == "no_improvement"


@given(POSITIVE, POSITIVE)
def test_swapping_changes_the_sign_and_never_improves_both(a: float, b: float) -> None:
    one, other = compare(modelled(a), modelled(b)), compare(modelled(b), modelled(a))
    assert isinstance(one, Comparison)
    assert isinstance(other, Comparison)
    assert one.log_speedup == pytest.approx(-other.log_speedup, abs=1e-9)
    assert not one.verdict == other.verdict == "improved"
    if one.verdict == "improved":
        assert one.log_speedup >= math.log(GAMMA)


@settings(max_examples=25, deadline=None)
@given(st.lists(st.floats(1.0, 1e9), min_size=5, max_size=30), st.integers(0, 99))
def test_a_program_beside_itself_gains_nothing(times: list[float], seed: int) -> None:
    same = _hardware(np.asarray(times))
    comparison = compare(same, same, seed)
    assert isinstance(comparison, Comparison)
    assert (comparison.low, comparison.log_speedup, comparison.high) == (0, 0, 0)
    assert comparison.verdict == "no_improvement"


@settings(max_examples=25, deadline=None)
@given(st.lists(st.floats(1.0, 1e9), min_size=5, max_size=30), st.floats(0.1, 10.0))
def test_a_common_factor_is_found_whatever_the_load(
    times: list[float], factor: float
) -> None:
    reference = np.asarray(times)
    comparison = compare(_hardware(reference / factor), _hardware(reference))
    assert isinstance(comparison, Comparison)
    assert comparison.low == pytest.approx(math.log(factor), abs=1e-9)
    assert comparison.high == pytest.approx(math.log(factor), abs=1e-9)
