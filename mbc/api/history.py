"""What a run tried on each kernel, and what bounds a kernel's time, as a report needs.

A report is plain data with a version (`REPORT_VERSION`): `Tuned.document` makes it,
`report.json` of a saved run holds it, and `mbc report` shows it as a page.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from typing import Any, Literal

from mbc.agent.gate_record import error_shares
from mbc.agent.loop import KernelResult
from mbc.agent.records import Outcome, Timed
from mbc.codegen.targets import Peaks, Target
from mbc.ir.cost import fewest_bytes, flops
from mbc.ir.kernel import KernelOp, single_kernel_module
from mbc.ir.text import print_module
from mbc.runtime.gates.plausible import CACHE_FACTOR, arithmetic_floor, floor_of

REPORT = "mbc-report"
REPORT_VERSION = 1
REPORT_FILE = "report.json"


@dataclass(frozen=True)
class KernelHistory:
    """`floor` is in the unit of the target's peaks; what it is `bound` by set it.

    `before` and `after` are the kernel's IR as formed and as tuned. The first
    `recalled` of `outcomes` are from earlier runs.
    """

    label: str
    occurrences: int
    flops: int
    bytes: int
    floor: float
    bound: Literal["arithmetic", "memory"]
    before: str
    after: str
    outcomes: tuple[Outcome, ...]
    recalled: int
    errors: tuple[int, ...]
    """Elements compared of the schedule in use, by the share of their bound."""

    def document(self) -> dict[str, Any]:
        attempts = [attempt(one) for one in self.outcomes]
        for number, entry in enumerate(attempts):
            entry["recalled"] = number < self.recalled
        return {
            "label": self.label,
            "occurrences": self.occurrences,
            "flops": self.flops,
            "bytes": self.bytes,
            "floor": self.floor,
            "bound": self.bound,
            "before": self.before,
            "after": self.after,
            "attempts": attempts,
            "errors": list(self.errors),
        }


def history_of(
    kernel: KernelOp,
    tuned: KernelOp,
    target: Target,
    occurrences: int,
    result: KernelResult | None,
) -> KernelHistory:
    """`tuned` is the same kernel in the finished artifact."""
    work, moved, peaks = flops(kernel), fewest_bytes(kernel), target.peaks
    floor = floor_of(kernel, peaks)
    chosen = None if result is None else result.best or result.default
    is_arithmetic = arithmetic_floor(kernel, peaks) >= floor
    return KernelHistory(
        kernel.label.data,
        occurrences,
        work,
        moved,
        floor,
        "arithmetic" if is_arithmetic else "memory",
        print_module(single_kernel_module(kernel)),
        print_module(single_kernel_module(tuned)),
        () if result is None else result.history,
        0 if result is None else result.recalled,
        () if chosen is None else error_shares(chosen.gate_report),
    )


def attempt(outcome: Outcome) -> dict[str, Any]:
    """One candidate: what was done, what the gates said, the number or why there is
    none; `ratio` and `low` are over the default, `low` the lower 95 % bound."""
    entry: dict[str, Any] = {
        "action": outcome.action.id or "default",
        "pipeline": outcome.pipeline,
        "verdict": outcome.verdict,
        "created": outcome.created,
        "depth": outcome.depth,
        "predicted_log": outcome.prediction.mean,
        "gates": json.loads(outcome.gate_report),
    }
    if not isinstance(outcome.result, Timed):
        return {**entry, "reason": outcome.result.reason}
    timed = outcome.result
    return {
        **entry,
        "value": timed.value,
        "unit": timed.unit,
        "log_default": timed.log_default,
        "low_default": timed.low_default,
    }


def roofline_of(peaks: Peaks) -> dict[str, Any]:
    """What the floors were computed from: rates per `unit`, and the caches' factor."""
    return {**asdict(peaks), "cache_factor": CACHE_FACTOR}
