"""Tuning a tiny model: what the table says, what is remembered, what is believed."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import torch

import mbc
from mbc.agent.memory import KnowledgeBase
from mbc.api.tune import Step
from mbc.errors import InvalidInput, ToolMissing, WrongResult
from mbc.runtime import isolation
from mbc.runtime.outcome import (
    Completed,
    EmitOnly,
    Fidelity,
    Measured,
    NotMeasured,
    RunOutcome,
)
from mbc.runtime.resident import ResidentModel
from mbc.runtime.rvv.runner import RvvRunner
from mbc.runtime.toolchain import Missing
from tests.api.conftest import RunnerOn
from tests.api.models import (
    Ignoring,
    Mlp,
    TwoProducts,
    Undefined,
    imported_mlp,
    mlp_inputs,
)

TARGETS = ("rvv", "opencl")
FEW = mbc.Budget(measurements=5)
Tune = Callable[..., mbc.Tuned]


@pytest.fixture(scope="module")
def module() -> mbc.Module:
    return imported_mlp()


@pytest.fixture(params=TARGETS)
def target(request: pytest.FixtureRequest, runner_on: RunnerOn) -> str:
    runner_on(request.param)
    return request.param


@pytest.fixture
def rvv(runner_on: RunnerOn) -> None:
    runner_on("rvv")


def wanted() -> np.ndarray:
    with torch.no_grad():
        return Mlp().eval()(*mlp_inputs()).numpy()


def test_the_table_has_a_row_per_kernel(module: mbc.Module, target: str):
    tuned = mbc.tune(module, target, budget=FEW)
    assert [row.family for row in tuned.rows] == ["contract", "contract"]
    assert [row.recalled for row in tuned.rows] == [0, 0]
    assert tuned.measured == sum(row.measured for row in tuned.rows) <= 5
    assert not tuned.interrupted
    for row in tuned.rows:
        assert row.default > 0
        assert row.tuned > 0
        assert (row.ratio > 1) == (row.verdict == "improved")
        if target == "rvv":  # cycles of a model repeat exactly
            assert row.ratio == pytest.approx(row.default / row.tuned)
        assert row.fidelity == {"rvv": "modelled", "opencl": "hardware"}[target]
        assert row.unit == {"rvv": "cycles", "opencl": "ns"}[target]
        assert row.conditions["checked"] > 0
        assert row.conditions["timer"]
    means = tuned.document()["geometric_mean"]
    assert (means["kernels"], means["not_measured"]) == (2, 0)
    assert means["improved"] == sum(row.verdict == "improved" for row in tuned.rows)


def test_the_tuned_artifact_is_checked_right_and_replays(
    module: mbc.Module, target: str
):
    artifact = mbc.tune(module, target, budget=FEW).artifact
    assert artifact.manifest["provenance"].startswith("checked against the model")
    (found,) = artifact.run(*mlp_inputs())
    np.testing.assert_allclose(found, wanted(), rtol=1e-5, atol=1e-6)
    again = mbc.lower(module, target, pipeline=artifact.pipeline)
    assert again.sources == artifact.sources


def test_a_tuned_model_runs_where_it_is_called(module: mbc.Module, runner_on: RunnerOn):
    runner_on("opencl")
    tuned = mbc.tune(module, "opencl", budget=mbc.Budget(measurements=1))
    assert isinstance(tuned.artifact.resident(), ResidentModel)
    np.testing.assert_allclose(
        tuned(*mlp_inputs()).numpy(), wanted(), rtol=1e-5, atol=1e-6
    )


def test_optimize_takes_a_model(rvv: None):
    tuned = mbc.optimize(
        Mlp().eval(), mlp_inputs(), target="rvv", budget=mbc.Budget(measurements=2)
    )
    (found,) = tuned.artifact.run(*mlp_inputs())
    np.testing.assert_allclose(found, wanted(), rtol=1e-5, atol=1e-6)


def test_a_second_run_starts_from_what_is_known(
    module: mbc.Module, target: str, tmp_path: Path
):
    path = tmp_path / "kb.db"
    mbc.tune(module, target, budget=FEW, knowledge_path=path)
    steps: list[Step] = []
    warm = mbc.tune(
        module, target, budget=FEW, knowledge_path=path, progress=steps.append
    )
    assert all(row.recalled > 0 for row in warm.rows)
    evaluated = [step.progress.outcome for step in steps if step.progress]
    assert evaluated
    assert all(outcome.parent for outcome in evaluated), "a default ran twice"
    with KnowledgeBase(path) as knowledge:
        first = evaluated[0]
        known = knowledge.known(first.kernel, first.target)
        pipelines = [outcome.pipeline for outcome in known]
    assert len(set(pipelines)) == len(pipelines)


def test_without_budget_a_warm_run_recalls_its_choice(
    module: mbc.Module, rvv: None, tmp_path: Path
):
    path = tmp_path / "kb.db"
    cold = mbc.tune(
        module, "rvv", budget=mbc.Budget(measurements=8), knowledge_path=path
    )
    warm = mbc.tune(
        module, "rvv", budget=mbc.Budget(measurements=0), knowledge_path=path
    )
    assert warm.measured == 0
    assert warm.artifact.pipeline == cold.artifact.pipeline
    assert [row.ratio for row in warm.rows] == [row.ratio for row in cold.rows]


def test_interrupting_keeps_the_best(module: mbc.Module, target: str, tmp_path: Path):
    seen: list[Step] = []

    def interrupt(step: Step) -> None:
        seen.append(step)
        if len(seen) == 3:
            raise KeyboardInterrupt

    path = tmp_path / "kb.db"
    tuned = mbc.tune(
        module,
        target,
        budget=mbc.Budget(measurements=50),
        knowledge_path=path,
        progress=interrupt,
    )
    assert tuned.interrupted
    assert tuned.measured == 3
    (found,) = tuned.artifact.run(*mlp_inputs())
    np.testing.assert_allclose(found, wanted(), rtol=1e-5, atol=1e-6)
    with KnowledgeBase(path) as knowledge:
        kept = sum(row["outcomes"] for row in knowledge.overview())
    assert kept == 3


def test_a_missing_tool_is_said_before_anything_runs(
    module: mbc.Module, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(
        RvvRunner, "availability", lambda _: EmitOnly("no clang here", "apt ...")
    )
    with pytest.raises(ToolMissing, match=r"no clang here; install: apt \.\.\."):
        mbc.tune(module, "rvv", budget=FEW)


def off_by_one(outcome: RunOutcome) -> RunOutcome:
    if not isinstance(outcome, Completed):
        return outcome
    return Completed({name: array + 1 for name, array in outcome.outputs.items()})


def test_a_wrong_model_is_never_returned(
    module: mbc.Module, rvv: None, monkeypatch: pytest.MonkeyPatch
):
    """Kernels alone are right; the program of the whole model is not."""
    run = RvvRunner.run

    def wrong(self: RvvRunner, program, inputs) -> RunOutcome:
        outcome = run(self, program, inputs)
        return off_by_one(outcome) if len(program.launches) > 1 else outcome

    monkeypatch.setattr(RvvRunner, "run", wrong)
    with pytest.raises(WrongResult) as raised:
        mbc.tune(module, "rvv", budget=mbc.Budget(measurements=2))
    assert "elements are out of bounds" in raised.value.counterexample


def spoil_models_with_tuned_kernels(
    module: mbc.Module, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whole models are wrong that hold a contraction unlike the default one."""
    code = mbc.lower(module, "rvv").code
    families = {label: kernel.family for label, kernel in code.kernels.items()}
    default = [
        k.source for label, k in code.kernels.items() if families[label] != "nest"
    ]
    run = RvvRunner.run

    def wrong(self: RvvRunner, program, inputs) -> RunOutcome:
        outcome = run(self, program, inputs)
        whole = {launch.function for launch in program.launches} == set(
            code.forward.labels
        )
        same = all(text in program.source for text in default)
        return off_by_one(outcome) if whole and not same else outcome

    monkeypatch.setattr(RvvRunner, "run", wrong)


