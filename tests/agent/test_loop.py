"""The search: budgets, resuming, interruption, and learning that shows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from random import Random
from statistics import mean

import pytest
from typing_extensions import override

from mbc.agent.evaluation import Evaluated, Passed, Rejected
from mbc.agent.loop import Budget, KernelResult, optimize_kernel
from mbc.agent.memory import KnowledgeBase
from mbc.agent.policies import POLICIES, make_policy
from mbc.agent.policy import Proposal, Situation
from mbc.agent.records import Outcome, Timed
from mbc.errors import InvalidInput
from mbc.runtime.outcome import Fidelity, Measured, NotMeasured
from tests.agent.toy import Toy, kernel


def search(
    environment: Toy,
    knowledge: KnowledgeBase | None = None,
    policy: str = "heuristic",
    measurements: int = 17,
    seed: int = 0,
) -> KernelResult:
    return optimize_kernel(
        environment,
        make_policy(policy),
        knowledge or KnowledgeBase(":memory:"),
        Budget(measurements=measurements),
        seed,
    )


def distance(environment: Toy, result: KernelResult) -> float:
    """Of the result from the optimum, as a ratio."""
    return environment.cycles(result.pipeline) / environment.optimum()


def test_heuristic_beats_greedy_and_random() -> None:
    toys = [Toy(cache=c, lanes=n) for c, n in ((32768, 8), (16384, 16), (65536, 4))]

    def average(policy: str) -> float:
        return mean(
            distance(toy, search(toy, policy=policy, measurements=33, seed=seed))
            for toy in toys
            for seed in range(3)
        )

    heuristic = average("heuristic")
    assert heuristic < average("greedy")
    assert heuristic < 0.8 * average("random")


def test_knowledge_of_other_kernels_saves_evaluations() -> None:
    """A warm search reaches 90 % of the cold one's best in at most half the tries."""

    def tries(result: KernelResult, goal: float) -> int:
        done = [o.result for o in result.history]
        gains = [r.log_default if isinstance(r, Timed) else 0.0 for r in done]
        return next((i for i, g in enumerate(gains) if g >= goal), len(gains))

    cold_tries = warm_tries = 0
    for seed in range(4):
        cold = search(Toy(kernel("goal", 256)), measurements=33, seed=seed)
        knowledge = KnowledgeBase(":memory:")
        for size in (64, 96, 128, 192):
            search(Toy(kernel("other", size)), knowledge, measurements=33, seed=seed)
        warm = search(Toy(kernel("goal", 256)), knowledge, measurements=33, seed=seed)
        assert warm.recalled == 0
        assert cold.best is not None
        assert isinstance(cold.best.result, Timed)
        goal = 0.9 * cold.best.result.log_default
        cold_tries += tries(cold, goal)
        warm_tries += tries(warm, goal)
    assert warm_tries <= cold_tries / 2


def test_resuming_measures_nothing_twice_and_starts_from_the_best() -> None:
    knowledge = KnowledgeBase(":memory:")
    first, second = Toy(), Toy(label="k7")
    cold = search(first, knowledge)
    warm = search(second, knowledge)
    tried = {pipeline.replace("k3", "k7") for pipeline in first.evaluated}
    assert tried.isdisjoint(second.evaluated)
    assert warm.recalled == 17
    assert distance(second, warm) <= distance(first, cold)
    assert "kernel=k3" not in warm.pipeline


def test_without_budget_the_best_known_is_kept() -> None:
    knowledge = KnowledgeBase(":memory:")
    cold = search(Toy(), knowledge)
    again = search(Toy(), knowledge, measurements=0)
    assert (again.pipeline, again.measured) == (cold.pipeline, 0)


def test_another_toolchain_tries_the_best_known_first() -> None:
    knowledge = KnowledgeBase(":memory:")
    cold = search(Toy(), knowledge)
    newer = Toy(target=Toy().target.__class__("rvv", "simd", "toy core v1", "clang 20"))
    warm = search(newer, knowledge, measurements=2)
    assert newer.evaluated == [newer.default(), cold.pipeline]
    assert warm.pipeline == cold.pipeline


@pytest.mark.parametrize("policy", POLICIES)
def test_same_seed_same_decisions(policy: str) -> None:
    one, two, other = Toy(), Toy(), Toy()
    search(one, policy=policy, seed=3)
    search(two, policy=policy, seed=3)
    search(other, policy=policy, seed=4)
    assert one.evaluated == two.evaluated
    assert one.evaluated != other.evaluated


@pytest.mark.parametrize("policy", POLICIES)
def test_nothing_is_tried_twice_and_the_budget_holds(policy: str) -> None:
    toy = Toy()
    result = search(toy, policy=policy, measurements=30)
    assert len(toy.evaluated) == len(set(toy.evaluated)) == result.measured == 30


def test_interruption_keeps_the_best_and_resumes() -> None:
    knowledge = KnowledgeBase(":memory:")
    stopped = search(Toy(interrupt_after=11), knowledge)
    assert stopped.interrupted
    assert stopped.best is not None
    assert len(knowledge.outcomes()) == 11
    resumed = search(Toy(), knowledge, measurements=4)
    assert (resumed.recalled, resumed.measured) == (11, 4)
    assert not resumed.interrupted


