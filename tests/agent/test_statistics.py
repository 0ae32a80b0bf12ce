"""The numeric critic's arithmetic."""

from __future__ import annotations

import statistics

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mbc.agent.records import Estimate
from mbc.agent.statistics import (
    CLIP,
    NO_EVIDENCE,
    Evidence,
    Moments,
    pool,
    posterior,
)


@given(st.lists(st.floats(*CLIP), min_size=2, max_size=30))
def test_moments_are_mean_and_spread(values: list[float]) -> None:
    moments = Moments()
    for value in values:
        moments = moments.with_log(value)
    variance = moments.m2 / len(values)
    assert moments.mean_log == pytest.approx(statistics.fmean(values), abs=1e-12)
    assert variance == pytest.approx(statistics.pvariance(values), abs=1e-9)


def test_a_freak_is_clipped() -> None:
    assert Moments().with_log(9.0).mean_log == CLIP[1]


def test_only_failures_count_as_failures() -> None:
    moments = Moments()
    for verdict in ("refused", "inconclusive", "improved", "blocked", "timeout"):
        moments = moments.with_verdict(verdict)
    assert (moments.failed, moments.refused, moments.inconclusive) == (1, 1, 1)


def test_without_evidence_the_prior_stands() -> None:
    belief = posterior(Estimate(0.4, 0.2), NO_EVIDENCE)
    assert belief.mean == pytest.approx(0.4)
    assert belief.sd == pytest.approx(0.2)


def test_evidence_outweighs_the_prior_as_it_grows() -> None:
    prior = Estimate(0.0, 0.25)
    few, many = (
        posterior(prior, Evidence(weight=n, weighted_sum=0.5 * n)) for n in (1.0, 50.0)
    )
    assert 0 < few.mean < many.mean < 0.5
    assert many.sd < few.sd < prior.sd


def test_failing_lowers_the_value_and_refusing_does_not() -> None:
    failed = pool([("family_target", 2, Moments().with_verdict("verify_fail"))])
    refused = pool([("family_target", 2, Moments().with_verdict("refused"))])
    prior = Estimate(0.4, 0.2)
    fresh = posterior(prior, NO_EVIDENCE)
    assert posterior(prior, failed).value < 0 < fresh.value
    assert posterior(prior, refused).value == fresh.value


def test_far_evidence_weighs_less_and_saturates() -> None:
    moments = Moments(n=1000, mean_log=0.5)
    near = pool([("family_target", 2, moments)])
    far = pool([("global", 0, moments)])
    assert near.weight == 20
    assert far.weight == pytest.approx(0.5)
