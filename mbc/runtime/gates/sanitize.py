"""The last part of G2: a few small cases under the checking tool of the target.

What comparing results cannot show, a tool that watches every access can: races that
went well, reads behind a buffer that were not used, values that nobody wrote.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from mbc.ir.cost import flops
from mbc.runtime.gates.batch import Batch, batches
from mbc.runtime.gates.candidate import Candidate
from mbc.runtime.gates.cases import Case
from mbc.runtime.gates.extents import Extents
from mbc.runtime.gates.report import GateName, Passed, Rejected
from mbc.runtime.runner import Runner
from mbc.runtime.sanitizer import Clean, Finding, Sanitizing, Unchecked

TELLING = (700, 40)
"""Elements of operands of the cases that are taken: as near to each as there is one."""
MOST_FLOPS = 200_000
"""Of a case: a simulator runs some million instructions a second."""
DETAIL = "sanitizer"


def with_sanitizer(
    passed: Passed, candidate: Candidate, runner: Runner, cases: Sequence[Case]
) -> Passed | Rejected:
    """`passed`, with what the tool looked at; or the first thing that it found."""
    if not isinstance(runner, Sanitizing):
        return passed
    chosen = small_cases(cases)
    if not chosen:
        return _skipped(passed, "no case is small enough to watch")
    told: Clean | None = None
    for batch in batches(candidate, chosen):
        outcome = runner.sanitize(batch.program, batch.inputs())
        match outcome:
            case Unchecked(reason=reason):
                return _skipped(passed, reason)
            case Finding():
                return _rejected(passed.gate, candidate, batch, outcome)
            case Clean():
                told = outcome
    return _checked(passed, chosen, told) if told is not None else passed


def small_cases(cases: Sequence[Case]) -> list[Case]:
    """Up to one for each of `TELLING`, of ordinary values and at extents of its own."""
    ordinary: dict[Extents, Case] = {}
    for case in cases:
        usual = case.profile in ("normal", "positive") and case.elements
        if usual and flops(case.at.kernel) <= MOST_FLOPS:
            ordinary.setdefault(case.at.extents, case)
    chosen: list[Case] = []
    for wanted in TELLING:
        left = [case for case in ordinary.values() if case not in chosen]
        if left:
            chosen.append(min(left, key=lambda case: abs(_size(case) - wanted)))
    return chosen


def _size(case: Case) -> int:
    return sum(array.size for array in case.arguments)


def _skipped(passed: Passed, reason: str) -> Passed:
    return replace(passed, detail={**passed.detail, DETAIL: f"skipped: {reason}"})


def _checked(passed: Passed, cases: Sequence[Case], told: Clean) -> Passed:
    words = f"{told.tool}: no fault of {', '.join(told.checks)} in {len(cases)} cases"
    note = f"; {told.note}" if told.note else ""
    detail = {**passed.detail, DETAIL: words + note}
    return replace(passed, checks=passed.checks + len(cases), detail=detail)


def _rejected(
    gate: GateName, candidate: Candidate, batch: Batch, found: Finding
) -> Rejected:
    line = line_in_text(batch.program.source, candidate.source, found.line)
    address = f", address {found.address}" if found.address else ""
    place = f", line {line}" if line else ""
    on = ", ".join(str(case.at) for case in batch.cases)
    reason = f"{found.message}{place}{address}, on {on}"
    detail = {"line": line, "address": found.address, "log": found.log}
    return Rejected(gate, found.rule, "verify_fail", reason, 0.0, detail)


def line_in_text(program: str, text: str, line: int) -> int:
    """A line of the program as one of the candidate's own text, where it lies there."""
    start = program.find(text) if text else -1
    before = program.count("\n", 0, max(start, 0))
    return line - before if before < line else line
