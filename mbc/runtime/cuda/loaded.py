"""Programs that the GPU's worker keeps loaded between questions about their times."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from mbc.codegen.program import Program
from mbc.runtime.cuda.device import Clock, Memory
from mbc.runtime.cuda.timing import Captured, captured
from mbc.runtime.rounds import Rounds


@dataclass
class Loaded:
    clock: Clock
    subjects: list[Captured] = field(default_factory=list[Captured])
    rounds: Rounds | None = None

    def load(
        self,
        program: Program,
        blobs: Sequence[bytes],
        facts: dict[str, Any],
        caller: Callable[[Memory], Callable[[], object]],
    ) -> dict[str, Any]:
        """Its first sample is checked like any other."""
        names = [buffer.name for buffer in program.inputs]
        width = len(names)
        cases = [
            dict(zip(names, blobs[i * width : (i + 1) * width], strict=True))
            for i in range(facts["cases"])
        ]
        subject = captured(self.clock, program, cases, caller)
        alone = Rounds([subject], np.random.default_rng(facts["seed"]))
        started = time.monotonic()
        alone.take(1)
        taken = time.monotonic() - started
        self.subjects.append(subject)
        return {"seconds": taken, "calls": subject.batch}

    def time(self, facts: dict[str, Any]) -> dict[str, Any]:
        """Rounds on all that is loaded; warm-ups are rounds that the asker drops."""
        if self.rounds is None:
            rng = np.random.default_rng(facts["seed"])
            self.rounds = Rounds(self.subjects, rng)
        return {
            "samples": self.rounds.take(facts["rounds"]),
            "batches": [subject.batch for subject in self.subjects],
            "granularity": self.clock.granularity,
        }

    def results(self, index: int) -> tuple[dict[str, Any], list[bytes]]:
        """Every distinct result of one program's calls, and how many had it."""
        kept = self.subjects[index].results
        seen = [[case, calls] for (case, _), calls in kept.counts.items()]
        blobs = [blob for _, result in kept.counts for blob in result]
        return {"seen": seen, "rule": kept.rule, "problem": kept.problem}, blobs
