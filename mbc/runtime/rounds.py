"""Timed rounds in a worker: who goes when, on what, and what came of every call.

Programs take turns within a round and change places from one to the next (A/B, B/A).
Every call gets other contents than the one before it, in a place drawn anew, and finds
its outputs poisoned; none of that is timed. No call can tell whether it is a warm-up:
only the asking side knows which rounds it drops. Every result is kept.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np

from mbc.runtime.poison import FLOAT_BYTES

GRANULES = 20
"""A sample is at least this many times as long as what its timer can tell apart."""
MOST_CALLS = 200
"""In one sample."""
SIZING_CALLS = 4
"""Checked calls before the rounds, which tell how many make a sample."""
MOST_DISTINCT = 64
"""Results of one program; one that repeats itself has one for each case."""

Result = tuple[bytes, ...]


@dataclass(frozen=True)
class Draw:
    """What one call is given: a case, a place in memory, and the outputs' poison."""

    case: int
    place: int
    poison: int


@dataclass
class Results:
    """Every result of one program's timed calls, each distinct one once."""

    counts: dict[tuple[int, Result], int] = field(
        default_factory=dict[tuple[int, Result], int]
    )
    rule: str = ""
    problem: str = ""
    """What is wrong whatever the results are, as a sentence, and the rule it breaks."""

    def blame(self, rule: str, problem: str) -> None:
        """The first problem stands."""
        if not self.rule:
            self.rule, self.problem = rule, problem

    def keep(self, case: int, result: Result) -> None:
        if len(self.counts) < MOST_DISTINCT or (case, result) in self.counts:
            self.counts[case, result] = self.counts.get((case, result), 0) + 1
        else:
            self.blame("never the same", "results differ from call to call")


class Subject(Protocol):
    """A loaded program: `cases` contents, `places` to put them, `batch` to a sample."""

    @property
    def cases(self) -> int: ...
    @property
    def places(self) -> int: ...
    @property
    def batch(self) -> int: ...
    @property
    def results(self) -> Results: ...

    def sample(self, draws: Sequence[Draw]) -> float:
        """Nanoseconds of one call for each draw, together; keeps every result."""
        ...


@dataclass
class Rounds:
    subjects: Sequence[Subject]
    rng: np.random.Generator
    turn: int = 0
    last: dict[int, int] = field(default_factory=dict[int, int])
    """The case of each subject's last call."""

    def take(self, count: int) -> list[list[float]]:
        """Nanoseconds of a call, by subject and round."""
        samples: list[list[float]] = [[] for _ in self.subjects]
        for _ in range(count):
            for index in order(self.turn, len(self.subjects)):
                subject = self.subjects[index]
                time = subject.sample(self._draws(index, subject))
                samples[index].append(time / subject.batch)
            self.turn += 1
        return samples

    def _draws(self, index: int, subject: Subject) -> list[Draw]:
        draws: list[Draw] = []
        for _ in range(subject.batch):
            case = self._other(self.last.get(index, 0), subject.cases)
            place = int(self.rng.integers(subject.places))
            poison = FLOAT_BYTES[int(self.rng.integers(len(FLOAT_BYTES)))]
            draws.append(Draw(case, place, poison))
            self.last[index] = case
        return draws

    def _other(self, case: int, cases: int) -> int:
        if cases == 1:
            return 0
        return (case + int(self.rng.integers(1, cases))) % cases


def order(turn: int, count: int) -> list[int]:
    """Of two, A/B/B/A; of more, each goes first as often as any other."""
    return [(turn + place) % count for place in range(count)]


def batch_of(nanoseconds: float, granularity: float) -> int:
    """Calls in a sample, so that the timer can tell it from others."""
    wanted = math.ceil(GRANULES * granularity / max(nanoseconds, 1.0))
    return min(max(1, wanted), MOST_CALLS)
