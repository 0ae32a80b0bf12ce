"""What a schedule must pass before it may count as an improvement: the gates.

Exploring needs one case; an improvement is remembered and reused, so it is judged by
all gates first, on cases of many extents and values and on some that nobody has seen.
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.dialects.builtin import ModuleOp

from mbc.agent.evaluation import Rejected
from mbc.codegen.targets import Target
from mbc.ir.kernel import KernelOp, source_of
from mbc.runtime.gates.candidate import Candidate
from mbc.runtime.gates.judge import Judge
from mbc.runtime.gates.performance import Pair
from mbc.runtime.gates.report import GateName, Report
from mbc.runtime.outcome import Fidelity, Measured
from mbc.runtime.runner import Runner

NOTHING_TO_SEE = "non-discriminating"
GATES: tuple[GateName, ...] = ("G0", "G1", "G2", "G4", "G6")
"""G3 is for whole models: `mbc tune` asks it with all kernels in their places."""


@dataclass(frozen=True)
class Admission:
    """`seed` draws the open cases; the hidden ones come from the system."""

    runner: Runner
    target: Target
    seed: int

    def check(self, module: ModuleOp, kernel: KernelOp, pair: Pair) -> str | Rejected:
        """The gates' report as JSON, or why the kernel is not admitted."""
        source = "" if kernel.source is None else source_of(module, kernel).text.data
        judge = Judge(self.runner, _gates(pair), seed=self.seed, pair=pair)
        return _answer(judge.judge(Candidate(kernel, self.target, source)))


def _gates(pair: Pair) -> tuple[GateName, ...]:
    """Peaks of a modelled core are exact; those of a host are rules of thumb."""
    measured = pair.candidate
    exact = isinstance(measured, Measured) and measured.fidelity is Fidelity.MODELLED
    return (*GATES, "G5") if exact else GATES


def _answer(report: Report) -> str | Rejected:
    text = report.to_json()
    rejection = report.rejection
    if rejection is not None:
        reason = f"{rejection.gate}, {rejection.rule}: {rejection.reason}"
        verdict = rejection.verdict
        if verdict in ("no_improvement", "regressed", "inconclusive"):
            return text
        return Rejected(verdict, reason, text)
    if not report.accepted:
        return Rejected("blocked", "the gates could not run", text)
    blind = [note for note in report.notes if note.startswith(NOTHING_TO_SEE)]
    return Rejected("refused", f"the kernel is {blind[0]}", text) if blind else text
