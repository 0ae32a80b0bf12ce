"""The whole road: order, first rejection, notes, and reports that can be read."""

import json
import time
from dataclasses import replace

import pytest

from mbc.codegen.targets import target_named
from mbc.ir.cost import flops
from mbc.runtime.gates.judge import Judge
from mbc.runtime.gates.performance import Pair
from mbc.runtime.gates.plausible import (
    arithmetic_floor,
    check_plausible,
    floor_of,
)
from mbc.runtime.gates.report import Passed, Rejected, Skipped
from mbc.runtime.outcome import Fidelity, Measured, NotMeasured
from mbc.runtime.runner import Runner
from tests.codegen.cuda.kernels import product, softmax
from tests.runtime.gates.kernels import FAMILIES, RIGHT, WRONG, candidate, text

UNKNOWN = NotMeasured("there is nothing to compare with")


def cycles(value: float, unit: str = "cycles") -> Measured:
    return Measured(value, unit, Fidelity.MODELLED, "a model")


def test_honest_kernels_are_accepted_and_reports_account_for_the_time(
    target: str, runner: Runner
):
    for name in FAMILIES:
        started = time.perf_counter()
        report = Judge(runner).judge(candidate(name, target))
        spent = time.perf_counter() - started
        assert report.accepted, report.text()
        assert report.notes == ()
        entries = {g["gate"]: g for g in json.loads(report.to_json())["gates"]}
        ran = [r for r in report.results if isinstance(r, Passed | Rejected)]
        assert {r.gate for r in ran} == {"G0", "G1", "G2", "G6"}
        assert all(entries[r.gate]["seconds"] > 0 for r in ran)
        told = sum(r.seconds for r in ran)
        assert told == pytest.approx(report.seconds)
        # The rest is asking whether G5 has anything to do.
        assert 0.8 * spent < told <= spent


def test_the_first_rejection_ends_it(target: str, runner: Runner):
    report = Judge(runner).judge(candidate("map", target, text(target, WRONG["zeros"])))
    assert report.rejection is not None
    assert report.rejection.gate == "G2"
    assert [result.gate for result in report.results] == ["G0", "G1", "G2"]
    assert report.conclusion == "verify_fail"


def test_only_the_gates_asked_for_run(target: str, runner: Runner):
    report = Judge(runner, gates=("G0",)).judge(candidate("map", target))
    assert [result.gate for result in report.results] == ["G0"]
    assert not report.accepted
    assert report.conclusion == "unverified"


def test_a_hidden_seed_is_recorded_and_can_be_repeated(target: str, runner: Runner):
    strict = Judge(runner, gates=("G2", "G6"))
    first = strict.judge(candidate("map", target)).results[-1]
    assert isinstance(first, Passed)
    again = replace(strict, secret=first.detail["seed"])
    second = again.judge(candidate("map", target)).results[-1]
    assert isinstance(second, Passed)
    assert (first.checks, first.detail) == (second.checks, second.detail)


def test_nothing_is_faster_than_its_floor(target: str, runner: Runner):
    honest = candidate("map", target)
    unit = "cycles" if target == "rvv" else "ns"
    for value, kind in ((1e-4, Rejected), (1e6, Passed)):
        judge = Judge(runner, ("G5",), pair=Pair(cycles(value, unit), UNKNOWN))
        report = judge.judge(honest)
        assert isinstance(report.results[-1], kind)


def test_floors_of_numbers():
    honest = candidate("contract", "rvv")
    floor = floor_of(honest.kernel, target_named("rvv").peaks)
    assert floor == pytest.approx(2 * 4 * 5 * 24 / 16)
    suspect = check_plausible(honest, cycles(0.9 * floor))
    assert isinstance(suspect, Rejected)
    assert suspect.verdict == "suspect"
    assert isinstance(check_plausible(honest, cycles(0.96 * floor)), Passed)
    for value in (0.0, float("inf"), float("nan"), -1.0):
        assert isinstance(check_plausible(honest, cycles(value)), Rejected)
    assert isinstance(check_plausible(honest, cycles(floor, "ns")), Skipped)
    assert isinstance(check_plausible(honest, NotMeasured("no clock")), Skipped)


def test_reports_read_as_text_and_as_json(target: str, runner: Runner):
    wrong = candidate("map", target, text(target, WRONG["one off"]))
    report = Judge(runner).judge(wrong)
    lines = report.text().splitlines()
    assert lines[0] == f"k0 on {target}: verify_fail"
    assert any("rejected" in line and "bound: result 0" in line for line in lines)
    document = json.loads(report.to_json())
    assert document["conclusion"] == "verify_fail"
    assert document["gates"][-1]["rule"] == "bound"
    good = json.loads(
        Judge(runner).judge(candidate("map", target, text(target, RIGHT))).to_json()
    )
    assert good["accepted"] is True
    assert all(g["checks"] > 0 for g in good["gates"] if g["result"] == "passed")


def test_a_kernel_that_is_constant_only_at_some_extents_is_judged_at_others(
    target: str, runner: Runner
):
    report = Judge(runner).judge(candidate("constant", target))
    # At other extents a softmax over its axis does depend on its operand.
    assert report.accepted
    copied = Judge(runner).judge(candidate("copy", target))
    assert copied.notes == ("non-discriminating: identity",)


def test_a_matrix_unit_lowers_the_floor_of_products() -> None:
    peaks = target_named("cuda").peaks
    contraction = product("plain", "mk,kn->mn", (512, 512), (512, 512)).kernel
    chain = softmax("plain", (64, 4096)).kernel
    assert arithmetic_floor(contraction, peaks) == flops(contraction) / 165_000
    assert arithmetic_floor(chain, peaks) == flops(chain) / peaks.flops
