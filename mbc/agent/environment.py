"""One kernel of a model on one target: its legal schedules, checked and timed.

A schedule is a pipeline of kernel-level steps, one per knob, in a fixed order. An
action replaces one step; what is legal comes from each pass's `schedule_space` on the
kernel as the other steps leave it. A candidate is built, run outside this process,
compared with `execute` within the bound of its case, and timed beside its reference.
One that would be an improvement is judged by all gates first (`admission.py`).
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field

from xdsl.context import Context
from xdsl.dialects.builtin import ArrayAttr, DictionaryAttr, ModuleOp, StringAttr
from xdsl.passes import ModulePass

from mbc.agent.admission import Admission
from mbc.agent.evaluation import Evaluated, Passed, Rejected
from mbc.agent.facts import (
    device_peaks,
    kernel_facts,
    kernel_identity,
    marked_operands,
    predicted_time,
    prior,
    schedule_cost,
    target_identity,
)
from mbc.agent.gate_record import comparison_report, with_measurement
from mbc.agent.policy import Candidate
from mbc.agent.records import (
    ActionText,
    KernelIdentity,
    Rejection,
    TargetIdentity,
)
from mbc.agent.state import extract
from mbc.codegen.emitters import emitter
from mbc.codegen.families import match_kernel, schedule_of
from mbc.codegen.model import emit_model
from mbc.codegen.targets import Target
from mbc.errors import PassRefused
from mbc.ir.context import new_context
from mbc.ir.execute import function_named
from mbc.ir.kernel import KernelOp, kernels, single_kernel_module
from mbc.ir.types import Array
from mbc.passes import pass_class
from mbc.passes.pipeline import parse, pass_text, run, selector_of
from mbc.passes.support.functions import parameter_values
from mbc.runtime.bound import Agreement, Expected, Mismatch, compare, expected_results
from mbc.runtime.execution import run_function, run_prepare
from mbc.runtime.gates.performance import Pair, check_performance
from mbc.runtime.gates.report import Passed as GatePassed
from mbc.runtime.inputs import random_arguments
from mbc.runtime.judged_case import judged_case
from mbc.runtime.outcome import Failed, NotMeasured
from mbc.runtime.runner import Runner
from mbc.runtime.sampling import ENOUGH
from mbc.runtime.trial import Trial

KNOBS = (
    "choose-layout",
    "pack-operand",
    "use-matrix-unit",
    "set-tile",
    "set-vector",
    "set-unroll",
    "set-parallel",
    "set-stages",
    "split-reduction",
)
"""Kernel-level passes in the order of a pipeline; each occurs at most once."""
CASES = 3
"""Sets of inputs that timed calls are given in turn; parameters stay what they are."""
REJECTIONS: dict[str, Rejection] = {
    "compile_fail": "compile_fail",
    "crash": "verify_fail",
    "timeout": "timeout",
    "blocked": "blocked",
}


@dataclass(frozen=True)
class _Built:
    """A candidate that passed the checks, ready to be timed."""

    trial: Trial
    agreement: Agreement


@dataclass(frozen=True)
class _Outlook:
    """The time that the cost model gives a schedule, and a hash of its code."""

    time: float
    code: int


COMMENT = re.compile(r"/\*.*?\*/|//[^\n]*", re.DOTALL)


def without_comments(source: str) -> str:
    """Emitted text without the comments, which name the schedule."""
    return COMMENT.sub("", source)


@dataclass
class KernelEnvironment:
    """`module` holds the kernel alone in @forward, before any kernel-level step.

    Arguments that the model computes from parameters only are marked
    `mbc.parameter`: work on them is not timed.
    """

    module: ModuleOp
    compiled_for: Target
    runner: Runner
    toolchain: str
    seed: int = 0
    label: str = field(init=False)
    kernel: KernelIdentity = field(init=False)
    target: TargetIdentity = field(init=False)
    _context: Context = field(default_factory=new_context, repr=False)
    _cases: tuple[tuple[dict[str, Array], tuple[Expected, ...]], ...] = field(
        init=False, repr=False
    )
    """Values by argument name, and what comes of them; the first is checked untimed."""

    def __post_init__(self) -> None:
        (kernel,) = kernels(self.module)
        self.label = kernel.label.data
        function = function_named(self.module, "forward")
        marked = marked_operands(kernel, parameter_values(function))
        self.kernel = kernel_identity(kernel, self.compiled_for, marked)
        self.target = target_identity(
            self.compiled_for, self.runner.device(), self.toolchain
        )
        first = random_arguments(function.body.block, self.seed)
        drawn = [first]
        for case in range(1, CASES):
            fresh = random_arguments(function.body.block, self.seed + case)
            both = enumerate(zip(first, fresh, strict=True))
            drawn.append([old if i in marked else new for i, (old, new) in both])
        self._cases = tuple(
            (
                {f"arg{i}": array for i, array in enumerate(arguments)},
                expected_results(self.module, arguments, self.seed),
            )
            for arguments in drawn
        )
        self._built: dict[str, _Built | Rejected] = {}
        self._outlooks: dict[str, _Outlook | None] = {}

    def default(self) -> str:
        """The target's own kernel-level steps, with the label filled in."""
        steps = self._applied(self.compiled_for.kernel_pipeline)
        return canonical(steps)

    def _applied(self, text: str) -> list[str]:
        """The steps of a default pipeline that this kernel does not refuse."""
        kept: list[str] = []
        for step in parse(text):
            cls = type(step)
            for legal in cls.schedule_space(self._context, self.module)[:1]:
                kept.append(pass_text(legal))
        return kept

    def legal_actions(self, pipeline: str) -> Sequence[Candidate]:
        """Every legal replacement of one knob, in the order of `KNOBS`.

        Left out: what a later step of the pipeline refuses, and what emits the same
        code as another. A remembered pipeline that is refused by now leads nowhere.
        """
        steps = steps_of(pipeline)
        before = self._outlook(pipeline)
        if before is None:
            return []
        found: dict[str, Candidate] = {}
        emitted = {before.code}
        for knob in KNOBS:
            others = [s for s in steps if name_of(s) != knob]
            present = next((s for s in steps if name_of(s) == knob), "")
            for legal in self._space(knob, others):
                text = pass_text(legal)
                changed = canonical([*others, text])
                if text == present or changed == pipeline or changed in found:
                    continue
                after = self._outlook(changed)
                if after is None or after.code in emitted:
                    continue
                emitted.add(after.code)
                estimate = prior(before.time, after.time)
                action = ActionText.of_step(text)
                found[changed] = Candidate(action, changed, estimate)
        return list(found.values())

    def _space(self, knob: str, others: Sequence[str]) -> Sequence[ModulePass]:
        """What the steps before a knob leave it, for this kernel and no helper."""
        place = KNOBS.index(knob)
        earlier = [step for step in others if KNOBS.index(name_of(step)) < place]
        module = self._scheduled(canonical(earlier), final="")
        space = pass_class(knob).schedule_space(self._context, module)
        return [step for step in space if selector_of(step) == self.label]

    def _outlook(self, pipeline: str) -> _Outlook | None:
        """What a schedule looks like before it is built; None if it is refused."""
        if pipeline not in self._outlooks:
            self._outlooks[pipeline] = self._looked_at(pipeline)
        return self._outlooks[pipeline]

    def _looked_at(self, pipeline: str) -> _Outlook | None:
        try:
            module = self._scheduled(pipeline, final="")
        except PassRefused:
            return None
        looks = [self._one_outlook(kernel) for kernel in self._timed(module)]
        code = hash(tuple(look.code for look in looks))
        return _Outlook(sum(look.time for look in looks), code)

    def _timed(self, module: ModuleOp) -> list[KernelOp]:
        """The kernel and its helpers, but not what happens once, at load."""
        constant = parameter_values(function_named(module, "forward"))
        return [k for k in kernels(module) if k.outs[0] not in constant]

    def _one_outlook(self, kernel: KernelOp) -> _Outlook:
        match = match_kernel(kernel, self.compiled_for)
        schedule = schedule_of(match, self.compiled_for)
        cost = schedule_cost(match, self.compiled_for, schedule)
        facts = kernel_facts(kernel, self.compiled_for)
        time = predicted_time(cost, facts, device_peaks(self.compiled_for))
        code = emitter(self.compiled_for, match.family)(
            match, schedule, self.compiled_for
        )
        return _Outlook(time, hash((without_comments(code.source), code.launches)))

    def _scheduled(self, pipeline: str, final: str) -> ModuleOp:
        module = self.module.clone()
        text = ",".join(part for part in (pipeline, final) if part)
        run(self._context, module, parse(text))
        return module

    def evaluate(self, pipelines: Sequence[str], reference: str) -> Iterable[Evaluated]:
        """Check every candidate, then time those that passed beside the reference."""
        base = self._candidate(reference)
        for pipeline in pipelines:
            yield self._evaluate(pipeline, reference, base)

    def _evaluate(
        self, pipeline: str, reference: str, base: _Built | Rejected
    ) -> Evaluated:
        built = self._candidate(pipeline)
        if isinstance(built, Rejected):
            return built
        if isinstance(base, Rejected):
            return Rejected("blocked", f"the reference failed: {base.reason}")
        pair = [built] if pipeline == reference else [built, base]
        times = self.runner.measure([each.trial for each in pair], ENOUGH)
        if isinstance(times[0], NotMeasured) and times[0].rule:
            return Rejected("verify_fail", times[0].reason)
        module = self._scheduled(pipeline, final="")
        kernel = next(k for k in kernels(module) if k.label.data == self.label)
        report: str | Rejected = comparison_report(built.agreement)
        beside = Pair(times[0], times[-1])
        if isinstance(check_performance(beside), GatePassed):
            admission = Admission(self.runner, self.compiled_for, self.seed)
            report = admission.check(module, kernel, beside)
        if isinstance(report, Rejected):
            return report
        facts = kernel_facts(kernel, self.compiled_for)
        state = extract(facts, device_peaks(self.compiled_for), times[0])
        return Passed(times[0], times[-1], state, with_measurement(report, times[0]))

    def _candidate(self, pipeline: str) -> _Built | Rejected:
        """Build and check once per pipeline."""
        if pipeline not in self._built:
            self._built[pipeline] = self._check(pipeline)
        return self._built[pipeline]

    def _check(self, pipeline: str) -> _Built | Rejected:
        try:
            module = self._scheduled(pipeline, self.compiled_for.final_pipeline)
            code = emit_model(module)
        except PassRefused as refusal:
            return Rejected("refused", refusal.reason)
        values, expected = self._cases[0]
        prepared = run_prepare(self.runner, code, values)
        if isinstance(prepared, Failed):
            return rejected(prepared)
        results = run_function(self.runner, code.forward, values, prepared)
        if isinstance(results, Failed):
            return rejected(results)
        verdict = compare(expected, results)
        if isinstance(verdict, Mismatch):
            return Rejected("verify_fail", str(verdict))
        cases = (judged_case(code.forward, v, prepared, e) for v, e in self._cases)
        return _Built(Trial(code.forward.program, tuple(cases)), verdict)


def kernel_module(kernel: KernelOp, parameters: Collection[int]) -> ModuleOp:
    """`kernel` alone in a module; operands in `parameters` are marked as such."""
    module = single_kernel_module(kernel)
    function = function_named(module, "forward")
    described = [
        {"mbc.parameter" if i in parameters else "mbc.input": StringAttr(f"arg{i}")}
        for i in range(len(kernel.ins))
    ]
    function.arg_attrs = ArrayAttr(DictionaryAttr(entry) for entry in described)
    return module


def rejected(outcome: Failed) -> Rejected:
    return Rejected(REJECTIONS[outcome.kind], outcome.message)


def steps_of(pipeline: str) -> list[str]:
    return [pass_text(step) for step in parse(pipeline)]


def name_of(step: str) -> str:
    return step.split("{", 1)[0]


def canonical(steps: Sequence[str]) -> str:
    """One text per schedule: steps in the order of `KNOBS`."""
    return ",".join(sorted(steps, key=lambda step: KNOBS.index(name_of(step))))
