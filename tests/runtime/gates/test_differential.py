"""G2 and G6 accept honest kernels of every family and reject each wrong one."""

from collections.abc import Callable
from dataclasses import dataclass
from itertools import count
from typing import Any

import numpy as np
import pytest

from mbc.codegen.program import Program
from mbc.runtime.gates.cases import draw_cases
from mbc.runtime.gates.differential import check_differential
from mbc.runtime.gates.hidden import check_hidden
from mbc.runtime.gates.numerics import Numerics
from mbc.runtime.gates.predicate import parse_predicate
from mbc.runtime.gates.report import Passed, Rejected
from mbc.runtime.outcome import Completed, EmitOnly, RunOutcome
from mbc.runtime.runner import Arrays, Runner
from tests.runtime.gates.kernels import FAMILIES, RIGHT, WRONG, candidate, text

POISON_SEEN = ("unwritten", "nan", "determinism", "vector length")
"""Poison is a NaN in one run and a number in the next, which also shows as a change."""


@pytest.mark.parametrize("name", FAMILIES)
def test_emitted_kernels_are_accepted(name: str, target: str, runner: Runner):
    honest = candidate(name, target)
    drawn = draw_cases(honest)
    passed = check_differential(honest, runner, drawn)
    assert isinstance(passed, Passed), passed
    assert passed.checks > 100
    hidden = check_hidden(honest, runner, drawn.extents, 11)
    assert isinstance(hidden, Passed), hidden
    assert hidden.detail["seed"] == 11
    assert "extents" not in hidden.detail


@pytest.mark.parametrize("name", ["map", "rowwise"])
def test_emulated_cuda_kernels_are_accepted(name: str, runners: dict[str, Runner]):
    if isinstance(runners["cuda"].availability(), EmitOnly):
        pytest.skip("no compiler for emulated CUDA")
    honest = candidate(name, "cuda")
    passed = check_differential(honest, runners["cuda"], draw_cases(honest, count=1))
    assert isinstance(passed, Passed), passed


def check_text(target: str, runner: Runner, source: str, any_extents: bool = False):
    line = "// launch: once\n" if any_extents else ""
    written = candidate("map", target, line + source, any_extents)
    return check_differential(written, runner, draw_cases(written, count=2))


def test_a_text_at_its_own_extents_is_accepted(target: str, runner: Runner):
    passed = check_text(target, runner, text(target, RIGHT))
    assert isinstance(passed, Passed), passed
    assert passed.detail["extents"] == ["N0=37"]


def test_a_text_that_reads_its_extents_is_checked_at_others(target: str, runner):
    passed = check_text(target, runner, text(target, RIGHT, "k0_N0"), any_extents=True)
    assert isinstance(passed, Passed), passed
    assert len(passed.detail["extents"]) == 3


def test_an_unknown_constant_is_no_matter_of_signatures(target: str, runner: Runner):
    rejected = check_text(target, runner, text(target, RIGHT, "N9"), any_extents=True)
    assert isinstance(rejected, Rejected)
    assert (rejected.rule, rejected.verdict) == ("build", "compile_fail")


@pytest.mark.parametrize("name", WRONG)
def test_wrong_texts_are_rejected(name: str, target: str, runner: Runner):
    rejected = check_text(target, runner, text(target, WRONG[name]))
    assert isinstance(rejected, Rejected), name
    assert rejected.verdict == "verify_fail"
    assert rejected.rule in ("bound", "nan", "numerics")
    assert "N0=37" in rejected.reason


def test_extents_written_into_a_text_are_found(target: str, runner: Runner):
    rejected = check_text(target, runner, text(target, RIGHT), any_extents=True)
    assert isinstance(rejected, Rejected)
    assert rejected.rule in ("redzone", "crash", "bound", *POISON_SEEN)


def test_what_lies_behind_a_result_is_fenced(target: str, runner: Runner):
    rejected = check_text(target, runner, text(target, RIGHT, "38"))
    assert isinstance(rejected, Rejected)
    assert (rejected.rule, rejected.verdict) == ("redzone", "verify_fail")


def test_results_that_are_not_written_are_no_results(target: str, runner: Runner):
    rejected = check_text(target, runner, text(target, RIGHT, "36"))
    assert isinstance(rejected, Rejected)
    assert rejected.rule in POISON_SEEN


@pytest.mark.parametrize("change", [("k0", "k1"), (", float *r0", "")])
def test_a_wrong_signature_is_named(change: tuple[str, str], target: str, runner):
    old, new = change
    if target == "opencl":
        old = old.replace(", float", ", __global float")
    line = RIGHT if "r0" not in old else ""
    rejected = check_text(target, runner, text(target, line).replace(old, new))
    assert isinstance(rejected, Rejected)
    assert rejected.verdict == "compile_fail"
    assert "k0" in rejected.reason


@dataclass
class Fake(Runner):
    """Answers with what `outputs` makes of a program."""

    outputs: Callable[[Program], dict[str, Any]]

    def run(self, program: Program, inputs: Arrays) -> RunOutcome:
        return Completed(self.outputs(program))


def test_runs_that_differ_are_rejected():
    honest, calls = candidate("map", "rvv"), count()

    def unsteady(program: Program) -> dict[str, Any]:
        value = np.float32(next(calls))
        return {b.name: np.full(b.shape, value) for b in program.outputs}

    rejected = check_differential(honest, Fake(unsteady), draw_cases(honest, count=0))
    assert isinstance(rejected, Rejected)
    assert rejected.rule == "determinism"


def test_bad_references_are_named(target: str, runner: Runner):
    for name, rule in (("nan", "no case"), ("ignoring", "ignored input")):
        bad = candidate(name, target)
        rejected = check_differential(bad, runner, draw_cases(bad))
        assert isinstance(rejected, Rejected)
        assert (rejected.rule, rejected.verdict) == (rule, "refused")


def test_nothing_compared_is_no_pass(target: str, runner: Runner):
    honest = candidate("nest", target)
    drawn = draw_cases(honest, 0, parse_predicate("N0 == 0"))
    assert drawn.cases
    rejected = check_differential(honest, runner, drawn)
    assert isinstance(rejected, Rejected)
    assert (rejected.rule, rejected.verdict) == ("no checks", "refused")


def test_a_class_admits_what_it_says(target: str, runner: Runner):
    rounded = candidate("map", target, text(target, WRONG["tf32"]))
    drawn = draw_cases(rounded)
    loose = check_differential(rounded, runner, drawn, Numerics("relaxed", 2e-3))
    assert isinstance(loose, Passed), loose
    tight = check_differential(rounded, runner, drawn, Numerics("relaxed", 1e-5))
    assert isinstance(tight, Rejected)
    exact = candidate("copy", target)
    passed = check_differential(exact, runner, draw_cases(exact), Numerics("bit_exact"))
    assert isinstance(passed, Passed), passed
