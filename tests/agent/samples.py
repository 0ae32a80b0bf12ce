"""Outcomes for tests that need records but no search."""

from __future__ import annotations

from dataclasses import replace

from mbc.agent.records import (
    ActionText,
    Estimate,
    KernelIdentity,
    Outcome,
    TargetIdentity,
    Timed,
    Verdict,
)
from mbc.runtime.gates.report import Passed, Report
from mbc.runtime.outcome import Fidelity, NotMeasured

STATE = "memory/access-unit,reuse-0,special_unit-none/ai_ratio-0,mem_frac-1"
KERNEL = KernelIdentity("abc", "contract", "f32", "small", 100.0, 10.0)
TARGET = TargetIdentity("rvv", "simd", "model v1", "clang 19")


PROVEN = Report(
    "k0", "rvv", "model v1", "limits", (Passed("G2", 100, 0.1), Passed("G6", 50, 0.1))
).to_json()
"""What the gates say of a candidate that they admit."""


def outcome(number: int = 0, log_speedup: float = 0.1) -> Outcome:
    """A measured one; another `number` is another event."""
    return Outcome(
        run_id="run",
        kernel=KERNEL,
        target=TARGET,
        label="k0",
        action=ActionText("set-tile{sizes=8,8}"),
        pipeline="set-tile{kernel=k0 sizes=8,8}",
        verdict="improved" if log_speedup > 0.03 else "regressed",
        result=timed(log_speedup),
        state_before=STATE,
        state_after=STATE,
        created=f"2026-01-01T00:00:00.{number:06d}+00:00",
        prediction=Estimate(0.2, 0.1),
        gate_report=PROVEN,
    )


def failure(number: int, verdict: Verdict) -> Outcome:
    result = NotMeasured("it did not work")
    return replace(outcome(number), verdict=verdict, result=result, state_after="")


def timed(log_speedup: float) -> Timed:
    logs = log_speedup, 0.0, log_speedup, log_speedup
    return Timed(100.0, "cycles", Fidelity.MODELLED, *logs)
