"""The search for one kernel's best pipeline: propose, gate, measure, remember.

Every outcome is in the knowledge base as soon as it is known. That makes stopping free:
a search that is interrupted keeps its best, and one that is started again takes up what
the knowledge base already has of this kernel, device and toolchain, and measures none
of it twice. Same kernel, seed and knowledge: the same decisions.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from math import isnan
from random import Random
from time import monotonic

from mbc.agent.evaluation import Environment, outcome_of
from mbc.agent.frontier import Frontier
from mbc.agent.memory import KnowledgeBase
from mbc.agent.policy import Candidate, Policy, Proposal, Situation
from mbc.agent.records import (
    DEFAULT_ACTION,
    ActionText,
    Estimate,
    KernelIdentity,
    Outcome,
    TargetIdentity,
    Timed,
    relabel,
)
from mbc.agent.state import State
from mbc.errors import InvalidInput
from mbc.runtime.outcome import NotMeasured

BATCH = 2
"""Proposals per wave. A wave learns nothing from itself, so small waves find more with
the same measurements; two still let the building of one hide behind the other's."""
BLOCKED = 4
"""After as many measurements in a row that the environment broke, it is broken."""


@dataclass(frozen=True)
class Budget:
    """Candidates to evaluate and wall-clock seconds; None is no limit."""

    measurements: int | None = None
    seconds: float | None = None

    def __post_init__(self) -> None:
        if isnan(self.seconds or 0):
            raise InvalidInput("a budget of seconds is a number, not nan")
        if min(self.measurements or 0, self.seconds or 0) < 0:
            raise InvalidInput("a budget cannot be negative")


@dataclass(frozen=True)
class Progress:
    """What a display needs after each outcome."""

    outcome: Outcome
    best: Outcome | None
    measured: int
    budget: Budget


@dataclass(frozen=True)
class KernelResult:
    kernel: KernelIdentity
    target: TargetIdentity
    label: str
    default: Outcome | None
    """The default schedule's own outcome; None if there was no budget for it."""
    best: Outcome | None
    """The best accepted outcome; None if nothing beat the default."""
    pipeline: str
    """What to use: the best one's, else the default, under this kernel's label."""
    measured: int
    """Candidates evaluated by this search."""
    recalled: int
    """Outcomes that the knowledge base already had."""
    interrupted: bool
    stopped: str
    """Why the search ended, in a few words."""
    history: tuple[Outcome, ...]


def optimize_kernel(
    environment: Environment,
    policy: Policy,
    knowledge: KnowledgeBase,
    budget: Budget,
    seed: int = 0,
    progress: Callable[[Progress], None] = lambda _: None,
) -> KernelResult:
    """Search until the budget ends, nothing is left to try, or Ctrl-C."""
    facts = {"policy": policy.name, "seed": seed, "budget": str(budget)}
    run = knowledge.begin_run(environment.kernel, environment.target, **facts)
    search = _Search(environment, policy, knowledge, budget, seed, run, progress)
    stopped = "interrupted"
    try:
        stopped = search.run()
    except KeyboardInterrupt:
        pass
    knowledge.end_run(run, stopped)
    return search.result(stopped)