def test_a_kernel_that_makes_the_model_wrong_goes_back_and_is_remembered(
    module: mbc.Module, rvv: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    spoil_models_with_tuned_kernels(module, monkeypatch)
    path = tmp_path / "kb.db"
    budget = mbc.Budget(measurements=12)
    tuned = mbc.tune(module, "rvv", budget=budget, knowledge_path=path)
    (found,) = tuned.artifact.run(*mlp_inputs())
    np.testing.assert_allclose(found, wanted(), rtol=1e-5, atol=1e-6)
    (note,) = tuned.notes
    assert note.startswith(
        "k4 is back at its default, because the whole model is wrong"
    )
    assert [row.verdict for row in tuned.rows] == ["default", "verify_fail"]
    assert [row.ratio for row in tuned.rows] == [1.0, 1.0]
    assert tuned.ratio == 1.0
    with KnowledgeBase(path) as knowledge:
        assert knowledge.best_of_each() == []
        last = knowledge.outcomes()[-1]
        assert last.verdict == "verify_fail"
        assert knowledge.best(last.kernel, last.target) is None
    warm = mbc.tune(module, "rvv", budget=mbc.Budget(0), knowledge_path=path)
    assert [row.ratio for row in warm.rows] == [1.0, 1.0]


def test_kernels_that_gain_nothing_together_go_back(
    module: mbc.Module, rvv: None, monkeypatch: pytest.MonkeyPatch
):
    """Alone every candidate is faster; on a clock the whole model is slower."""
    single = iter(range(1000))

    def measure(self: RvvRunner, trials, rounds) -> list[Measured]:
        whole = len({launch.function for launch in trials[0].program.launches}) > 1
        first = 200.0 if whole else 90.0 - next(single) / 1000
        times = [first, 100.0][: len(trials)]
        return [
            Measured(t, "ns", Fidelity.HARDWARE, "a clock", (t,) * 11) for t in times
        ]

    monkeypatch.setattr(RvvRunner, "measure", measure)
    tuned = mbc.tune(module, "rvv", budget=mbc.Budget(measurements=4))
    assert "improved" in [row.verdict for row in tuned.rows]
    assert tuned.artifact.sources == mbc.lower(module, "rvv").sources
    assert tuned.ratio == 1.0
    assert tuned.reverted
    means = tuned.document()["geometric_mean"]
    assert (means["all"], means["improved"]) == (1.0, 0)
    assert tuned.notes == [
        "all kernels are back at their defaults: together they gained nothing"
    ]
    assert tuned.report.conclusion == "regressed"


def test_a_whole_model_is_reported_with_checks_seconds_and_isolation(
    module: mbc.Module, target: str
):
    report = mbc.tune(module, target, budget=FEW).report
    document = json.loads(report.to_json())
    first = document["gates"][0]
    assert (first["gate"], first["result"]) == ("G3", "passed")
    assert first["checks"] > 0
    assert first["seconds"] > 0
    assert document["isolation"] in ("namespaces", "limits")


@pytest.mark.parametrize(
    ("model", "words"),
    [(Ignoring, "no result depends on input 'y'"), (Undefined, "itself makes NaN")],
)
def test_a_model_that_cannot_be_judged_is_refused_before_anything_runs(
    target: str, model: type[torch.nn.Module], words: str
):
    inputs = [torch.ones(6), torch.ones(6)]
    module = mbc.import_model(model().eval(), inputs)
    with pytest.raises(InvalidInput, match=words):
        mbc.tune(module, target, budget=FEW)


def test_a_sandbox_can_be_required(
    module: mbc.Module, target: str, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(isolation, "find_bwrap", lambda: Missing("no bwrap", ""))
    with pytest.raises(ToolMissing, match="no sandbox: no bwrap"):
        mbc.tune(module, target, budget=FEW, require_sandbox=True)


def test_a_wrong_candidate_is_never_the_best(
    module: mbc.Module, rvv: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    run = RvvRunner.run
    default: dict[str, str] = {}

    def wrong(self: RvvRunner, program, inputs) -> RunOutcome:
        """Right only for the first source that every kernel was run with."""
        outcome = run(self, program, inputs)
        if len(program.launches) > 1:
            return outcome
        key = str([buffer.shape for buffer in program.outputs])
        same = default.setdefault(key, program.source) == program.source
        return outcome if same else off_by_one(outcome)

    monkeypatch.setattr(RvvRunner, "run", wrong)
    path = tmp_path / "kb.db"
    budget = mbc.Budget(measurements=6)
    tuned = mbc.tune(module, "rvv", budget=budget, knowledge_path=path)
    assert [row.ratio for row in tuned.rows] == [1.0, 1.0]
    assert [row.verdict for row in tuned.rows] == ["default", "default"]
    assert verdicts(path) == {"no_improvement", "verify_fail"}


def verdicts(path: Path) -> set[str]:
    with KnowledgeBase(path) as knowledge:
        return {outcome.verdict for outcome in knowledge.outcomes()}


def test_what_was_not_measured_is_never_the_best(
    module: mbc.Module, rvv: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    """The clock fails on every candidate that is not timed by itself."""
    measure = RvvRunner.measure

    def failing(self: RvvRunner, trials, rounds):
        found = measure(self, trials, rounds)
        if len(trials) == 1:
            return found
        return [NotMeasured("the clock stopped"), *found[1:]]

    monkeypatch.setattr(RvvRunner, "measure", failing)
    tuned = mbc.tune(module, "rvv", budget=FEW)
    assert [row.ratio for row in tuned.rows] == [1.0, 1.0]
    assert tuned.measured == 5
    plain = mbc.lower(module, "rvv")
    np.testing.assert_array_equal(
        tuned.artifact.run(*mlp_inputs()), plain.run(*mlp_inputs())
    )


def no_clock(self: RvvRunner, trials, rounds) -> list[NotMeasured]:
    return [NotMeasured("no clock")] * len(trials)


def test_a_clock_that_never_works_is_reported(
    module: mbc.Module, rvv: None, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(RvvRunner, "measure", no_clock)
    tuned = mbc.tune(module, "rvv", budget=FEW)
    assert [row.fidelity for row in tuned.rows] == ["none", "none"]
    assert all(row.unit == "" for row in tuned.rows)
    assert all("no clock" in row.verdict for row in tuned.rows)


def test_a_default_that_could_not_be_timed_is_tried_again(
    module: mbc.Module, rvv: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    path = tmp_path / "kb.db"
    budget = mbc.Budget(measurements=2)
    with monkeypatch.context() as broken:
        broken.setattr(RvvRunner, "measure", no_clock)
        mbc.tune(module, "rvv", budget=budget, knowledge_path=path)
    tuned = mbc.tune(module, "rvv", budget=budget, knowledge_path=path)
    assert [row.fidelity for row in tuned.rows] == ["modelled", "modelled"]


def test_products_with_a_parameter_and_with_an_input_are_timed_apart(
    rvv: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    """Packing a parameter is not timed, packing an input is."""
    inputs = [torch.randn(32, 32), torch.randn(32, 32)]
    module = mbc.import_model(TwoProducts().eval(), inputs)
    timed: list[float] = []

    def measure(self: RvvRunner, trials, rounds) -> list[Measured]:
        timed.append(100.0 + len(timed))
        number = Measured(timed[-1], "cycles", Fidelity.MODELLED, "counter")
        return [number] * len(trials)

    monkeypatch.setattr(RvvRunner, "measure", measure)
    path, two = tmp_path / "kb.db", mbc.Budget(measurements=2)
    tuned = mbc.tune(module, "rvv", budget=two, knowledge_path=path)
    assert [row.default for row in tuned.rows] == timed == [100.0, 101.0]
    warm = mbc.tune(module, "rvv", budget=mbc.Budget(0), knowledge_path=path)
    assert [row.default for row in warm.rows] == timed
