"""One kernel and its schedules: what is legal, what is right, what is not believed."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from dataclasses import dataclass, field, replace

import numpy as np
import pytest
from xdsl.dialects.builtin import ModuleOp

from mbc.agent.environment import (
    KNOBS,
    KernelEnvironment,
    kernel_module,
    name_of,
    steps_of,
)
from mbc.agent.evaluation import Evaluated, Passed, Rejected
from mbc.codegen.program import Program
from mbc.codegen.targets import target_named
from mbc.ir.attributes import TARGET
from mbc.ir.context import new_context
from mbc.ir.kernel import kernels
from mbc.ir.ops.contract import ContractOp
from mbc.passes.pipeline import parse, run
from mbc.runtime.outcome import (
    Availability,
    Available,
    Completed,
    EmitOnly,
    Failed,
    Fidelity,
    Measured,
    Measurement,
    NotMeasured,
    RunOutcome,
)
from mbc.runtime.runner import runner_for
from mbc.runtime.rvv.runner import RvvRunner
from tests.ir.samples import floats, module_of
from tests.passes.programs import mlp, softmax_by_hand

TARGETS = ("rvv", "opencl", "cuda")
PROGRAMS: dict[str, Callable[[], ModuleOp]] = {
    "contract": mlp,
    "rowwise": softmax_by_hand,
}
CASES = list(itertools.product(TARGETS, PROGRAMS))


@dataclass
class Scripted:
    """A runner in this process that answers as it was told."""

    answer: RunOutcome | None = None
    ran: list[Program] = field(default_factory=list)

    def availability(self) -> Availability:
        return Available("toy")

    def device(self) -> str:
        return "toy"

    def run(self, program: Program, inputs) -> RunOutcome:
        self.ran.append(program)
        if self.answer is not None:
            return self.answer
        zeros = {b.name: np.zeros(b.shape, np.float32) for b in program.outputs}
        return Completed(zeros)

    def compile_check(self, program: Program) -> RunOutcome:
        return Completed({})

    def measure(self, trials, rounds: int) -> list[Measurement]:
        return [Measured(100.0, "cycles", Fidelity.MODELLED, "toy")] * len(trials)

    def close(self) -> None: ...


def environment_of(target: str, family: str, runner=None) -> KernelEnvironment:
    """The first kernel of `family` in the program of that name."""
    chosen = target_named(target)
    module = PROGRAMS[family]()
    module.attributes[TARGET] = chosen.attribute()
    run(new_context(), module, parse(chosen.model_pipeline))
    kernel = next(k for k in kernels(module) if len(k.ins) > 1)
    marked = [1] if family == "contract" else []
    runner = runner or Scripted()
    found = KernelEnvironment(kernel_module(kernel, marked), chosen, runner, "tools 1")
    assert found.kernel.family == family
    return found


@pytest.fixture(scope="module")
def rvv() -> KernelEnvironment:
    runner = runner_for("rvv")
    available = runner.availability()
    if isinstance(available, EmitOnly):
        pytest.skip(f"{available.reason}; install: {available.install}")
    return environment_of("rvv", "contract", runner)


def evaluate(environment: KernelEnvironment, pipeline: str) -> Evaluated:
    (found,) = environment.evaluate([pipeline], environment.default())
    return found


def scores() -> ModuleOp:
    """Queries and keys, both inputs and both contiguous along what is summed."""
    return module_of(
        floats((2, 24, 16), (2, 40, 16)),
        lambda q, k: ContractOp.einsum("bqd,bkd->bqk", q, k).result,
    )


def test_the_layout_of_an_input_is_chosen_and_its_move_counted():
    """On paper the move alone makes it slower; what it saves is to be measured."""
    chosen, runner = target_named("rvv"), runner_for("rvv")
    available = runner.availability()
    if isinstance(available, EmitOnly):
        pytest.skip(f"{available.reason}; install: {available.install}")
    module = scores()
    module.attributes[TARGET] = chosen.attribute()
    run(new_context(), module, parse("form-kernels"))
    (kernel,) = kernels(module)
    environment = KernelEnvironment(kernel_module(kernel, []), chosen, runner, "tools")
    actions = environment.legal_actions(environment.default())
    turned = "choose-layout{kernel=k0 operand=1 order=0,2,1}"
    (action,) = [a for a in actions if a.pipeline == turned]
    assert action.prior.mean < 0
    found = evaluate(environment, turned)
    runner.close()
    assert isinstance(found, Passed)


def test_parts_of_a_long_sum_are_an_action_on_gpus():
    module = module_of(
        floats((8, 1024), (1024, 8)),
        lambda a, b: ContractOp.einsum("mk,kn->mn", a, b).result,
    )
    chosen = target_named("cuda")
    module.attributes[TARGET] = chosen.attribute()
    run(new_context(), module, parse("form-kernels"))
    (kernel,) = kernels(module)
    environment = KernelEnvironment(kernel_module(kernel, []), chosen, Scripted(), "t")
    texts = {a.action.text for a in environment.legal_actions(environment.default())}
    wanted = {f"split-reduction{{parts={parts}}}" for parts in (2, 4, 8)}
    assert wanted | {"set-stages{count=1}"} <= texts


def rejection(environment: KernelEnvironment, pipeline: str) -> Rejected:
    found = evaluate(environment, pipeline)
    assert isinstance(found, Rejected)
    assert found.reason
    return found


def test_a_kernel_with_parameters_is_another_one():
    marked = environment_of("rvv", "contract")
    module = marked.module.clone()
    (kernel,) = kernels(module)
    plain = KernelEnvironment(
        kernel_module(kernel, []), marked.compiled_for, Scripted(), "tools 1"
    )
    assert plain.kernel.family == marked.kernel.family
    assert plain.kernel.fingerprint != marked.kernel.fingerprint


@pytest.mark.parametrize(("target", "family"), CASES)
def test_actions_address_the_kernel_itself(target: str, family: str):
    environment = environment_of(target, family)
    actions = environment.legal_actions(environment.default())
    assert actions
    for action in actions:
        for step in parse(action.pipeline):
            assert step.kernel == environment.label  # type: ignore[attr-defined]


@pytest.mark.parametrize(("target", "family"), CASES)
def test_actions_lead_to_different_schedules_of_one_spelling(target: str, family: str):
    environment = environment_of(target, family)
    default = environment.default()
    pipelines = [one.pipeline for one in environment.legal_actions(default)]
    assert len(set(pipelines)) == len(pipelines)
    assert default not in pipelines
    for pipeline in pipelines:
        names = [name_of(step) for step in steps_of(pipeline)]
        assert names == [knob for knob in KNOBS if knob in names]


@pytest.mark.parametrize(("target", "family"), CASES)
def test_an_action_changes_one_step(target: str, family: str):
    environment = environment_of(target, family)
    before = set(steps_of(environment.default()))
    for action in environment.legal_actions(environment.default()):
        added = set(steps_of(action.pipeline)) - before
        assert len(added) == 1
        assert action.action.text.split("{")[0] == name_of(*added)
        assert "kernel=" not in action.action.text


@pytest.mark.parametrize(("target", "family"), CASES)
def test_predictions_are_finite_and_tell_schedules_apart(target: str, family: str):
    environment = environment_of(target, family)
    actions = environment.legal_actions(environment.default())
    means = [action.prior.mean for action in actions]
    assert all(map(math.isfinite, means))
    assert all(action.prior.sd > 0 for action in actions)


@pytest.mark.parametrize(("target", "family"), CASES)
def test_what_is_legal_is_never_refused(target: str, family: str):
    """Two steps deep, so that each knob meets the others."""
    environment = environment_of(target, family)
    first = environment.legal_actions(environment.default())
    second = environment.legal_actions(first[len(first) // 2].pipeline)
    for action in (*first, *second):
        found = evaluate(environment, action.pipeline)
        assert not (isinstance(found, Rejected) and found.verdict == "refused"), found


def test_a_tile_that_only_packing_admits_leaves_packing_a_choice():
    environment = environment_of("opencl", "contract")
    label = environment.label
    packed = f"pack-operand{{kernel={label} operand=1 tile=16}}"
    pipeline = f"{packed},set-tile{{kernel={label} sizes=12,1}}"
    found = {action.pipeline for action in environment.legal_actions(pipeline)}
    assert pipeline.replace("tile=16", "tile=32") in found


def test_a_remembered_pipeline_that_is_refused_by_now_leads_nowhere():
    environment = environment_of("rvv", "contract")
    stale = f"set-tile{{kernel={environment.label} sizes=99}}"
    assert environment.legal_actions(stale) == []


def test_a_refused_combination_is_refused_with_its_reason():
    environment = environment_of("rvv", "contract")
    label = environment.label
    tile = f"set-tile{{kernel={label} sizes=5}}"
    wide = f"{tile},set-vector{{kernel={label} width=8}}"
    found = rejection(environment, wide)
    assert found.verdict == "refused"
    assert "over 32 registers" in found.reason


def test_a_refused_candidate_never_runs():
    runner = Scripted()
    environment = environment_of("rvv", "contract", runner)
    evaluate(environment, f"set-tile{{kernel={environment.label} sizes=3}}")
    before = len(runner.ran)
    rejection(environment, f"set-tile{{kernel={environment.label} sizes=99}}")
    assert len(runner.ran) == before


def test_wrong_results_are_a_failed_check():
    environment = environment_of("rvv", "rowwise", Scripted())
    found = rejection(environment, environment.default())
    assert found.verdict == "verify_fail"
    assert "out of bounds" in found.reason


FAILURES = {
    "compile_fail": "compile_fail",
    "crash": "verify_fail",
    "timeout": "timeout",
    "blocked": "blocked",
}


@pytest.mark.parametrize("kind", FAILURES)
def test_what_fails_to_run_is_rejected_as_what_it_is(kind):
    runner = Scripted(Failed(kind, "it did not work"))
    environment = environment_of("rvv", "rowwise", runner)
    found = rejection(environment, environment.default())
    assert found == Rejected(FAILURES[kind], "it did not work")


def test_a_candidate_beside_a_failed_reference_is_blocked(rvv: KernelEnvironment):
    environment = replace(rvv)
    broken = f"set-tile{{kernel={rvv.label} sizes=99}}"
    (found,) = environment.evaluate([rvv.default()], broken)
    assert isinstance(found, Rejected)
    assert found.verdict == "blocked"


def test_a_right_candidate_is_measured_beside_its_reference(rvv: KernelEnvironment):
    tile = f"set-tile{{kernel={rvv.label} sizes=2}}"
    found = evaluate(rvv, f"{rvv.default()},{tile}")
    assert isinstance(found, Passed)
    for measured in (found.measurement, found.reference):
        assert isinstance(measured, Measured)
        assert measured.fidelity == Fidelity.MODELLED
        assert measured.value > 0
    assert found.measurement != found.reference


def test_what_was_not_measured_stays_not_measured(
    rvv: KernelEnvironment, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(
        RvvRunner,
        "measure",
        lambda self, trials, rounds: [NotMeasured("no clock")] * len(trials),
    )
    found = evaluate(rvv, rvv.default())
    assert isinstance(found, Passed)
    assert found.measurement == NotMeasured("no clock")


def test_a_timed_call_that_lied_is_a_failed_check(
    rvv: KernelEnvironment, monkeypatch: pytest.MonkeyPatch
):
    lie = NotMeasured("result cache in 3 of 30 timed calls", "result cache")
    monkeypatch.setattr(
        RvvRunner, "measure", lambda self, trials, rounds: [lie] * len(trials)
    )
    assert rejection(rvv, rvv.default()) == Rejected("verify_fail", lie.reason)


def test_every_case_of_a_trial_knows_its_own_results(rvv: KernelEnvironment):
    """What is right for one set of inputs is wrong for the next."""
    built = rvv._candidate(rvv.default())
    assert not isinstance(built, Rejected)
    outputs = []
    for case in built.trial.cases:
        outcome = rvv.runner.run(built.trial.program, case.inputs)
        assert isinstance(outcome, Completed)
        outputs.append(outcome.outputs)
    for i, case in enumerate(built.trial.cases):
        for j, found in enumerate(outputs):
            assert (case.accepts(found) == "") == (i == j)


@pytest.mark.parametrize(
    ("old", "new", "verdict"),
    [
        ("__riscv_vfmacc", "__riscv_vfmsac", "verify_fail"),
        ("__riscv_vfmacc", "__riscv_no_such_name", "compile_fail"),
    ],
)
def test_source_that_is_wrong_is_never_measured(
    rvv: KernelEnvironment, tmp_path, old: str, new: str, verdict: str
):
    """The emitted text with one intrinsic exchanged, in place of the emitted text."""
    text = kernel_text(rvv)
    assert old in text
    (tmp_path / "wrong.c").write_text(text.replace(old, new))
    source = f'use-source{{kernel={rvv.label} file="{tmp_path}/wrong.c"}}'
    module = rvv.module.clone()
    run(new_context(), module, parse(source))
    environment = KernelEnvironment(module, rvv.compiled_for, rvv.runner, "tools 1")
    environment._cases = rvv._cases
    assert rejection(environment, rvv.default()).verdict == verdict


def test_source_that_is_right_passes(rvv: KernelEnvironment, tmp_path):
    (tmp_path / "same.c").write_text(kernel_text(rvv))
    source = f'use-source{{kernel={rvv.label} file="{tmp_path}/same.c"}}'
    module = rvv.module.clone()
    run(new_context(), module, parse(source))
    environment = KernelEnvironment(module, rvv.compiled_for, rvv.runner, "tools 1")
    assert isinstance(evaluate(environment, rvv.default()), Passed)


def kernel_text(environment: KernelEnvironment) -> str:
    from mbc.codegen.model import emit_model

    module = environment.module.clone()
    final = environment.compiled_for.final_pipeline
    run(new_context(), module, parse(f"{environment.default()},{final}"))
    return emit_model(module).kernels[environment.label].source