def test_a_search_that_exhausts_the_space_stops() -> None:
    class Tiny(Toy):
        def legal_actions(self, pipeline: str):
            legal = super().legal_actions(pipeline)
            return [one for one in legal if one.action.name == "set-unroll"]

    result = search(Tiny(), measurements=100)
    assert (result.measured, result.stopped) == (4, "nothing is left to try")


def test_no_time_is_no_error() -> None:
    result = optimize_kernel(
        Toy(), make_policy("random"), KnowledgeBase(":memory:"), Budget(seconds=0.0)
    )
    assert (result.measured, result.default) == (0, None)
    assert result.pipeline == Toy().default()


def test_negative_budget_is_refused() -> None:
    with pytest.raises(InvalidInput, match="negative"):
        Budget(measurements=-1)


def test_unknown_policy_names_the_known() -> None:
    with pytest.raises(InvalidInput, match="heuristic, greedy, random"):
        make_policy("oracle")


class Broken(Toy):
    """Measures the default only; whatever else takes `answer`."""

    answer: Evaluated

    def evaluate(self, pipelines: Sequence[str], reference: str):
        for one in super().evaluate(pipelines, reference):
            yield one if pipelines == [self.default()] else self._instead(one)

    def _instead(self, one: Evaluated) -> Evaluated:
        if isinstance(self.answer, Rejected) or isinstance(one, Rejected):
            return self.answer
        assert isinstance(self.answer, Passed)
        return Passed(self.answer.measurement, one.reference, one.state)


STATE = next(iter(Toy().evaluate(["set-parallel{kernel=k3}"], "set-parallel{}")))
assert isinstance(STATE, Passed)


@pytest.mark.parametrize(
    "measurement",
    [
        NotMeasured("no kernels were profiled"),
        Measured(0.0, "cycles", Fidelity.MODELLED, "toy core v1"),
        Measured(1.0, "instructions", Fidelity.COUNTED, "toy core v1"),
        Measured(1.0, "cycles", Fidelity.MODELLED, "another core"),
    ],
)
def test_what_was_not_measured_never_becomes_best(measurement: Measured) -> None:
    toy = Broken()
    toy.answer = Passed(measurement, STATE.reference, STATE.state)
    result = search(toy)
    assert result.best is None
    assert result.pipeline == toy.default()
    assert {o.verdict for o in result.history[1:]} == {"blocked"}
    assert result.stopped.startswith("measuring stopped working: ")


def test_what_the_environment_broke_is_tried_again() -> None:
    knowledge = KnowledgeBase(":memory:")
    toy = Broken()
    toy.answer = Rejected("blocked", "the device is lost")
    search(toy, knowledge)
    resumed = search(Toy(), knowledge)
    assert resumed.recalled == 1
    assert resumed.best is not None


def test_a_default_that_fails_ends_the_search_in_one_sentence() -> None:
    class Failing(Toy):
        def evaluate(self, pipelines: Sequence[str], reference: str):
            del reference
            return [Rejected("verify_fail", "r0[3] is 0, not 1") for _ in pipelines]

    result = search(Failing())
    assert result.stopped == "the default schedule failed: r0[3] is 0, not 1"
    assert (result.measured, result.best, result.default) == (1, None, None)


class Inventive:
    """Proposes what is not legal, and the same thing twice."""

    name = "inventive"

    def __init__(self) -> None:
        self.observed: list[Outcome] = []

    def propose(self, situation: Situation, rng: Random) -> Sequence[Proposal]:
        del rng
        first = situation.candidates[0]
        alien = first.__class__(first.action, "rm{-rf}", first.prior)
        return [Proposal(c, c.prior) for c in (alien, first, first)]

    def observe(self, outcome: Outcome) -> None:
        self.observed.append(outcome)


def test_only_legal_proposals_are_evaluated() -> None:
    toy, policy = Toy(), Inventive()
    knowledge = KnowledgeBase(":memory:")
    optimize_kernel(toy, policy, knowledge, Budget(measurements=5))
    assert "rm{-rf}" not in toy.evaluated
    assert len(toy.evaluated) == len(set(toy.evaluated)) == 5
    assert policy.observed == knowledge.outcomes()


def test_progress_reports_each_outcome() -> None:
    seen: list[int] = []
    optimize_kernel(
        Toy(),
        make_policy("random"),
        KnowledgeBase(":memory:"),
        Budget(measurements=6),
        progress=lambda report: seen.append(report.measured),
    )
    assert seen == [1, 2, 3, 4, 5, 6]


def test_faster_without_the_gates_word_is_not_improved() -> None:
    """An environment that forgets to ask the gates is broken, not fast."""

    class Careless(Toy):
        @override
        def evaluate(
            self, pipelines: Sequence[str], reference: str
        ) -> Iterator[Evaluated]:
            for found in super().evaluate(pipelines, reference):
                yield replace(found, gate_report="{}")

    result = search(Careless(), measurements=9)
    assert result.best is None
    verdicts = [outcome.verdict for outcome in result.history]
    assert "blocked" in verdicts
    assert "improved" not in verdicts
