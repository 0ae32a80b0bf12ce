"""All gates on one candidate, in order of cost, up to the first that rejects it."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cache
from importlib import import_module
from typing import cast

from mbc.codegen.targets import Peaks
from mbc.errors import PassRefused
from mbc.runtime.gates.candidate import Candidate
from mbc.runtime.gates.cases import CaseSet, draw_cases
from mbc.runtime.gates.differential import check_differential
from mbc.runtime.gates.discrimination import non_discriminating
from mbc.runtime.gates.hidden import check_hidden, hidden_seed
from mbc.runtime.gates.numerics import STRICT, Numerics
from mbc.runtime.gates.performance import Pair, check_performance
from mbc.runtime.gates.plausible import check_plausible
from mbc.runtime.gates.predicate import ANYWHERE, Predicate
from mbc.runtime.gates.report import (
    GateName,
    GateResult,
    Rejected,
    Report,
    Skipped,
)
from mbc.runtime.gates.whole_model import WholeModel, check_whole_model
from mbc.runtime.outcome import EmitOnly
from mbc.runtime.runner import Runner

GATES: dict[GateName, str] = {
    "G0": "mbc.runtime.gates.text:check_text",
    "G1": "mbc.runtime.gates.object:check_object",
}
"""Gates that need the text alone and the text with its toolchain."""

ORDER: tuple[GateName, ...] = ("G0", "G1", "G2", "G3", "G4", "G5", "G6")
NOTHING_MEASURED = "nothing was measured"
Drawn = Callable[[], CaseSet]


@dataclass(frozen=True)
class Judge:
    """What a candidate is held to; `peaks` are the device's where they are known."""

    runner: Runner
    gates: Sequence[GateName] = ORDER
    numerics: Numerics = STRICT
    predicate: Predicate = ANYWHERE
    seed: int = 0
    secret: int | None = None
    """Seed of the hidden cases; from the system where it is not given."""
    model: WholeModel | None = None
    """The model with the candidate in it."""
    pair: Pair | None = None
    """The candidate's time and that of what it is compared with."""
    peaks: Peaks | None = None

    def judge(self, candidate: Candidate, cases: CaseSet | None = None) -> Report:
        """`cases` of an earlier candidate for the same kernel save their references."""
        available = self.runner.availability()
        if isinstance(available, EmitOnly):
            reason = f"{available.reason}; install: {available.install}"
            return self._report(candidate, [Skipped("G2", reason)], ())
        # Drawn by the first gate that asks, so that a refused text costs no reference.
        drawn = cache(lambda: cases or self._cases(candidate))
        results: list[GateResult] = []
        notes: tuple[str, ...] = ()
        wanted: list[GateName] = [gate for gate in ORDER if gate in self.gates]
        for gate in wanted:
            started = time.perf_counter()
            result = self._run(gate, candidate, drawn)
            if gate == "G2" and not _is_illegal(result):
                notes = _notes(drawn())
            results.append(_timed(result, time.perf_counter() - started))
            if isinstance(result, Rejected):
                break
        return self._report(candidate, results, notes)

    def _cases(self, candidate: Candidate) -> CaseSet:
        return draw_cases(candidate, self.seed, self.predicate)

    def _run(self, gate: GateName, candidate: Candidate, drawn: Drawn) -> GateResult:
        try:
            return self._asked(gate, candidate, drawn)
        except PassRefused as refusal:
            return Rejected(gate, "legality", "refused", refusal.reason)

    def _asked(self, gate: GateName, candidate: Candidate, drawn: Drawn) -> GateResult:
        match gate:
            case "G0" | "G1":
                return self._loaded(gate, candidate)
            case "G2":
                return check_differential(
                    candidate, self.runner, drawn(), self.numerics
                )
            case "G3":
                if self.model is None:
                    return Skipped("G3", "the kernel was judged without its model")
                return check_whole_model(self.model, self.runner)
            case "G4":
                if self.pair is None:
                    return Skipped("G4", NOTHING_MEASURED)
                return check_performance(self.pair)
            case "G5":
                if self.pair is None:
                    return Skipped("G5", NOTHING_MEASURED)
                return check_plausible(candidate, self.pair.candidate, self.peaks)
            case "G6":
                return self._hidden(candidate, drawn())

    def _loaded(self, gate: GateName, candidate: Candidate) -> GateResult:
        module, name = GATES[gate].split(":")
        check = getattr(import_module(module), name)
        arguments = (candidate,) if gate == "G0" else (candidate, self.runner)
        return cast(GateResult, check(*arguments))

    def _hidden(self, candidate: Candidate, drawn: CaseSet) -> GateResult:
        seed = hidden_seed() if self.secret is None else self.secret
        return check_hidden(
            candidate, self.runner, drawn.extents, seed, self.predicate, self.numerics
        )

    def _report(
        self,
        candidate: Candidate,
        results: Sequence[GateResult],
        notes: tuple[str, ...],
    ) -> Report:
        return Report(
            candidate.label,
            candidate.target.name,
            self.runner.device(),
            self.runner.isolation(),
            tuple(results),
            notes,
        )


def _is_illegal(result: GateResult) -> bool:
    """Whether there is no program to judge, and so no case of it."""
    return isinstance(result, Rejected) and result.rule == "legality"


def _notes(drawn: CaseSet) -> tuple[str, ...]:
    told = () if drawn.problem else non_discriminating(drawn.cases)
    return (*drawn.notes, *told)


def _timed(result: GateResult, seconds: float) -> GateResult:
    return result if isinstance(result, Skipped) else replace(result, seconds=seconds)
