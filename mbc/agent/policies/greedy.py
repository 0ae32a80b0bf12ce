"""The roofline's favourite, always: no exploration and no memory."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

from mbc.agent.policy import Proposal, Situation
from mbc.agent.records import Outcome


class GreedyPolicy:
    name = "greedy"

    def propose(self, situation: Situation, rng: Random) -> Sequence[Proposal]:
        """Highest prior mean first; ties fall to the generator."""
        keyed = [(-c.prior.mean, rng.random(), c) for c in situation.allowed()]
        keyed.sort(key=lambda entry: entry[:2])
        return [Proposal(c, c.prior) for *_, c in keyed[: situation.wanted]]

    def observe(self, outcome: Outcome) -> None:
        del outcome
