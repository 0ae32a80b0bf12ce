"""The matrix unit: what has no rest, accuracy, and copies that nobody awaits."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from xdsl.dialects.builtin import f16

from mbc.codegen.program import Program
from mbc.runtime.bound import Agreement, compare, expected_results
from mbc.runtime.cuda.emulation import EmulatedCudaRunner
from mbc.runtime.gates.candidate import Candidate
from mbc.runtime.gates.report import Passed
from mbc.runtime.gates.text import check_text
from mbc.runtime.outcome import Completed
from mbc.runtime.runner import Arrays
from tests.codegen.convolutions import conv
from tests.codegen.cuda.kernels import linear, matrix_samples, product, product_of
from tests.codegen.cuda.samples import (
    CUDA,
    Sample,
    disagreements,
    inputs_of,
    program_of,
    references,
    sample,
)

SMALL = {"tile": (32, 32, 16), "parallel": (8, 8), "matrix": 3}
SPECIAL = (np.inf, -np.inf, np.nan, 3.4e38, 1e-41)


def judged(emulated: EmulatedCudaRunner, samples: list[Sample], inputs: Arrays) -> None:
    outcome = emulated.run(program_of(samples), inputs)
    assert isinstance(outcome, Completed)
    for s in samples:
        count = len(s.kernel.block.args)
        arguments = [inputs[f"{s.name}_a{i}"] for i in range(count)]
        expected = expected_results(s.kernel, arguments)
        verdict = compare(expected, [outcome.outputs[f"{s.name}_r0"]])
        assert isinstance(verdict, Agreement), (s.name, verdict)


def test_special_values_reach_their_results(emulated: EmulatedCudaRunner) -> None:
    samples = [
        product(f"of{i}", "mk,kn->mn", (18, 20), (20, 20), **SMALL)
        for i in range(len(SPECIAL))
    ]
    samples.append(sample("odd", [(18, 21), (19, 21), (19,)], linear, **SMALL))
    samples.append(
        product("parts", "mk,kn->mn", (18, 300), (300, 20), **SMALL, split=2)
    )
    inputs = inputs_of(samples)
    for i, value in enumerate(SPECIAL):
        inputs[f"of{i}_a{i % 2}"][9, 7] = value
        inputs[f"of{i}_a{1 - i % 2}"] /= 8
    inputs["odd_a0"][3, 4] = np.inf
    inputs["parts_a1"][299, 5] = -np.inf
    judged(emulated, samples, inputs)


def test_long_sums_keep_the_accuracy_of_f32(emulated: EmulatedCudaRunner) -> None:
    """The unit rounds towards zero, which a sum in it would show."""
    samples = [product("summed", "mk,nk->mn", (16, 4096), (16, 4096), **SMALL, split=1)]
    inputs = {name: np.abs(array) for name, array in inputs_of(samples).items()}
    outcome = emulated.run(program_of(samples), inputs)
    assert isinstance(outcome, Completed)
    (wanted,) = references(samples[0], inputs)
    error = np.asarray(outcome.outputs["summed_r0"] / wanted, np.float64) - 1
    assert np.sqrt(np.mean(error**2)) < 4e-7


def without_second_sums(program: Program) -> Program:
    """What is not finite stays as the unit leaves it."""
    source = program.source.replace("if (finite) return;", "return;")
    assert source != program.source
    return replace(program, source=source)


def test_finite_sums_are_the_units_own(emulated: EmulatedCudaRunner) -> None:
    samples = matrix_samples()
    inputs = inputs_of(samples)
    outcome = emulated.run(without_second_sums(program_of(samples)), inputs)
    assert isinstance(outcome, Completed)
    assert disagreements(samples, inputs, outcome.outputs) == []


def test_a_gate_reads_the_texts() -> None:
    texts = [
        product("plain", "mk,kn->mn", (64, 64), (64, 64)),
        product_of(f16, "short", "mk,kn->mn", (64, 64), (64, 64)),
        sample("conv", ((1, 32, 6, 9), (40, 32, 3, 3)), conv()),
    ]
    for s in texts:
        assert "_matrix_unit(" in s.code().source
        found = check_text(Candidate(s.kernel, CUDA, "", any_extents=False))
        assert isinstance(found, Passed), found


def test_a_lost_wait_shows(emulated: EmulatedCudaRunner) -> None:
    samples = [product("lost", "mk,kn->mn", (32, 64), (64, 32), **SMALL)]
    program, inputs = without_second_sums(program_of(samples)), inputs_of(samples)
    source = program.source.replace("mbc_await_copies<0>();", "").replace(
        "mbc_await_copies<1>();", ""
    )
    assert source != program.source
    outcome = emulated.run(replace(program, source=source), inputs)
    assert isinstance(outcome, Completed)
    assert disagreements(samples, inputs, outcome.outputs) != []
