"""G1: the candidate builds in isolation, and its object holds only what a kernel needs.

The compiler sees a read-only system without network, home or environment. Of what it
says, only words about the candidate's own text come back, up to a length.
"""

from __future__ import annotations

import re
import time

from mbc.codegen.program import Program
from mbc.runtime.cuda.emulation import build_emulated
from mbc.runtime.gates.candidate import Candidate
from mbc.runtime.gates.elf_audit import audit_object
from mbc.runtime.gates.report import GateResult, Passed, Rejected, Skipped
from mbc.runtime.isolation import isolation_level
from mbc.runtime.outcome import Completed, Failed, RunOutcome
from mbc.runtime.runner import Runner
from mbc.runtime.rvv.build import Executable, build_program

LONGEST_LOG = 4096
PLACE = re.compile(
    r"(?::(\d+)(?::\d+)?|\((\d+)\)): (?:fatal )?error|error: [^\s:]+:(\d+):"
)
"""The line of a first error, as clang and gcc, nvcc, and PoCL write it."""


def check_object(candidate: Candidate, runner: Runner) -> GateResult:
    """G1 on the candidate's program at its own extents."""
    start = time.monotonic()
    program = candidate.program(candidate.kernel)
    if candidate.target.name == "rvv":
        built = build_program(program)
        if isinstance(built, Executable):
            return _audited(built, start)
        return _failed(candidate, program, built, start)
    outcome = _build(program, runner)
    if isinstance(outcome, Failed):
        return _failed(candidate, program, outcome, start)
    detail = {"isolation": isolation_level()}
    return Passed("G1", 1, time.monotonic() - start, detail)


def _build(program: Program, runner: Runner) -> RunOutcome:
    outcome = runner.compile_check(program)
    blocked = isinstance(outcome, Failed) and outcome.kind == "blocked"
    if not blocked or program.target != "cuda":
        return outcome
    # Without a CUDA compiler, what the emulation compiles is what will run.
    emulated = build_emulated(program)
    return emulated if isinstance(emulated, Failed) else Completed({})


def _audited(built: Executable, start: float) -> GateResult:
    audit = audit_object(built.object.read_bytes())
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


def _failed(
    candidate: Candidate, program: Program, outcome: Failed, start: float
) -> GateResult:
    if outcome.kind == "blocked":
        return Skipped("G1", outcome.message)
    verdict = "timeout" if outcome.kind == "timeout" else "compile_fail"
    detail = {"isolation": isolation_level(), "log": outcome.log[:LONGEST_LOG]}
    seconds = time.monotonic() - start
    reason = f"{_place(candidate, program, outcome.log)}{outcome.message[:300]}"
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
