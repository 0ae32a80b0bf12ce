"""The sanitizer step of G2: which cases it takes, and what each answer becomes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

import pytest

from mbc.codegen.program import Program
from mbc.runtime.gates.cases import CaseSet, draw_cases
from mbc.runtime.gates.report import Passed, Rejected, Report
from mbc.runtime.gates.sanitize import DETAIL, MOST_FLOPS, small_cases, with_sanitizer
from mbc.runtime.sanitizer import Clean, Finding, Sanitized, Unchecked
from tests.runtime.gates.kernels import candidate

PASSED = Passed("G2", 5, 0.0, {"seed": 0})


@dataclass
class Watching:
    """A runner that can only be asked for one thing."""

    answer: Sanitized
    asked: int = 0

    def sanitize(self, program: Program, inputs: Mapping[str, Any]) -> Sanitized:
        assert program.launches
        assert inputs
        self.asked += 1
        return self.answer


@cache
def cases() -> CaseSet:
    return draw_cases(candidate("map", "opencl"))


def judged(answer: Sanitized) -> Passed | Rejected:
    runner: Any = Watching(answer)
    result = with_sanitizer(PASSED, candidate("map", "opencl"), runner, cases().cases)
    assert runner.asked > 0
    return result


def test_cases_are_few_small_ordinary_and_unlike() -> None:
    chosen = small_cases(cases().cases)
    assert 0 < len(chosen) <= 2
    assert len({case.at.extents for case in chosen}) == len(chosen)
    assert all(case.profile == "normal" and case.elements for case in chosen)
    assert small_cases([]) == []
    assert MOST_FLOPS > 0


def test_clean_counts_as_checks_and_is_told() -> None:
    result = judged(Clean("a tool 1.0", ("race", "bounds"), "no vectors"))
    assert isinstance(result, Passed)
    assert result.checks > PASSED.checks
    told = result.detail[DETAIL]
    assert told.startswith("a tool 1.0: no fault of race, bounds in ")
    assert told.endswith("; no vectors")
    report = Report("k0", "opencl", "a device", "limits", (result,))
    assert f"sanitizer {told}" in report.text()


def test_what_was_not_checked_is_told() -> None:
    result = judged(Unchecked("it is not installed; install: x"))
    assert isinstance(result, Passed)
    assert result.checks == PASSED.checks
    assert result.detail[DETAIL] == "skipped: it is not installed; install: x"


def test_a_finding_rejects_with_rule_line_and_address() -> None:
    result = judged(Finding("race", "a race in local memory", 7, "0x10", "log"))
    assert isinstance(result, Rejected)
    assert (result.gate, result.rule, result.verdict) == ("G2", "race", "verify_fail")
    assert result.reason.startswith("a race in local memory, line 7, address 0x10, on ")
    assert result.detail == {"line": 7, "address": "0x10", "log": "log"}


def test_a_runner_without_a_tool_changes_nothing() -> None:
    runner: Any = object()
    own = candidate("map", "rvv")
    assert with_sanitizer(PASSED, own, runner, cases().cases) is PASSED


@pytest.mark.parametrize("profile", ["nan", "infinite", "large"])
def test_special_values_are_not_watched(profile: str) -> None:
    special = [case for case in cases().cases if case.profile == profile]
    assert small_cases(special) == []
