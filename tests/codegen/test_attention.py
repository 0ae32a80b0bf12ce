"""attention on every target: odd extents, every mask, every value of every knob."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import pytest

from mbc.codegen.emitters import emitter
from mbc.codegen.families import default_schedule, family_named, match_kernel
from mbc.codegen.program import KernelCode
from mbc.codegen.targets import Target, target_named
from mbc.ir.kernel import KernelOp
from mbc.ir.types import Array
from mbc.runtime.bound import Agreement, compare, expected_results
from mbc.runtime.outcome import Completed, EmitOnly
from mbc.runtime.runner import Runner, runner_for
from tests.codegen.attention_kernels import ODD, SWEPT, Case, knob_cases, special
from tests.codegen.nest_programs import program_of

TARGETS = {
    "rvv": target_named("rvv"),
    "opencl-cpu": target_named("opencl", {"style": "cpu"}),
}
Draw = Callable[[Case, int], list[Array]]


@pytest.fixture(scope="module", params=TARGETS)
def target(request: pytest.FixtureRequest) -> Target:
    return TARGETS[request.param]


@pytest.fixture(scope="module")
def runner(target: Target) -> Iterator[Runner]:
    found = runner_for(target.name)
    available = found.availability()
    if isinstance(available, EmitOnly):
        pytest.skip(f"{available.reason}; install: {available.install}")
    yield found
    found.close()


def emitted(case: Case, label: str, target: Target) -> tuple[KernelOp, KernelCode]:
    kernel = case.kernel(label)
    match = match_kernel(kernel, target)
    assert match.family == "attention"
    schedule = {**default_schedule(match, target), **case.schedule}
    return kernel, emitter(target, "attention")(match, schedule, target)


def legal(cases: Sequence[Case], target: Target) -> list[Case]:
    found = family_named("attention")

    def refusal(case: Case) -> str:
        match = match_kernel(case.kernel("k"), target)
        schedule = {**default_schedule(match, target), **case.schedule}
        return found.refusal(match, target, schedule)

    return [case for case in cases if not refusal(case)]


def check(
    runner: Runner, target: Target, cases: Sequence[Case], draw: Draw = Case.arguments
) -> None:
    """One program of all cases, each within the bound of its kernel."""
    emissions = [emitted(case, f"k{i}", target) for i, case in enumerate(cases)]
    arrays = [draw(case, i) for i, case in enumerate(cases)]
    named = {
        f"k{i}_a{j}": array
        for i, given in enumerate(arrays)
        for j, array in enumerate(given)
    }
    outcome = runner.run(program_of([code for _, code in emissions], target), named)
    assert isinstance(outcome, Completed), outcome
    for i, (case, (kernel, _)) in enumerate(zip(cases, emissions, strict=True)):
        found = [outcome.outputs[f"k{i}_r0"]]
        verdict = compare(expected_results(kernel, arrays[i]), found)
        assert isinstance(verdict, Agreement), (case, verdict)


def test_odd_extents(runner: Runner, target: Target) -> None:
    check(runner, target, ODD)


def test_every_knob_value(runner: Runner, target: Target) -> None:
    match = match_kernel(SWEPT.kernel("k"), target)
    space = family_named("attention").space(match, target)
    check(runner, target, legal(knob_cases(space), target))


def test_special_values(runner: Runner, target: Target) -> None:
    """NaN and infinities go where the reference has them, masked or not."""
    plain = Case((2, 2, 2, 9, 13, 4, 5))
    causal = Case((2, 2, 2, 9, 13, 4, 5), causal=True)
    masked = Case((2, 2, 2, 9, 13, 4, 5), mask=(1, 1, 9, 13), boolean=True)
    check(runner, target, [plain, causal, masked], special)
