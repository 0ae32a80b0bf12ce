"""G1: the candidate builds in isolation, and its object holds only what a kernel needs.

The compiler sees a read-only system without network, home or environment. Of what it
says, only words about the candidate's own text come back, up to a length.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from mbc.codegen.program import Program
from mbc.runtime.cuda.emulation import OBJECT, build_emulated
from mbc.runtime.cuda.runner import CudaRunner
from mbc.runtime.gates.candidate import Candidate
from mbc.runtime.gates.elf_audit import Audit, audit_object
from mbc.runtime.gates.emulated_audit import NOTHING, audit_emulated
from mbc.runtime.gates.report import GateResult, Passed, Rejected, Skipped
from mbc.runtime.isolation import isolation_level
from mbc.runtime.outcome import Failed
from mbc.runtime.runner import Runner
from mbc.runtime.rvv.build import build_program

LONGEST_LOG = 4096
PLACE = re.compile(
    r"(?::(\d+)(?::\d+)?|\((\d+)\)): (?:fatal )?error|error: [^\s:]+:(\d+):"
)
"""The line of a first error, as clang and gcc, nvcc, and PoCL write it."""


def check_object(candidate: Candidate, runner: Runner) -> GateResult:
    """G1 on the candidate's program at its own extents."""
    build = Build(candidate, candidate.program(candidate.kernel), time.monotonic())
    return CHECKS.get(candidate.target.name, _compiled)(build, runner)


@dataclass(frozen=True)
class Build:
    """A candidate's program, and when its gate began."""

    candidate: Candidate
    program: Program
    start: float


def _rvv_object(build: Build, _: Runner) -> GateResult:
    built = build_program(build.program)
    if isinstance(built, Failed):
        return _failed(build, built)
    return _audited(audit_object(built.object.read_bytes()), build.start)


def _cuda_object(build: Build, runner: Runner) -> GateResult:
    """What the emulation compiles is what will run, with or without nvcc beside it."""
    if not isinstance(runner, CudaRunner) or not runner.emulates():
        return _compiled(build, runner)
    compiled = runner.compile_check(build.program)
    if isinstance(compiled, Failed) and compiled.kind != "blocked":
        return _failed(build, compiled)
    built, empty = build_emulated(build.program), build_emulated(NOTHING)
    for outcome in (built, empty):
        if isinstance(outcome, Failed):
            return _failed(build, outcome)
    assert isinstance(built, Path)
    assert isinstance(empty, Path)
    objects = [(path.parent / OBJECT).read_bytes() for path in (built, empty)]
    return _audited(audit_emulated(*objects), build.start)


def _compiled(build: Build, runner: Runner) -> GateResult:
    """Where the driver keeps its objects to itself."""
    outcome = runner.compile_check(build.program)
    if isinstance(outcome, Failed):
        return _failed(build, outcome)
    detail = {"isolation": isolation_level()}
    return Passed("G1", 1, time.monotonic() - build.start, detail)


CHECKS: dict[str, Callable[[Build, Runner], GateResult]] = {
    "rvv": _rvv_object,
    "cuda": _cuda_object,
}
"""By target; others are compiled only."""


def _audited(audit: Audit, start: float) -> GateResult:
    seconds = time.monotonic() - start
    detail = {
        "isolation": isolation_level(),
        "undefined": list(audit.undefined),
        "code_bytes": audit.code_bytes,
    }
    if audit.finding is not None:
        finding = audit.finding
        rule, reason = finding.rule, finding.reason
        return Rejected("G1", rule, "compile_fail", reason, seconds, detail)
    return Passed("G1", audit.checks, seconds, detail)


def _failed(build: Build, outcome: Failed) -> GateResult:
    if outcome.kind == "blocked":
        return Skipped("G1", outcome.message)
    verdict = "timeout" if outcome.kind == "timeout" else "compile_fail"
    detail = {"isolation": isolation_level(), "log": outcome.log[:LONGEST_LOG]}
    seconds = time.monotonic() - build.start
    place = _place(build.candidate, build.program, outcome.log)
    reason = f"{place}{outcome.message[:300]}"
    return Rejected("G1", "compiler", verdict, reason, seconds, detail)


def _place(candidate: Candidate, program: Program, log: str) -> str:
    """`line 4: ` of the candidate's own text, where a compiler says so."""
    found = PLACE.search(log)
    if found is None or not candidate.source:
        return ""
    start = program.source.index(candidate.source)
    line = int(found[1] or found[2] or found[3]) - program.source.count("\n", 0, start)
    inside = 1 <= line <= candidate.source.count("\n") + 1
    return f"line {line}: " if inside else ""
