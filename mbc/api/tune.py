"""Tuning a model: its kernels one by one, the largest first, then the whole checked.

Kernels that compute the same from the same kinds of operands (by the fingerprint of
their identity) are tuned once. Every kernel is first checked and timed as the default
schedule has it; the rest of the budget goes to kernels in proportion to their share of
that time. All that was learned is in the knowledge base, so that a second run starts
from it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Any

from xdsl.dialects.builtin import ModuleOp

import mbc
from mbc.agent.environment import KernelEnvironment, kernel_module
from mbc.agent.evaluation import refutation
from mbc.agent.facts import kernel_identity, marked_operands
from mbc.agent.frontier import Frontier
from mbc.agent.gate_record import conditions_in
from mbc.agent.loop import Budget, KernelResult, Progress, optimize_kernel
from mbc.agent.memory import KnowledgeBase
from mbc.agent.policies import make_policy
from mbc.agent.policy import Policy
from mbc.agent.records import Timed, relabel
from mbc.api.artifact import Artifact
from mbc.api.assembly import Assembly, Choice, meaning_of
from mbc.api.history import KernelHistory, history_of
from mbc.api.module import Module, import_model
from mbc.api.sums import sums
from mbc.api.tuned import Tuned, TunedKernel
from mbc.codegen.families import match_kernel
from mbc.codegen.targets import Target, target_named
from mbc.errors import ToolMissing
from mbc.ir.attributes import TARGET, Entry
from mbc.ir.context import new_context
from mbc.ir.execute import function_named
from mbc.ir.kernel import kernels
from mbc.ir.text import print_module
from mbc.passes.pipeline import parse, run
from mbc.passes.support.functions import parameter_values
from mbc.runtime import isolation
from mbc.runtime.gates.report import Report
from mbc.runtime.outcome import EmitOnly
from mbc.runtime.runner import Runner, runner_for

if TYPE_CHECKING:
    from torch import Tensor, nn

NOT_GAINED = "all kernels are back at their defaults: together they gained nothing"
DEFAULT_BUDGET = Budget(measurements=60)


@dataclass(frozen=True)
class Step:
    """Progress of a run: the kernel at hand, and the loop's own progress."""

    label: str
    position: int
    kernels: int
    progress: Progress | None


def optimize(
    model: nn.Module,
    example_inputs: Sequence[Tensor],
    target: str,
    budget: Budget = DEFAULT_BUDGET,
    **settings: Any,
) -> Tuned:
    """Import a PyTorch model and tune it; settings as those of `tune`."""
    return tune(import_model(model, example_inputs), target, budget=budget, **settings)


def tune(
    module: Module,
    target: str,
    options: Mapping[str, Entry] | None = None,
    budget: Budget = DEFAULT_BUDGET,
    policy: str = "heuristic",
    knowledge_path: Path | str = ":memory:",
    seed: int = 0,
    progress: Callable[[Step], None] = lambda _: None,
    require_sandbox: bool = False,
) -> Tuned:
    """Tune every kernel of `module`; Ctrl-C keeps the best so far.

    Raises `ToolMissing` where the target cannot run here, or where a sandbox is
    required and there is none, `InvalidInput` for a model that cannot be judged, and
    `WrongResult` if it is outside its bound whatever its schedules.
    """
    chosen = target_named(target, options)
    if require_sandbox:
        isolation.require_sandbox()
    runner = runner_for(target)
    availability = runner.availability()
    if isinstance(availability, EmitOnly):
        raise ToolMissing(f"{availability.reason}; install: {availability.install}")
    with KnowledgeBase(knowledge_path) as knowledge:
        try:
            tuning = _Run(module, chosen, runner, knowledge, budget, seed, progress)
            return tuning.tune(make_policy(policy))
        finally:
            runner.close()


