"""G3 and G4: models that are right, wrong or beyond judging; gains that are proven."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from xdsl.dialects.builtin import ModuleOp

from mbc.api.module import argument_names
from mbc.codegen.model import ModelCode, emit_model
from mbc.codegen.targets import target_named
from mbc.ir.attributes import TARGET
from mbc.ir.context import new_context
from mbc.ir.execute import function_named
from mbc.passes.pipeline import parse, run
from mbc.runtime.gates.performance import Pair, check_performance
from mbc.runtime.gates.report import Passed, Rejected, Skipped
from mbc.runtime.gates.whole_model import (
    DRAWS,
    Meaning,
    WholeModel,
    check_whole_model,
    culprits,
)
from mbc.runtime.inputs import random_arguments
from mbc.runtime.outcome import Completed, Failed, Fidelity, Measured, NotMeasured
from mbc.runtime.runner import Runner
from tests.ir.samples import module_of
from tests.passes.programs import mlp
from tests.runtime.gates.kernels import KERNELS


def code_of(op: ModuleOp, target: str) -> ModelCode:
    chosen = target_named(target)
    lowered = op.clone()
    lowered.attributes[TARGET] = chosen.attribute()
    run(new_context(), lowered, parse(chosen.pipeline))
    return emit_model(lowered)


def meaning(op: ModuleOp) -> Meaning:
    function = function_named(op, "forward")
    named = argument_names(function)
    drawn = random_arguments(function.body.block, 7)
    parameters = {
        name: array
        for (kind, name), array in zip(named, drawn, strict=True)
        if kind == "parameter"
    }
    return Meaning(op, tuple(name for _, name in named), parameters)


def wrong_at(place: int, runner: Runner, monkeypatch: pytest.MonkeyPatch) -> None:
    """One element of call number `place` is not what it should be."""
    honest, calls = runner.run, iter(range(100))

    def changed(program, inputs):
        outcome = honest(program, inputs)
        assert isinstance(outcome, Completed)
        if next(calls) == place:
            array = next(iter(outcome.outputs.values()))
            np.asarray(array).flat[0] += 1
        return outcome

    monkeypatch.setattr(type(runner), "run", lambda _, p, i: changed(p, i))


def test_a_right_model_passes_on_several_draws(target: str, runner: Runner):
    op = mlp()
    result = check_whole_model(WholeModel(meaning(op), code_of(op, target)), runner)
    assert isinstance(result, Passed)
    assert result.detail["draws"] == DRAWS
    assert result.checks % DRAWS == 0
    assert result.seconds > 0


@pytest.mark.parametrize("place", range(DRAWS))
def test_one_wrong_element_on_any_draw_is_named(
    target: str, runner: Runner, place: int, monkeypatch: pytest.MonkeyPatch
):
    op = module_of(*KERNELS["rowwise"])
    model = WholeModel(meaning(op), code_of(op, target))
    wrong_at(place, runner, monkeypatch)
    result = check_whole_model(model, runner)
    assert isinstance(result, Rejected)
    assert (result.verdict, result.rule) == ("verify_fail", "bound")
    assert f"on draw {place} of the inputs" in result.reason


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("ignoring", "no result depends on input 'a1'"),
        ("nan", "the model itself makes NaN of finite inputs"),
    ],
)
def test_what_cannot_be_judged_is_refused(
    target: str, runner: Runner, name: str, words: str
):
    op = module_of(*KERNELS[name])
    result = check_whole_model(WholeModel(meaning(op), code_of(op, target)), runner)
    assert isinstance(result, Rejected)
    assert (result.verdict, result.reason) == ("refused", words)


def test_a_logarithm_is_judged_on_positive_inputs(target: str, runner: Runner):
    op = module_of(*KERNELS["log"])
    result = check_whole_model(WholeModel(meaning(op), code_of(op, target)), runner)
    assert isinstance(result, Passed)


@pytest.mark.parametrize(
    ("kind", "verdict"), [("crash", "verify_fail"), ("blocked", "blocked")]
)
def test_a_model_that_does_not_run_is_rejected_as_what_it_is(
    target: str, runner: Runner, kind, verdict, monkeypatch: pytest.MonkeyPatch
):
    op = module_of(*KERNELS["map"])
    model = WholeModel(meaning(op), code_of(op, target))
    monkeypatch.setattr(type(runner), "run", lambda *_: Failed(kind, "it did not run"))
    result = check_whole_model(model, runner)
    assert isinstance(result, Rejected)
    assert (result.verdict, result.reason) == (verdict, "it did not run")


@pytest.mark.parametrize("wrong", [[], ["b"], ["a", "e"], ["a", "b", "c", "d", "e"]])
def test_culprits_are_found(wrong: list[str]):
    asked: list[Sequence[str]] = []

    def passes(labels: Sequence[str]) -> bool:
        asked.append(list(labels))
        return not set(labels) & set(wrong)

    assert sorted(culprits("abcde", passes)) == wrong
    assert len(asked) <= 1 + 4 * len(wrong)


def test_kernels_that_are_wrong_only_together_lose_one():
    found = culprits("abcd", lambda labels: not {"b", "d"} <= set(labels))
    assert found == ["d"]


def cycles(value: float, fidelity: Fidelity = Fidelity.MODELLED) -> Measured:
    return Measured(value, "cycles", fidelity, "a model")


def rounds(*samples: float) -> Measured:
    middle = sorted(samples)[len(samples) // 2]
    return Measured(middle, "ns", Fidelity.HARDWARE, "a device", samples)


def test_speed_is_a_gate():
    gained = check_performance(Pair(cycles(100), cycles(131)))
    assert isinstance(gained, Passed)
    assert gained.checks == 1
    assert gained.detail["ratio"] == pytest.approx(1.31)
    for reference, verdict in ((102, "no_improvement"), (80, "regressed")):
        slow = check_performance(Pair(cycles(100), cycles(reference)))
        assert isinstance(slow, Rejected)
        assert slow.verdict == verdict
        assert slow.reason == f"the reference takes {reference / 100:.2f} times as long"


def test_a_median_is_no_proof():
    """The ratio of medians says 1.2; pair by pair there is no telling."""
    candidate = rounds(100, 100, 100, 180, 190, 100, 170)
    reference = rounds(120, 90, 120, 120, 90, 125, 130)
    result = check_performance(Pair(candidate, reference))
    assert isinstance(result, Rejected)
    assert result.verdict == "inconclusive"
    assert "[" in result.reason


def test_what_was_not_measured_is_no_gain():
    nothing = NotMeasured("no clock")
    for pair in (
        Pair(nothing, cycles(1)),
        Pair(cycles(1), nothing),
        Pair(cycles(1), cycles(2, Fidelity.COUNTED)),
    ):
        assert isinstance(check_performance(pair), Skipped)


def test_a_timed_call_that_lied_is_wrong_and_not_slow():
    lied = NotMeasured("skipped call in 3 of 30 timed calls", "skipped call")
    result = check_performance(Pair(lied, cycles(1)))
    assert isinstance(result, Rejected)
    assert (result.rule, result.verdict) == ("skipped call", "verify_fail")
