"""Timing trials by a worker process: load, rounds until settled, then the results.

The same for every worker that keeps programs loaded between questions. A program that
does not load drops out, and the others start again without it; a program of which one
timed call was wrong has no time.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from secrets import randbits
from statistics import median
from typing import Any

from mbc.codegen.program import Program
from mbc.runtime.conditions import Conditions
from mbc.runtime.outcome import (
    Failed,
    Fidelity,
    Measured,
    Measurement,
    NotMeasured,
    RunOutcome,
)
from mbc.runtime.sampling import WARM_ROUNDS, Samples, sampled
from mbc.runtime.trial import Observed, Trial, caught

SEED_BITS = 32
PATIENCE = 10
"""How many times longer than its first calls a round may take."""


@dataclass(frozen=True)
class Answer:
    body: dict[str, Any]
    blobs: Sequence[bytes]


@dataclass(frozen=True)
class Timekeeper:
    """A worker as far as measuring goes."""

    device: str
    seconds: float
    """Limit of a question, besides the rounds that it asks for."""
    ask: Callable[[dict[str, Any], Sequence[bytes], float], Answer | Failed]
    """A body with its `op`, blobs and a limit in seconds."""
    encoded: Callable[[Trial], tuple[dict[str, Any], Sequence[bytes]]]
    """A program, and the bytes of its inputs, case after case."""
    outputs: Callable[[Program, Sequence[bytes]], RunOutcome]
    conditions: Callable[[], Conditions]

    def measure(self, trials: Sequence[Trial], rounds: int) -> list[Measurement]:
        results: dict[int, Measurement] = {}
        while len(results) < len(trials):
            pending = [i for i in range(len(trials)) if i not in results]
            loaded = self._load(trials, pending, results)
            if loaded:
                chosen = [trials[i] for i in pending]
                found = self._timed(chosen, rounds, loaded)
                results.update(zip(pending, found, strict=True))
        self.ask({"op": "unload"}, (), self.seconds)
        return [results[i] for i in range(len(trials))]

    def _load(
        self,
        trials: Sequence[Trial],
        pending: Sequence[int],
        results: dict[int, Measurement],
    ) -> list[Answer]:
        """One answer for each of `pending`; none after one of them has dropped out."""
        self.ask({"op": "unload"}, (), self.seconds)
        loaded: list[Answer] = []
        for index in pending:
            body, blobs = self.encoded(trials[index])
            own = {"cases": len(trials[index].cases), "seed": randbits(SEED_BITS)}
            answer = self.ask({"op": "load", **body, **own}, blobs, self.seconds)
            if isinstance(answer, Failed):
                results[index] = NotMeasured(answer.message)
                return []
            loaded.append(answer)
        return loaded

    def _timed(
        self, trials: Sequence[Trial], rounds: int, loaded: Sequence[Answer]
    ) -> list[Measurement]:
        before, timer = self.conditions(), dict[str, Any]()
        seconds = sum(float(answer.body["seconds"]) for answer in loaded)

        def take(count: int) -> Samples | Failed:
            body = {"op": "time", "rounds": count, "seed": randbits(SEED_BITS)}
            limit = self.seconds + PATIENCE * count * seconds
            answer = self.ask(body, (), limit)
            if isinstance(answer, Failed):
                return answer
            timer.update(answer.body)
            return timer.pop("samples")

        samples = sampled(take, rounds)
        if isinstance(samples, Failed):
            return [NotMeasured(samples.message) for _ in trials]
        known = {**before, "granularity_ns": float(timer["granularity"])}
        known["load_after"] = self.conditions().get("load", "unknown")
        found: list[Measurement] = []
        for place, (trial, row) in enumerate(zip(trials, samples, strict=True)):
            batch, first = int(timer["batches"][place]), loaded[place].body["calls"]
            calls = int(first) + batch * (WARM_ROUNDS + len(row))
            wrong = self._caught(trial, place, calls)
            own: Conditions = {**known, "batch": float(batch), "checked": float(calls)}
            found.append(wrong or self._measured(row, own))
        return found

    def _caught(self, trial: Trial, place: int, calls: int) -> NotMeasured | None:
        """Judge what every timed call of one program has returned."""
        answer = self.ask({"op": "results", "index": place}, (), self.seconds)
        if isinstance(answer, Failed):
            return NotMeasured(answer.message)
        if answer.body["rule"]:
            return NotMeasured(str(answer.body["problem"]), str(answer.body["rule"]))
        width, observed = len(trial.program.outputs), list[Observed]()
        for number, (case, count) in enumerate(answer.body["seen"]):
            blobs = answer.blobs[number * width : (number + 1) * width]
            outputs = self.outputs(trial.program, blobs)
            if isinstance(outputs, Failed):
                return NotMeasured(outputs.message, "wrong result")
            observed.append(Observed(int(case), outputs.outputs, int(count)))
        return caught(trial, observed, calls)

    def _measured(self, samples: Sequence[float], known: Conditions) -> Measured:
        times, level = tuple(map(float, samples)), Fidelity.HARDWARE
        detail = {"batch": float(known["batch"])}
        return Measured(median(times), "ns", level, self.device, times, detail, known)
