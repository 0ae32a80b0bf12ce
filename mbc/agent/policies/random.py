"""Chance: the policy that any other must beat."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

from mbc.agent.policy import Proposal, Situation
from mbc.agent.records import Outcome


class RandomPolicy:
    name = "random"

    def propose(self, situation: Situation, rng: Random) -> Sequence[Proposal]:
        """Uniform, without replacement; knows neither priors, rules nor memory."""
        candidates = situation.candidates
        chosen = rng.sample(candidates, min(situation.wanted, len(candidates)))
        return [Proposal(candidate, candidate.prior) for candidate in chosen]

    def observe(self, outcome: Outcome) -> None:
        del outcome
