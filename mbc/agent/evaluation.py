"""What can be done to one kernel on one target, and what came of doing it.

The loop drives an `Environment`; the gates and the clock are behind it. `outcome_of`
turns what it answers into the record that is remembered: the gates' word first, then
the comparison with the parent, and never a number that was not measured.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

from mbc.agent.memory import now
from mbc.agent.policy import Candidate, Proposal
from mbc.agent.records import (
    GATE_VERSION,
    KernelIdentity,
    Outcome,
    Rejection,
    TargetIdentity,
    Timed,
    Verdict,
)
from mbc.agent.state import State
from mbc.runtime.gates.report import Report, is_proven
from mbc.runtime.outcome import Measured, Measurement, NotMeasured
from mbc.runtime.statistics import compare

UNKNOWN_STATE = "unknown"
"""Before a default schedule that could not be measured."""


@dataclass(frozen=True)
class Passed:
    """Through the gates; `reference` was measured in the same rounds."""

    measurement: Measurement
    reference: Measurement
    state: State
    gate_report: str = "{}"


@dataclass(frozen=True)
class Rejected:
    """Stopped by a pass, a toolchain or a gate; `reason` is one sentence."""

    verdict: Rejection
    reason: str
    gate_report: str = "{}"


Evaluated = Passed | Rejected


class Environment(Protocol):
    """One kernel on one target: what can be done to it, and what comes of it."""

    @property
    def kernel(self) -> KernelIdentity: ...
    @property
    def target(self) -> TargetIdentity: ...
    @property
    def label(self) -> str: ...

    def default(self) -> str:
        """The pipeline that every other is compared with."""
        ...

    def legal_actions(self, pipeline: str) -> Sequence[Candidate]:
        """In a fixed order; two that lead to the same schedule share a pipeline."""
        ...

    def evaluate(self, pipelines: Sequence[str], reference: str) -> Iterable[Evaluated]:
        """Gate and measure, in order; results may come one by one."""
        ...


def outcome_of(
    environment: Environment,
    run: str,
    parent: Outcome | None,
    proposal: Proposal,
    evaluated: Evaluated,
) -> Outcome:
    """`parent` is None for the default schedule, which is compared with itself."""
    verdict, result = _judged(parent, evaluated)
    if verdict == "improved" and not is_proven(evaluated.gate_report):
        verdict, result = "blocked", NotMeasured("faster, but the gates did not run")
    passed = isinstance(evaluated, Passed)
    after = evaluated.state.signature if passed else ""
    before = after or UNKNOWN_STATE
    return Outcome(
        run_id=run,
        kernel=environment.kernel,
        target=environment.target,
        label=environment.label,
        action=proposal.candidate.action,
        pipeline=proposal.candidate.pipeline,
        verdict=verdict,
        result=result,
        state_before=before if parent is None else parent.state_after,
        created=now(),
        state_after=after,
        features=evaluated.state.dump() if passed else "[]",
        parent="" if parent is None else parent.id,
        depth=0 if parent is None else parent.depth + 1,
        prediction=proposal.prediction,
        gate_report=evaluated.gate_report,
    )


def refutation(accepted: Outcome, run: str, report: Report) -> Outcome:
    """What is remembered of an accepted outcome that a later gate found wrong."""
    rejection = report.rejection
    assert rejection is not None
    return replace(
        accepted,
        run_id=run,
        verdict="verify_fail",
        result=NotMeasured(f"{rejection.gate}, {rejection.rule}: {rejection.reason}"),
        created=now(),
        state_before=accepted.state_after,
        state_after="",
        features="[]",
        parent=accepted.id,
        depth=accepted.depth + 1,
        gate_version=GATE_VERSION,
        gate_report=report.to_json(),
    )


def _judged(
    parent: Outcome | None, evaluated: Evaluated
) -> tuple[Verdict, Timed | NotMeasured]:
    if isinstance(evaluated, Rejected):
        return evaluated.verdict, NotMeasured(evaluated.reason)
    if parent is None:
        return _default_judged(evaluated)
    comparison = compare(evaluated.measurement, evaluated.reference)
    if isinstance(comparison, NotMeasured):
        return "blocked", comparison
    assert isinstance(evaluated.measurement, Measured)
    assert isinstance(parent.result, Timed)
    timed = Timed(
        value=evaluated.measurement.value,
        unit=evaluated.measurement.unit,
        fidelity=evaluated.measurement.fidelity,
        log_speedup=comparison.log_speedup,
        se=comparison.se,
        log_default=parent.result.log_default + comparison.log_speedup,
        low_default=parent.result.low_default + comparison.low,
    )
    return comparison.verdict, timed


def _default_judged(evaluated: Passed) -> tuple[Verdict, Timed | NotMeasured]:
    comparison = compare(evaluated.measurement, evaluated.measurement)
    if isinstance(comparison, NotMeasured):
        return "blocked", comparison
    assert isinstance(evaluated.measurement, Measured)
    measured = evaluated.measurement
    number = measured.value, measured.unit, measured.fidelity
    return "no_improvement", Timed(*number, 0.0, 0.0, 0.0, 0.0)
