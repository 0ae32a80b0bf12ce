"""What a schedule must pass before it may count as an improvement: the gates.

Exploring needs one case; an improvement is remembered and reused, so it is judged by
all gates first, on cases of many extents and values and on some that nobody has seen.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.dialects.builtin import ModuleOp

from mbc.agent.evaluation import Rejected
from mbc.codegen.targets import Target
from mbc.ir.kernel import KernelOp, source_of
from mbc.runtime.gates.candidate import Candidate
from mbc.runtime.gates.judge import Judge
from mbc.runtime.gates.report import Report
from mbc.runtime.outcome import Fidelity, Measured, Measurement
from mbc.runtime.runner import Runner
from mbc.runtime.statistics import GAMMA

NOTHING_TO_SEE = "non-discriminating"


@dataclass(frozen=True)
class Admission:
    """`seed` draws the open cases; the hidden ones come from the system."""

    runner: Runner
    target: Target
    seed: int

    def check(
        self, module: ModuleOp, kernel: KernelOp, measured: Measured
    ) -> str | Rejected:
        """The gates' report as JSON, or why the kernel is not admitted."""
        source = "" if kernel.source is None else source_of(module, kernel).text.data
        # Peaks of a modelled core are exact; those of a host are rules of thumb.
        exact = measured.fidelity is Fidelity.MODELLED
        judge = Judge(
            self.runner,
            gates=("G0", "G1", "G2", "G5", "G6") if exact else ("G0", "G1", "G2", "G6"),
            seed=self.seed,
            measure=lambda _: measured,
        )
        return _answer(judge.judge(Candidate(kernel, self.target, source)))


def _answer(report: Report) -> str | Rejected:
    text = json.dumps(report.to_json())
    rejection = report.rejection
    if rejection is not None:
        reason = f"{rejection.gate}, {rejection.rule}: {rejection.reason}"
        return Rejected(rejection.verdict, reason, text)
    if not report.accepted:
        return Rejected("blocked", "the differential gate did not run", text)
    blind = [note for note in report.notes if note.startswith(NOTHING_TO_SEE)]
    return Rejected("refused", f"the kernel is {blind[0]}", text) if blind else text


def is_promising(times: Sequence[Measurement]) -> bool:
    """Whether a candidate's time beats its reference's by enough to be accepted."""
    first, last = times[0], times[-1]
    if not isinstance(first, Measured) or not isinstance(last, Measured):
        return False
    return first is not last and first.value * GAMMA <= last.value
