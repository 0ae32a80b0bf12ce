"""Every row of the corpus: a gate that its header names rejects a hostile candidate,
honest ones are accepted, and something was checked in either case."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from mbc.codegen.families import match_kernel, schedule_of
from mbc.codegen.targets import target_named
from mbc.runtime.cuda import emulation
from mbc.runtime.cuda.runner import GPU_NODES, CudaRunner
from mbc.runtime.gates.candidate import Candidate
from mbc.runtime.gates.judge import ORDER, Judge
from mbc.runtime.gates.report import GateName, Passed, Rejected, Report
from mbc.runtime.gates.sanitize import DETAIL
from mbc.runtime.opencl.runner import OpenclRunner
from mbc.runtime.outcome import EmitOnly
from mbc.runtime.runner import Runner
from mbc.runtime.rvv.runner import RvvRunner
from mbc.runtime.toolchain import Found, Missing, find_oclgrind
from tests.adversarial.corpus import TARGETS, Row, rows
from tests.adversarial.generated import emitted_rows, oversized_rows
from tests.adversarial.kernels import kernel

HOSTILE = rows("hostile") + oversized_rows()
HONEST = rows("honest")
EMITTED = emitted_rows()
SECONDS = 8
"""A run's limit: endless candidates take as long; in emulation, of processor time."""
WALL_SECONDS = 60
SECRET = 7
"""Seed of the hidden cases; fixed, so that a failure can be repeated."""
EVERY = 4
"""Every fourth honest candidate goes through the hidden cases too."""
BUILD_RULES = ("build", "compiler", "signature")
CLASSES = {
    "rvv": {*range(1, 18)} - {3},
    "opencl": {*range(1, 18)} - {3},
    "cuda": {*range(1, 18)} - {3},
}
"""R3 is about problems, not candidates: `test_degenerate_problem`."""


@pytest.fixture(scope="module")
def runners() -> Iterator[dict[str, Runner]]:
    made: dict[str, Runner] = {
        "rvv": RvvRunner(run_seconds=SECONDS),
        "opencl": OpenclRunner(run_seconds=SECONDS),
        "cuda": CudaRunner(run_seconds=SECONDS),
    }
    limits = replace(
        emulation.RUN_LIMITS, wall_seconds=WALL_SECONDS, cpu_seconds=SECONDS
    )
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(emulation, "RUN_LIMITS", limits)
        yield made
    for runner in made.values():
        runner.close()


def judged(
    row: Row, runners: dict[str, Runner], gates: tuple[GateName, ...] = ORDER
) -> Report:
    runner = runners[row.target]
    available = runner.availability()
    if isinstance(available, EmitOnly):
        pytest.skip(f"{available.reason}; install: {available.install}")
    judge = Judge(runner, gates, secret=SECRET)
    return judge.judge(row.candidate(), row.cases())


def missing_tool(row: Row) -> str:
    if row.needs == "gpu" and not any(Path(node).exists() for node in GPU_NODES):
        return "needs an NVIDIA GPU"
    tool = find_oclgrind()
    if row.needs == "oclgrind" and isinstance(tool, Missing):
        return f"{tool.reason}; install: {tool.install}"
    return ""


def said(report: Report) -> str:
    found = report.rejection
    return f"{found.gate} {found.rule}: {found.reason}" if found else "accepted"


@pytest.mark.parametrize("row", HOSTILE, ids=str)
def test_hostile_is_rejected(row: Row, runners: dict[str, Runner]) -> None:
    tool = missing_tool(row)
    if tool:
        pytest.skip(tool)
    report = judged(row, runners)
    found = report.rejection
    if found is None and row.gap:
        pytest.xfail(row.gap)
    assert found is not None, "accepted"
    assert found.gate in row.gates, said(report)
    assert found.verdict != "blocked", said(report)
    assert found.reason
    if "G1" not in row.gates:
        assert found.rule not in BUILD_RULES, said(report)
    assert not report.accepted


@pytest.mark.parametrize("row", HONEST, ids=str)
def test_honest_is_accepted(row: Row, runners: dict[str, Runner]) -> None:
    hidden = HONEST.index(row) % EVERY == 0
    gates: tuple[GateName, ...] = ORDER if hidden else ("G0", "G1", "G2")
    check_accepted(judged(row, runners, gates))


@pytest.mark.parametrize("row", EMITTED, ids=str)
def test_emitted_is_accepted(row: Row, runners: dict[str, Runner]) -> None:
    candidate = row.candidate()
    match = match_kernel(candidate.kernel, candidate.target)
    chosen = schedule_of(match, candidate.target)
    assert {**chosen, **dict(row.schedule)} == chosen, "a schedule that is not legal"
    check_accepted(judged(row, runners, ("G0", "G1", "G2")))


def check_accepted(report: Report) -> None:
    assert report.rejection is None, said(report)
    passed = {r.gate: r for r in report.results if isinstance(r, Passed)}
    assert {"G0", "G2"} <= set(passed)
    assert passed["G2"].checks >= 50, "hardly anything was compared"
    told = passed["G2"].detail.get(DETAIL, "")
    if report.target == "opencl" and isinstance(find_oclgrind(), Found):
        assert told.startswith("Oclgrind"), told
    assert not report.notes, report.notes


@pytest.mark.parametrize("target", CLASSES)
@pytest.mark.parametrize("problem", ["ignores_input", "same_everywhere"])
def test_degenerate_problem(
    problem: str, target: str, runners: dict[str, Runner]
) -> None:
    """R3: nothing that computes such a problem can be believed."""
    row = Row(problem, target, problem)
    report = judged(row, runners, ("G0", "G1", "G2"))
    assert isinstance(report.rejection, Rejected), report.notes
    assert report.rejection.verdict == "refused"
    assert "depend" in report.rejection.reason


def test_the_table_is_complete() -> None:
    for target, classes in CLASSES.items():
        mine = [row for row in HOSTILE if row.target == target]
        found = {int(row.kind.removeprefix("R")) for row in mine}
        assert classes <= found, f"{target} has no candidate for {classes - found}"
        assert all(row.gates for row in mine)
    assert {row.target for row in HONEST} == set(TARGETS.values())
    assert len(HONEST) >= 25
    table = (Path(__file__).parent / "README.md").read_text()
    listed = [f"`{Path(row.name).stem}`" for row in rows("hostile")]
    assert [name for name in listed if name not in table] == []
    assert len(HONEST) + len(EMITTED) >= 60


def test_a_candidate_without_a_kernel_name_is_itself() -> None:
    """What the rows add to a text stays small: names of extents, and no more."""
    row = next(row for row in HONEST if row.name == "vadd_scalar.c")
    code = row.candidate().code(kernel("vadd"))
    assert code.source == f"#define COUNT 1000\n{row.text}"
    assert isinstance(row.candidate(), Candidate)
    assert row.candidate().target == target_named("rvv")