class _Run:
    """One tuning run over the kernels of a model."""

    def __init__(
        self,
        module: Module,
        target: Target,
        runner: Runner,
        knowledge: KnowledgeBase,
        budget: Budget,
        seed: int,
        progress: Callable[[Step], None],
    ):
        self._module = module
        self._target = target
        self._runner = runner
        self._knowledge = knowledge
        self._budget = budget
        self._seed = seed
        self._progress = progress
        self._meaning = meaning_of(module, seed)
        self._policy = ""
        self._deadline = monotonic() + (budget.seconds or 0.0)
        self._results: dict[str, KernelResult] = {}
        self._measured = 0
        self._interrupted = False

    def tune(self, policy: Policy) -> Tuned:
        self._policy = policy.name
        op = self._module.op.clone()
        op.attributes[TARGET] = self._target.attribute()
        run(new_context(), op, parse(self._target.model_pipeline))
        found = self._environments(op)
        for position, environment in enumerate(found):
            self._search(environment, policy, self._first(environment), position, found)
        tunable = [e for e in found if e.legal_actions(e.default())]
        ordered = self._largest_first(tunable)
        for position, environment in enumerate(ordered):
            share = self._share(ordered[position:], environment)
            more = Budget(measurements=share, seconds=self._seconds())
            if share != 0:
                self._search(environment, policy, more, position, ordered)
        return self._finish(op, found)

    def _environments(self, op: ModuleOp) -> list[KernelEnvironment]:
        """One per distinct kernel that depends on inputs."""
        constant = parameter_values(function_named(op, "forward"))
        distinct: dict[str, KernelEnvironment] = {}
        for kernel in kernels(op):
            marked = marked_operands(kernel, constant)
            if len(marked) == len(kernel.ins):
                continue
            environment = KernelEnvironment(
                kernel_module(kernel, marked),
                self._target,
                self._runner,
                f"mbc {mbc.__version__}",
                self._seed,
            )
            distinct.setdefault(environment.kernel.fingerprint, environment)
        return list(distinct.values())

    def _search(
        self,
        environment: KernelEnvironment,
        policy: Policy,
        budget: Budget,
        position: int,
        among: Sequence[KernelEnvironment],
    ) -> None:
        if self._interrupted:
            return

        def report(step: Progress) -> None:
            self._progress(Step(environment.label, position, len(among), step))

        result = optimize_kernel(
            environment, policy, self._knowledge, budget, self._seed, report
        )
        self._measured += result.measured
        self._interrupted = result.interrupted
        earlier = self._results.get(environment.label)
        if earlier is not None:
            measured = earlier.measured + result.measured
            result = replace(result, measured=measured, recalled=earlier.recalled)
        self._results[environment.label] = result

    def _first(self, environment: KernelEnvironment) -> Budget:
        """One measurement for the default schedule; none if it is remembered."""
        known = Frontier(environment.default(), environment.label)
        known.recall(self._knowledge.known(environment.kernel, environment.target))
        missing = int(known.root is None)
        return Budget(measurements=missing, seconds=self._seconds())

    def _seconds(self) -> float | None:
        if self._budget.seconds is None:
            return None
        return max(0.0, self._deadline - monotonic())

    def _largest_first(
        self, found: Sequence[KernelEnvironment]
    ) -> list[KernelEnvironment]:
        return sorted(found, key=lambda e: -self._time(e.label))

    def _share(
        self, waiting: Sequence[KernelEnvironment], environment: KernelEnvironment
    ) -> int | None:
        """What is left of the budget, in proportion to the root of a kernel's time.

        The root leaves something for small kernels, whose lessons carry over.
        """
        if self._budget.measurements is None:
            return None
        left = max(0, self._budget.measurements - self._measured)
        total = sum(self._time(e.label) ** 0.5 for e in waiting)
        mine = self._time(environment.label) ** 0.5
        return round(left * mine / total) if total else left

    def _time(self, label: str) -> float:
        result = self._results.get(label)
        default = None if result is None else result.default
        if default is None or not isinstance(default.result, Timed):
            return 0.0
        return default.result.value

    def _finish(self, op: ModuleOp, found: Sequence[KernelEnvironment]) -> Tuned:
        """Put the chosen schedules into the model, judge it whole, report."""
        occurrences = self._occurrences(op, found)
        assembly = Assembly(
            self._module,
            self._target,
            self._runner,
            self._meaning,
            [self._choice(e, occurrences[e.label]) for e in found],
            partial(sums, self._results, occurrences, self._runner.device()),
        )
        whole = assembly.judged()
        notes = [self._refute(label, why) for label, why in whole.refuted.items()]
        if whole.reverted:
            notes.append(NOT_GAINED)
        rows = [self._row(op, environment) for environment in found]
        return Tuned(
            whole.artifact,
            rows,
            self._interrupted,
            self._measured,
            whole.report,
            notes,
            whole.reverted,
            self._histories(op, whole.artifact, occurrences),
            self._settings(),
        )

    def _histories(
        self, op: ModuleOp, artifact: Artifact, occurrences: Mapping[str, Sequence[str]]
    ) -> list[KernelHistory]:
        formed = {kernel.label.data: kernel for kernel in kernels(op)}
        tuned = {kernel.label.data: kernel for kernel in kernels(artifact.module)}
        return [
            history_of(
                formed[label],
                tuned[label],
                self._target,
                len(labels),
                self._results.get(label),
            )
            for label, labels in occurrences.items()
        ]

    def _settings(self) -> dict[str, Any]:
        return {
            "policy": self._policy,
            "seed": self._seed,
            "budget": asdict(self._budget),
            "imported": print_module(self._module.op),
        }

    def _occurrences(
        self, op: ModuleOp, found: Sequence[KernelEnvironment]
    ) -> dict[str, list[str]]:
        """Labels in the model by the label under which a kernel was tuned."""
        constant = parameter_values(function_named(op, "forward"))
        tuned_as = {e.kernel.fingerprint: e.label for e in found}
        labels: dict[str, list[str]] = {e.label: [] for e in found}
        for kernel in kernels(op):
            marked = marked_operands(kernel, constant)
            identity = kernel_identity(kernel, self._target, marked)
            if identity.fingerprint in tuned_as:
                labels[tuned_as[identity.fingerprint]].append(kernel.label.data)
        return labels

    def _choice(self, environment: KernelEnvironment, labels: list[str]) -> Choice:
        default = environment.default()
        result = self._results.get(environment.label)
        tuned = default if result is None else result.pipeline
        return Choice(
            environment.label,
            tuple(relabel(default, label) for label in labels if default),
            tuple(relabel(tuned, label) for label in labels if tuned),
        )

    def _refute(self, label: str, why: Report) -> str:
        """Remember that what was accepted makes the model wrong; one sentence."""
        result = self._results[label]
        if result.best is not None:
            run = result.best.run_id
            self._knowledge.append(refutation(result.best, run, why))
        self._results[label] = replace(result, best=None, stopped="verify_fail")
        reason = why.rejection.reason if why.rejection else "it is out of bounds"
        return (
            f"{label} is back at its default, because the whole model is wrong with "
            f"'{result.pipeline}': {reason}"
        )

    def _row(self, op: ModuleOp, environment: KernelEnvironment) -> TunedKernel:
        label = environment.label
        kernel = next(k for k in kernels(op) if k.label.data == label)
        result = self._results.get(label)
        family = match_kernel(kernel, self._target).family
        default = None if result is None else result.default
        if result is None or default is None or not isinstance(default.result, Timed):
            reason = "not measured" if result is None else result.stopped
            return TunedKernel(label, family, 0, 0, 1.0, "", "none", reason, "", 0, 0)
        best = result.best or default
        number = best.result
        assert isinstance(number, Timed)
        refuted = result.stopped == "verify_fail"
        return TunedKernel(
            label,
            family,
            default.result.value,
            number.value,
            math.exp(number.log_default),
            number.unit,
            number.fidelity.name.lower(),
            best.verdict if result.best else "verify_fail" if refuted else "default",
            environment.default() if refuted else result.pipeline,
            result.measured,
            result.recalled,
            conditions_in(best.gate_report),
        )
