"""Kernels of one family in every style, each under many schedules, as one program."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import pytest
from xdsl.dialects.builtin import ModuleOp

from mbc.codegen.emitters import emitter
from mbc.codegen.families import family_named, match_kernel
from mbc.codegen.program import KernelCode
from mbc.codegen.targets import Target, target_named
from mbc.ir.attributes import TARGET, Entry
from mbc.ir.context import new_context
from mbc.ir.execute import execute
from mbc.ir.kernel import KernelOp, kernels
from mbc.ir.types import Array
from mbc.passes.pipeline import parse, run
from mbc.runtime.bound import Agreement, compare, expected_results
from mbc.runtime.cuda.emulation import EmulatedCudaRunner
from mbc.runtime.inputs import random_arguments
from mbc.runtime.outcome import Completed, EmitOnly
from mbc.runtime.runner import Runner, runner_for
from tests.codegen.nest_programs import program_of

FUSED = "form-kernels,fuse-elementwise,fuse-prologue,fuse-epilogue"

STYLES: Mapping[str, tuple[str, Mapping[str, Entry]]] = {
    "rvv": ("rvv", {}),
    "opencl-cpu": ("opencl", {"style": "cpu"}),
    "opencl-gpu": ("opencl", {"style": "gpu"}),
    "cuda": ("cuda", {}),
}

Change = Callable[[Array], None]


@dataclass(frozen=True)
class Case:
    """A program that fuses into one kernel; `changes` are made to random operands."""

    name: str
    module: Callable[[], ModuleOp]
    changes: Sequence[Change] = ()
    schedules: str = "default"
    """"default", or "each" for every value of every knob."""


@dataclass
class Emitted:
    case: Case
    kernel: KernelOp
    code: KernelCode
    arrays: list[Array] = field(default_factory=list[Array])


def style_target(style: str) -> Target:
    name, options = STYLES[style]
    return target_named(name, options)


def style_runner(style: str) -> Runner:
    """A runner of the style; skips where there is none. CUDA is emulated."""
    name, _ = STYLES[style]
    found = EmulatedCudaRunner() if name == "cuda" else runner_for(name)
    available = found.availability()
    if isinstance(available, EmitOnly):
        pytest.skip(f"{available.reason}; install: {available.install}")
    return found


def fused_kernel(case: Case, target: Target) -> KernelOp:
    module = case.module()
    module.attributes[TARGET] = target.attribute()
    run(new_context(), module, parse(FUSED))
    found = list(kernels(module))
    assert len(found) == 1, f"{case.name}: {len(found)} kernels"
    return found[0]


def emitted(cases: Sequence[Case], family: str, target: Target) -> list[Emitted]:
    """Every case under its schedules, in order, labelled k0, k1, ..."""
    found: list[Emitted] = []
    for case in cases:
        kernel = fused_kernel(case, target)
        match = match_kernel(kernel, target)
        assert match.family == family, f"{case.name} is {match.family}"
        for schedule in _schedules(case, kernel, target):
            clone = kernel.clone()
            clone.properties["label"] = type(kernel.label)(f"k{len(found)}")
            match = match_kernel(clone, target)
            code = emitter(target, family)(match, schedule, target)
            found.append(Emitted(case, kernel, code, _arrays(case, kernel)))
    return found


def _schedules(
    case: Case, kernel: KernelOp, target: Target
) -> Iterator[dict[str, Entry]]:
    match = match_kernel(kernel, target)
    family = family_named(match.family)
    space = family.space(match, target)
    default = {knob: values[0] for knob, values in space.items()}
    yield default
    if case.schedules == "default":
        return
    for knob, values in space.items():
        for value in values[1:]:
            chosen = {**default, knob: value}
            if not family.refusal(match, target, chosen):
                yield chosen


def _arrays(case: Case, kernel: KernelOp) -> list[Array]:
    arrays = [np.asarray(a) for a in random_arguments(kernel.block, seed=3)]
    for change in case.changes:
        change(arrays[0])
    return arrays


def check(runner: Runner, target: Target, found: Sequence[Emitted]) -> None:
    """One program of all of them, each within the bound of its case.

    Indices are compared exactly: the bound does not judge those that ties decide.
    """
    inputs = {
        f"{e.code.label}_{buffer.name}": array
        for e in found
        for buffer, array in zip(e.code.operands, e.arrays, strict=True)
    }
    outcome = runner.run(program_of([e.code for e in found], target), inputs)
    assert isinstance(outcome, Completed), outcome
    for e in found:
        got = [outcome.outputs[f"{e.code.label}_{b.name}"] for b in e.code.results]
        verdict = compare(expected_results(e.kernel, e.arrays), got)
        assert isinstance(verdict, Agreement), (e.case.name, e.code.schedule, verdict)
        for found_here, wanted in zip(got, execute(e.kernel, e.arrays), strict=True):
            if wanted.dtype.kind in "ib":
                np.testing.assert_array_equal(found_here, wanted, e.case.name)


def check_cases(style: str, family: str, cases: Sequence[Case]) -> None:
    runner, target = style_runner(style), style_target(style)
    try:
        check(runner, target, emitted(cases, family, target))
    finally:
        runner.close()
