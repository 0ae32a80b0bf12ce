"""What one search has seen: its outcomes, its best, and where it may go on from."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from random import Random

from mbc.agent.records import Outcome, Timed, Verdict, relabel

BEST_FIRST = 0.8
"""How often to go on from the best; else from the best in some other state."""

_WORTH_EXPANDING: tuple[Verdict, ...] = ("improved", "no_improvement", "inconclusive")
"""A step that gains nothing may prepare one that does."""


class Frontier:
    """`root` is the default schedule's outcome, once it was measured."""

    def __init__(self, default: str, label: str):
        self.root: Outcome | None = None
        self.best: Outcome | None = None
        self.history: list[Outcome] = []
        self._default = default
        self._label = label
        self._tried: set[str] = set()
        self._open: dict[str, Outcome] = {}
        self._refuted: set[str] = set()

    def recall(self, outcomes: Iterable[Outcome]) -> None:
        """Take up earlier outcomes, oldest first, as if they had been found now.

        Left out: what the environment was to blame for, and what was compared with
        another default, or descends from what was.
        """
        known: set[str] = set()
        for outcome in outcomes:
            if outcome.verdict == "blocked" or not self._continues(outcome, known):
                continue
            known.add(outcome.id)
            self.add(outcome)

    def add(self, outcome: Outcome) -> None:
        self.history.append(outcome)
        self._tried.add(relabel(outcome.pipeline, self._label))
        if outcome.verdict == "verify_fail":
            self._forget(outcome)
        if not isinstance(outcome.result, Timed):
            return
        if self.root is None and not outcome.parent:
            self.root = outcome
        if outcome.verdict in _WORTH_EXPANDING:
            self._open[outcome.id] = outcome
        self._consider(outcome)

    def _consider(self, outcome: Outcome) -> None:
        if outcome.accepted and _gain(outcome) > (_gain(self.best) if self.best else 0):
            self.best = outcome

    def _forget(self, refutation: Outcome) -> None:
        """What was refuted is neither the best nor gone on from."""
        refuted = {one.id for one in self.history if refutation.refutes(one)}
        self._refuted |= refuted
        for id in refuted:
            self._open.pop(id, None)
        if self.best is not None and self.best.id in refuted:
            self.best = None
            for one in self.history:
                if one.id not in self._refuted:
                    self._consider(one)

    def is_new(self, pipeline: str) -> bool:
        return pipeline not in self._tried

    def is_blocked(self, count: int) -> bool:
        """Whether the last `count` outcomes all were the environment's fault."""
        last = self.history[-count:]
        return len(last) == count and all(one.verdict == "blocked" for one in last)

    def close(self, outcome: Outcome) -> None:
        """Nothing is left to try from here."""
        del self._open[outcome.id]

    def parents(self, rng: Random) -> Iterator[Outcome]:
        """Where to go on from, first choice first; may be closed while iterating."""
        ranked = list(self._open.values())
        ranked.sort(key=lambda one: (-_gain(one), one.pipeline))
        if rng.random() >= BEST_FIRST:
            by_state: dict[str, Outcome] = {}
            for outcome in ranked:
                by_state.setdefault(outcome.state_after, outcome)
            chosen = rng.choice(list(by_state.values())) if by_state else None
            ranked.sort(key=lambda one: one is not chosen)
        yield from ranked

    def _continues(self, outcome: Outcome, known: set[str]) -> bool:
        if outcome.parent:
            return outcome.parent in known
        is_default = relabel(outcome.pipeline, self._label) == self._default
        return is_default and isinstance(outcome.result, Timed)


def _gain(outcome: Outcome) -> float:
    assert isinstance(outcome.result, Timed)
    return outcome.result.log_default
