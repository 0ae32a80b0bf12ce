"""When a measurement has enough samples, and that no sample is lost or out of turn."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from mbc.runtime.outcome import Failed
from mbc.runtime.rounds import (
    GRANULES,
    MOST_CALLS,
    MOST_DISTINCT,
    Draw,
    Results,
    Rounds,
    batch_of,
    order,
)
from mbc.runtime.sampling import ENOUGH, STEP, WARM_ROUNDS, sampled, settled


@dataclass
class Scripted:
    """A subject that answers with the number of its samples."""

    batch: int = 3
    cases: int = 3
    places: int = 2
    results: Results = field(default_factory=Results)
    seen: list[Draw] = field(default_factory=list[Draw])

    def sample(self, draws: Sequence[Draw]) -> float:
        assert len(draws) == self.batch
        self.seen += draws
        return 100.0 * self.batch


def noisy(spread: float, asked: list[int]) -> Callable[[int], list[list[float]]]:
    rng = np.random.default_rng(0)

    def take(count: int) -> list[list[float]]:
        asked.append(count)
        return [list(np.exp(rng.normal(0, spread, count))) for _ in range(2)]

    return take


def test_noise_takes_all_rounds_and_agreement_the_least() -> None:
    asked: list[int] = []
    loud = sampled(noisy(0.5, asked), ENOUGH)
    assert not isinstance(loud, Failed)
    assert [len(row) for row in loud] == [ENOUGH] * 2
    assert asked == [WARM_ROUNDS, STEP, STEP, STEP]
    asked.clear()
    quiet = sampled(noisy(1e-4, asked), ENOUGH)
    assert not isinstance(quiet, Failed)
    assert [len(row) for row in quiet] == [STEP] * 2


def test_warm_ups_are_dropped() -> None:
    count = 0

    def take(rounds: int) -> list[list[float]]:
        nonlocal count
        count += rounds
        return [[float(count)] * rounds]

    found = sampled(take, 5)
    assert found == [[WARM_ROUNDS + 5.0] * 5]


def test_a_lost_worker_is_a_failure_at_any_time() -> None:
    lost = Failed("crash", "gone")
    assert sampled(lambda _: lost, 30) is lost
    answers = iter([[[1.0]], lost])
    assert sampled(lambda _: next(answers), 30) is lost


def test_a_time_of_zero_is_never_settled() -> None:
    assert not settled([[0.0] * STEP, [1.0] * STEP])
    assert not settled([[1.0] * (STEP - 1)] * 2)
    assert not settled([])
    assert settled([[1.0] * STEP] * 2)


@given(st.integers(0, 50), st.integers(1, 6))
def test_every_round_has_everybody_once(turn: int, count: int) -> None:
    assert sorted(order(turn, count)) == list(range(count))


@given(st.integers(1, 6))
def test_each_goes_first_as_often_as_any_other(count: int) -> None:
    first = Counter(order(turn, count)[0] for turn in range(4 * count))
    assert set(first.values()) == {4}


def test_two_alternate() -> None:
    assert [order(turn, 2) for turn in range(4)] == [[0, 1], [1, 0]] * 2


@given(st.floats(0, 1e9), st.floats(1, 1e5))
def test_a_sample_is_twenty_granules_or_as_many_calls_as_allowed(
    nanoseconds: float, granularity: float
) -> None:
    batch = batch_of(nanoseconds, granularity)
    assert 1 <= batch <= MOST_CALLS
    long = batch * max(nanoseconds, 1.0) >= GRANULES * granularity * (1 - 1e-9)
    assert long or batch == MOST_CALLS


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 2**32 - 1), st.integers(2, 4), st.integers(1, 5))
def test_no_two_calls_in_a_row_have_the_same_contents(
    seed: int, cases: int, batch: int
) -> None:
    subjects = [Scripted(batch, cases), Scripted(1, cases)]
    rounds = Rounds(subjects, np.random.default_rng(seed))
    samples = rounds.take(4) + rounds.take(3)
    assert [len(row) for row in samples] == [4, 4, 3, 3]
    assert all(value == 100.0 for row in samples for value in row)
    for subject in subjects:
        drawn = [draw.case for draw in subject.seen]
        assert len(drawn) == 7 * subject.batch
        assert all(a != b for a, b in itertools.pairwise(drawn))
        assert all(0 <= draw.place < subject.places for draw in subject.seen)


def test_every_result_is_counted_and_too_many_are_a_problem() -> None:
    results = Results()
    for number in range(MOST_DISTINCT + 5):
        results.keep(0, (str(number).encode(),))
        results.keep(0, (b"0",))
    assert results.counts[0, (b"0",)] == MOST_DISTINCT + 6
    assert results.rule == "never the same"
