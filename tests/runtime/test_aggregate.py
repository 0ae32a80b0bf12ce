"""Two means: nobody can raise the one over all kernels by leaving some out."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mbc.runtime.aggregate import Aggregate, Gain, aggregate
from mbc.runtime.outcome import NotMeasured

LOGS = st.floats(-3, 3)
GAINS = st.lists(st.builds(Gain, LOGS, st.booleans()), min_size=1, max_size=12)


def test_of_two_kernels_one_improved() -> None:
    found = aggregate([Gain(math.log(4.0), True), Gain(0.0, False)])
    assert isinstance(found, Aggregate)
    assert found.everything == pytest.approx(2.0)
    assert found.optimized == pytest.approx(4.0)
    assert found.text() == (
        "geometric mean: 2.00x over all 2 kernels, 4.00x over the 1 improved"
    )
    assert found.document()["improved"] == 1


def test_none_improved_is_said_and_is_no_number() -> None:
    found = aggregate([Gain(0.2, False), NotMeasured("no clock")])
    assert isinstance(found, Aggregate)
    assert found.everything == 1.0
    assert isinstance(found.optimized, NotMeasured)
    assert found.document()["optimized"] is None
    assert found.text().endswith("none improved; 1 not measured")


def test_of_nothing_there_is_no_mean() -> None:
    assert isinstance(aggregate([]), NotMeasured)


@pytest.mark.parametrize("log", [math.inf, -math.inf, math.nan])
def test_what_is_no_number_is_no_gain(log: float) -> None:
    with pytest.raises(ValueError, match="no measurement"):
        Gain(log, True)


@given(GAINS)
def test_the_mean_over_all_is_the_improved_ones_diluted(gains: list[Gain]) -> None:
    found = aggregate(gains)
    assert isinstance(found, Aggregate)
    improved = [gain for gain in gains if gain.improved]
    assert found.improved == len(improved)
    if isinstance(found.optimized, NotMeasured):
        assert found.everything == 1.0
        return
    share = len(improved) / len(gains)
    assert math.log(found.everything) == pytest.approx(
        share * math.log(found.optimized), abs=1e-9
    )


@given(GAINS, st.text(max_size=5))
def test_a_fallback_or_a_missing_time_pulls_towards_one(
    gains: list[Gain], reason: str
) -> None:
    alone = aggregate(gains)
    for more in (Gain(0.5, False), NotMeasured(reason)):
        found = aggregate([*gains, more])
        assert isinstance(alone, Aggregate)
        assert isinstance(found, Aggregate)
        assert abs(math.log(found.everything)) <= abs(math.log(alone.everything))
        assert found.optimized == alone.optimized