class _Search:
    """The state of one search."""

    def __init__(
        self,
        environment: Environment,
        policy: Policy,
        knowledge: KnowledgeBase,
        budget: Budget,
        seed: int,
        run: str,
        progress: Callable[[Progress], None],
    ):
        self._environment = environment
        self._policy = policy
        self._knowledge = knowledge
        self._budget = budget
        self._run = run
        self._progress = progress
        kernel, target = environment.kernel, environment.target
        self._rng = Random(f"{seed} {kernel.fingerprint} {target.id}")
        self._deadline = monotonic() + (budget.seconds or 0.0)
        self._measured = 0
        self._default = relabel(environment.default(), environment.label)
        self._frontier = Frontier(self._default, environment.label)
        self._frontier.recall(knowledge.known(kernel, target))
        self._recalled = len(self._frontier.history)

    def run(self) -> str:
        """Returns why it stopped."""
        if self._frontier.root is None and self._left() != 0:
            self._evaluate_default()
        root = self._frontier.root
        if root is None:
            return f"the default schedule failed: {self._last_reason()}"
        self._recheck(root)
        while self._left() != 0:
            if not self._wave():
                return "nothing is left to try"
            if self._frontier.is_blocked(BLOCKED):
                return f"measuring stopped working: {self._last_reason()}"
        return "the budget is spent"

    def result(self, stopped: str) -> KernelResult:
        best = self._frontier.best
        pipeline = self._default
        if best is not None:
            pipeline = relabel(best.pipeline, self._environment.label)
        return KernelResult(
            kernel=self._environment.kernel,
            target=self._environment.target,
            label=self._environment.label,
            default=self._frontier.root,
            best=best,
            pipeline=pipeline,
            measured=self._measured,
            recalled=self._recalled,
            interrupted=stopped == "interrupted",
            stopped=stopped,
            history=tuple(self._frontier.history),
        )

    def _left(self) -> int | None:
        """How many more evaluations the budget has; None is no limit."""
        if self._budget.seconds is not None and monotonic() >= self._deadline:
            return 0
        if self._budget.measurements is None:
            return None
        return max(0, self._budget.measurements - self._measured)

    def _last_reason(self) -> str:
        if not self._frontier.history:
            return "there was no budget to measure it"
        result = self._frontier.history[-1].result
        return result.reason if isinstance(result, NotMeasured) else "no result"

    def _evaluate_default(self) -> None:
        candidate = Candidate(DEFAULT_ACTION, self._default, Estimate(0.0, 0.0))
        self._evaluate(None, [Proposal(candidate, candidate.prior)])

    def _recheck(self, root: Outcome) -> None:
        """What was best under another toolchain or default deserves the first try."""
        environment = self._environment
        known = self._knowledge.best(environment.kernel, environment.target)
        if known is None or self._left() == 0:
            return
        assert isinstance(known.result, Timed)
        pipeline = relabel(known.pipeline, environment.label)
        if self._frontier.is_new(pipeline):
            prior = Estimate(known.result.log_default, 0.1)
            candidate = Candidate(ActionText.of_step(pipeline), pipeline, prior)
            self._evaluate(root, [Proposal(candidate, prior, "best known before")])

    def _wave(self) -> bool:
        """One batch from one parent; False when no parent has anything left."""
        for parent in self._frontier.parents(self._rng):
            proposals = self._proposals(parent)
            if proposals:
                self._evaluate(parent, proposals)
                return True
            self._frontier.close(parent)
        return False

    def _proposals(self, parent: Outcome) -> list[Proposal]:
        situation = self._situation(parent)
        if not situation.candidates:
            return []
        proposals = self._policy.propose(situation, self._rng)
        return list(_believable(proposals, situation))[: situation.wanted]

    def _situation(self, parent: Outcome) -> Situation:
        environment, left = self._environment, self._left()
        pipeline = relabel(parent.pipeline, environment.label)
        kernel, target = environment.kernel, environment.target
        legal = environment.legal_actions(pipeline)
        return Situation(
            kernel=kernel,
            target=target,
            pipeline=pipeline,
            state=State.load(parent.state_after, parent.features),
            candidates=tuple(c for c in legal if self._frontier.is_new(c.pipeline)),
            evidence=self._knowledge.evidence(parent.state_after, kernel, target),
            rules=self._knowledge.rules(target),
            history=tuple(self._frontier.history),
            wanted=BATCH if left is None else min(BATCH, left),
        )

    def _evaluate(self, parent: Outcome | None, proposals: Sequence[Proposal]) -> None:
        environment = self._environment
        pipelines = [proposal.candidate.pipeline for proposal in proposals]
        reference = self._default
        if parent is not None:
            reference = relabel(parent.pipeline, environment.label)
        evaluated = environment.evaluate(pipelines, reference)
        for proposal, one in zip(proposals, evaluated, strict=True):
            self._keep(outcome_of(environment, self._run, parent, proposal, one))

    def _keep(self, outcome: Outcome) -> None:
        self._knowledge.append(outcome)
        self._measured += 1
        self._frontier.add(outcome)
        self._policy.observe(outcome)
        best = self._frontier.best
        self._progress(Progress(outcome, best, self._measured, self._budget))


def _believable(
    proposals: Iterable[Proposal], situation: Situation
) -> Iterator[Proposal]:
    """Only what is legal and new, once: a policy may be a language model."""
    open_pipelines = {candidate.pipeline for candidate in situation.candidates}
    for proposal in proposals:
        if proposal.candidate.pipeline in open_pipelines:
            open_pipelines.remove(proposal.candidate.pipeline)
            yield proposal
