"""A model with tuned kernels in it, judged as a whole: right first, then fast enough.

Kernels that passed alone can still be wrong or slow together. What makes the model
wrong (G3) goes back to its default and is remembered as wrong; where the model as a
whole did not gain (G4), all go back.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from mbc.api.artifact import Artifact
from mbc.api.lower import lower_with
from mbc.api.module import Module, argument_names
from mbc.codegen.targets import Target
from mbc.errors import BuildFailed, InvalidInput, MbcError, ToolMissing, WrongResult
from mbc.ir.execute import function_named
from mbc.runtime.execution import run_prepare
from mbc.runtime.gates.performance import Pair, check_performance
from mbc.runtime.gates.report import (
    MODEL_PROOF,
    GateResult,
    Passed,
    Rejected,
    Report,
)
from mbc.runtime.gates.whole_model import (
    Meaning,
    WholeModel,
    check_whole_model,
    culprits,
)
from mbc.runtime.judged_case import judged_case
from mbc.runtime.outcome import Failed, NotMeasured
from mbc.runtime.runner import Runner
from mbc.runtime.sampling import ENOUGH
from mbc.runtime.trial import Trial


@dataclass(frozen=True)
class Choice:
    """A kernel, wherever in the model it occurs: its steps by default and as tuned."""

    label: str
    default: tuple[str, ...]
    """One text for each occurrence."""
    tuned: tuple[str, ...]

    @property
    def is_tuned(self) -> bool:
        return self.default != self.tuned


@dataclass(frozen=True)
class Assembled:
    """`refuted` are labels of choices that made the model wrong, with the report that
    says so; `reverted` says that the rest did not gain together."""

    artifact: Artifact
    report: Report
    refuted: dict[str, Report] = field(default_factory=dict[str, Report])
    reverted: bool = False


def meaning_of(module: Module, seed: int) -> Meaning:
    """`InvalidInput` for a model that no result can be judged of."""
    function = function_named(module.op, "forward")
    names = tuple(name for _, name in argument_names(function))
    meaning = Meaning(module.op, names, module.parameters, seed)
    if isinstance(meaning.cases, str):
        raise InvalidInput(f"the model cannot be checked: {meaning.cases}")
    return meaning


@dataclass(frozen=True)
class Assembly:
    module: Module
    target: Target
    runner: Runner
    meaning: Meaning
    choices: Sequence[Choice]
    sums: Callable[[Sequence[str]], Pair | None]
    """Times of all kernels, the named ones as tuned, beside all by default, where a
    number repeats exactly; None where the whole model is put on a clock."""

    def judged(self) -> Assembled:
        """Raises `MbcError` if the model is wrong whatever its kernels are."""
        tuned = [choice.label for choice in self.choices if choice.is_tuned]
        artifact = self._lowered(tuned)
        result = self._check(artifact)
        refuted: dict[str, Report] = {}
        if isinstance(result, Rejected):
            refuted = self._refuted(tuned, result)
            tuned = [label for label in tuned if label not in refuted]
            artifact = self._lowered(tuned)
            result = self._right(artifact)
        if not tuned:
            return Assembled(artifact, self._report(result), refuted)
        default = self._lowered([])
        speed = check_performance(self._pair(tuned, artifact, default))
        if _gained(speed):
            return Assembled(artifact, self._report(result, speed), refuted)
        result = self._right(default)
        return Assembled(default, self._report(result, speed), refuted, reverted=True)

    def _refuted(self, tuned: Sequence[str], found: Rejected) -> dict[str, Report]:
        if not tuned or found.verdict in ("refused", "blocked"):
            raise error_of(found)
        self._right(self._lowered([]))
        wrong: dict[str, Report] = {}
        for label in culprits(tuned, self._passes):
            alone = self._check(self._lowered([label]))
            reason = alone if isinstance(alone, Rejected) else found
            wrong[label] = self._report(reason)
        return wrong

    def _passes(self, tuned: Sequence[str]) -> bool:
        return isinstance(self._check(self._lowered(tuned)), Passed)

    def _right(self, artifact: Artifact) -> GateResult:
        result = self._check(artifact)
        if isinstance(result, Rejected):
            raise error_of(result)
        return result

    def _check(self, artifact: Artifact) -> GateResult:
        return check_whole_model(WholeModel(self.meaning, artifact.code), self.runner)

    def _lowered(self, tuned: Sequence[str]) -> Artifact:
        steps = [self.target.model_pipeline]
        for choice in self.choices:
            chosen = choice.label in tuned
            steps += choice.tuned if chosen else choice.default
        steps.append(self.target.final_pipeline)
        pipeline = ",".join(step for step in steps if step)
        provenance = (
            f"checked against the model's own meaning on {self.runner.device()}, "
            f"isolated by {self.runner.isolation()}"
        )
        return lower_with(self.module, self.target, pipeline, provenance)

    def _pair(self, labels: Sequence[str], tuned: Artifact, default: Artifact) -> Pair:
        summed = self.sums(labels)
        if summed is not None:
            return summed
        trials: list[Trial] = []
        for artifact in (tuned, default):
            trial = self._trial(artifact)
            if isinstance(trial, Failed):
                missing = NotMeasured(trial.message)
                return Pair(missing, missing)
            trials.append(trial)
        times = self.runner.measure(trials, ENOUGH)
        return Pair(times[0], times[1])

    def _trial(self, artifact: Artifact) -> Trial | Failed:
        """The model on every draw of inputs that G3 compared it on."""
        cases = self.meaning.cases
        assert not isinstance(cases, str)
        prepared = run_prepare(self.runner, artifact.code, self.meaning.parameters)
        if isinstance(prepared, Failed):
            return prepared
        forward = artifact.code.forward
        judged = [judged_case(forward, c.arrays, prepared, c.expected) for c in cases]
        return Trial(forward.program, tuple(judged))

    def _report(self, *results: GateResult) -> Report:
        return Report(
            "model",
            self.target.name,
            self.runner.device(),
            self.runner.isolation(),
            results,
            proof=MODEL_PROOF,
        )


def _gained(speed: GateResult) -> bool:
    """Faster at all, beyond doubt: the threshold is one for the word improved.

    What could not be measured as a whole is as its kernels were found alone; what lied
    to the clock has no interval, and did not gain.
    """
    if isinstance(speed, Rejected):
        return float(speed.detail.get("low", 0)) > 1
    return True


def error_of(found: Rejected) -> MbcError:
    """The exception for a model that is wrong with every kernel as it is by default."""
    match found.verdict:
        case "refused":
            return InvalidInput(f"the model cannot be checked: {found.reason}")
        case "blocked":
            return ToolMissing(found.reason)
        case "compile_fail":
            return BuildFailed(found.reason, str(found.detail.get("log", "")))
        case _:
            return WrongResult("the model is outside its bound", found.reason)
