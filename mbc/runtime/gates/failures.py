"""What a build or a run that failed says about a candidate: a rule and one sentence."""

from __future__ import annotations

import re

from mbc.runtime.gates.batch import Batch, batches
from mbc.runtime.gates.candidate import Candidate
from mbc.runtime.gates.report import GateName, Rejected, RejectionVerdict
from mbc.runtime.gates.signature import wanted_signature
from mbc.runtime.outcome import Failed, FailureKind
from mbc.runtime.runner import Runner

VERDICTS: dict[FailureKind, RejectionVerdict] = {
    "compile_fail": "compile_fail",
    "crash": "verify_fail",
    "timeout": "timeout",
    "blocked": "blocked",
}
RULES = {
    "outside": "redzone",
    "wrote to input": "input written",
    "unwritten": "unwritten",
    "between VLEN": "vector length",
    "leaves undefined": "undefined",
    "different barriers": "barrier",
}
"""By what a runner says of a run that came back."""
CALL_ERRORS = ("undefined", "undeclared", "conflicting", "implicit")
ARGUMENT_ERRORS = ("INVALID_ARG_", "INVALID_KERNEL_ARGS", "INVALID_KERNEL_NAME")
"""OpenCL learns of a wrong signature when it passes the arguments."""


def rejection(
    gate: GateName,
    candidate: Candidate,
    runner: Runner,
    batch: Batch,
    failure: Failed,
) -> Rejected:
    """A crash is traced to the first case that crashes alone, unless it is hidden."""
    mismatched = any(word in failure.message for word in ARGUMENT_ERRORS)
    if failure.kind == "compile_fail" or mismatched:
        return _not_built(gate, candidate, batch, failure)
    where = " on hidden cases" if gate == "G6" else ""
    if failure.kind == "crash" and gate != "G6":
        where, failure = _culprit(candidate, runner, batch, failure)
    found = (rule for text, rule in RULES.items() if text in failure.message)
    rule = next(found, failure.kind)
    reason = f"{failure.message}{where}"
    return Rejected(gate, rule, VERDICTS[failure.kind], reason, 0.0, _log(failure))


def _not_built(
    gate: GateName, candidate: Candidate, batch: Batch, failure: Failed
) -> Rejected:
    rule, reason = "build", failure.message
    if candidate.source and _about_call(batch, failure.message):
        rule = "signature"
        code = batch.slots[0].code
        wanted = wanted_signature(code, code.launches[0])
        reason = f"the source does not define {wanted}: {failure.message}"
    return Rejected(gate, rule, "compile_fail", reason, 0.0, _log(failure))


def _about_call(batch: Batch, message: str) -> bool:
    """Whether the first error is about the call of the kernel and not in its text."""
    if any(word in message for word in (*ARGUMENT_ERRORS, "arguments to function")):
        return True
    called = {launch.function for launch in batch.program.launches}
    words = set(re.findall(r"\w+", message))
    return bool(called & words) and any(word in message for word in CALL_ERRORS)


def _culprit(
    candidate: Candidate, runner: Runner, batch: Batch, failure: Failed
) -> tuple[str, Failed]:
    """The first case that crashes alone, in words, and how it crashes."""
    for case in batch.cases:
        (alone,) = batches(candidate, [case])
        ran = alone.run(runner)
        if isinstance(ran, Failed) and ran.kind == "crash":
            return f", on {case}", ran
    return ", on all cases together", failure


def _log(failure: Failed) -> dict[str, str]:
    return {"log": failure.log} if failure.log else {}
