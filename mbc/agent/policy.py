"""The seam between the loop and whatever chooses: rules of thumb, or a language model.

A policy sees a `Situation` and answers with `Proposal`s, best first. It never runs,
measures or believes anything: that is the loop's business. All that the knowledge base
knows of the situation is in it, so that a policy needs no other source.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Protocol

from mbc.agent.records import (
    ActionText,
    Estimate,
    KernelIdentity,
    Outcome,
    TargetIdentity,
)
from mbc.agent.rules import Rule
from mbc.agent.state import State
from mbc.agent.statistics import NO_EVIDENCE, Belief, Evidence, posterior


@dataclass(frozen=True)
class Candidate:
    """A legal action, the whole pipeline that it leads to, and what a roofline says."""

    action: ActionText
    pipeline: str
    prior: Estimate
    knobs: Mapping[str, float | str] = field(
        default_factory=dict[str, float | str], hash=False
    )
    """The action's parameters by name, for rules and for readers."""


@dataclass(frozen=True)
class Situation:
    kernel: KernelIdentity
    target: TargetIdentity
    pipeline: str
    """The schedule to improve on."""
    state: State
    candidates: tuple[Candidate, ...]
    """Legal here and not tried yet."""
    evidence: Mapping[str, Evidence]
    """By action id."""
    rules: tuple[Rule, ...]
    history: tuple[Outcome, ...]
    """All that was tried on this kernel, oldest first."""
    wanted: int
    """How many proposals can be evaluated at once."""

    def belief(self, candidate: Candidate) -> Belief:
        evidence = self.evidence.get(candidate.action.id, NO_EVIDENCE)
        return posterior(candidate.prior, evidence)

    def allowed(self) -> list[Candidate]:
        """The candidates that no rule forbids."""
        features = self.state.values()
        return [c for c in self.candidates if not self._forbidden(c, features)]

    def _forbidden(
        self, candidate: Candidate, features: Mapping[str, float | str]
    ) -> bool:
        facts = {**features, **candidate.knobs}
        return any(
            rule.applies_to(candidate.action, self.target) and rule.forbids(facts)
            for rule in self.rules
        )


@dataclass(frozen=True)
class Proposal:
    candidate: Candidate
    prediction: Estimate
    """Of the log-speedup against `Situation.pipeline`; checked against what happens."""
    rationale: str = ""


class Policy(Protocol):
    @property
    def name(self) -> str: ...

    def propose(self, situation: Situation, rng: Random) -> Sequence[Proposal]:
        """Up to `situation.wanted`, best first; none if nothing here is worth it."""
        ...

    def observe(self, outcome: Outcome) -> None:
        """Told of every outcome, right after the knowledge base was."""
        ...
