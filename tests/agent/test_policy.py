"""Policies and rules, without a search."""

from __future__ import annotations

from random import Random

import pytest

from mbc.agent.policies import POLICIES, make_policy
from mbc.agent.policy import Candidate, Situation
from mbc.agent.records import ActionText, Estimate, relabel
from mbc.agent.rules import Rule
from mbc.agent.state import Feature, State
from mbc.agent.statistics import Evidence
from mbc.runtime.outcome import Fidelity
from tests.agent.samples import KERNEL, STATE, TARGET

WIDTHS = (4, 8, 16)


def situation(
    rules: tuple[Rule, ...] = (), evidence: dict[str, Evidence] | None = None
) -> Situation:
    candidates = tuple(
        Candidate(
            ActionText(f"set-vector{{width={width}}}"),
            f"set-vector{{kernel=k0 width={width}}}",
            Estimate(width / 100, 0.25),
            {"width": float(width)},
        )
        for width in WIDTHS
    )
    lanes = Feature("lane_util", 0.2, "schedule", Fidelity.STATIC)
    state = State(STATE, (lanes,))
    return Situation(
        KERNEL, TARGET, "", state, candidates, evidence or {}, rules, (), 2
    )


def chosen(policy: str, given: Situation) -> list[object]:
    proposals = make_policy(policy).propose(given, Random(0))
    return [proposal.candidate.knobs["width"] for proposal in proposals]


@pytest.mark.parametrize("policy", POLICIES)
def test_policies_propose_what_is_wanted_without_repeating(policy: str) -> None:
    widths = chosen(policy, situation())
    assert len(set(widths)) == len(widths) == 2


def test_priors_decide_where_nothing_is_known() -> None:
    assert chosen("greedy", situation()) == [16, 8]
    assert chosen("heuristic", situation()) == [16, 8]


def test_heuristic_learns_and_greedy_does_not() -> None:
    evidence = {
        "set-vector{width=4}": Evidence(10.0, 8.0),
        "set-vector{width=16}": Evidence(failures=10.0),
    }
    known = situation(evidence=evidence)
    assert chosen("heuristic", known) == [4, 8]
    assert chosen("greedy", known) == [16, 8]


def test_heuristic_explains_itself() -> None:
    (first, _) = make_policy("heuristic").propose(situation(), Random(0))
    assert first.rationale.startswith("expected +0.16 from 2.0 pseudo-outcomes")


@pytest.mark.parametrize(
    ("rule", "left"),
    [
        (Rule("set-vector", "rvv", "width >= 8", "too wide"), [4]),
        (Rule("*", "simd", "width > 4 and lane_util < 0.5", "tails"), [4]),
        (Rule("set-vector{width=16}", "*", "lane_util < 0.5", "tails"), [8, 4]),
        (Rule("set-tile", "*", "width >= 4", "another pass"), [16, 8]),
        (Rule("*", "simt", "width >= 4", "another class"), [16, 8]),
        (Rule("*", "*", "spills > 3", "unknown fact"), [16, 8]),
        (Rule("*", "*", "width == wide", "another kind"), [16, 8]),
    ],
)
def test_rules_filter_before_scoring(rule: Rule, left: list[int]) -> None:
    assert chosen("heuristic", situation((rule,))) == left


def test_an_action_has_no_label() -> None:
    step = "set-tile{kernel=k3 sizes=8,64}"
    assert ActionText.of_step(step).text == "set-tile{sizes=8,64}"
    assert ActionText.of_step("pack-operand{operand=1 kernel=k3_0}").id == (
        "pack-operand{operand=1}"
    )
    assert ActionText.of_step("fold{kernel=k3}", "producer").id == "producer:fold"


def test_a_pipeline_moves_to_another_label() -> None:
    pipeline = "set-tile{kernel=k3 sizes=8},set-unroll{factor=2 kernel=k3}"
    assert relabel(pipeline, "k12") == pipeline.replace("k3", "k12")
