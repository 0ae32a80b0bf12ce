"""UCB1 with pseudo-counts: the offline policy, which learns and explains itself.

The roofline's prior counts as a few outcomes; what the knowledge base saw in this
state, here and elsewhere, counts as it is near. The score is the
expected log-speedup, with the cost of failing, plus a bonus for what was tried least.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from random import Random

from mbc.agent.policy import Candidate, Proposal, Situation
from mbc.agent.records import Estimate, Outcome
from mbc.agent.statistics import Belief

EXPLORATION = 0.25


class HeuristicPolicy:
    name = "heuristic"

    def propose(self, situation: Situation, rng: Random) -> Sequence[Proposal]:
        """Deterministic for a situation and generator; ties fall to the generator."""
        believed = [(c, situation.belief(c)) for c in situation.allowed()]
        total = 1 + sum(evidence.weight for evidence in situation.evidence.values())
        scored = [
            (-_score(belief, total), rng.random(), candidate, belief)
            for candidate, belief in believed
        ]
        scored.sort(key=lambda entry: entry[:2])
        return [
            _proposal(candidate, belief, -negated)
            for negated, _, candidate, belief in scored[: situation.wanted]
        ]

    def observe(self, outcome: Outcome) -> None:
        """Nothing to do: the next situation carries what the knowledge base learned."""
        del outcome


def _score(belief: Belief, total: float) -> float:
    return belief.value + EXPLORATION * math.sqrt(math.log1p(total) / belief.weight)


def _proposal(candidate: Candidate, belief: Belief, score: float) -> Proposal:
    rationale = (
        f"expected {belief.mean:+.2f} from {belief.weight:.1f} pseudo-outcomes, "
        f"fails {belief.failure:.0%}, bound {score:+.2f}"
    )
    return Proposal(candidate, Estimate(belief.mean, belief.sd), rationale)
