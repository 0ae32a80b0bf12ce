"""One problem on one target: emitted, run, and compared with `execute`.

Where programs run on the device itself, the whole model is run at its reduced extents.
Where an emulator runs them, every distinct kernel is, at extents of at most a million
multiply-accumulates, and the whole model where it has few enough of them; the whole
model is built in any case.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Mapping
from dataclasses import asdict, dataclass, replace

from xdsl.dialects.builtin import ModuleOp

from mbc.api.artifact import error_of
from mbc.api.distinct_kernels import body_names, distinct_kernels, joined
from mbc.api.module import argument_names
from mbc.codegen.families import match_kernel
from mbc.codegen.model import ModelCode, emit_model
from mbc.codegen.targets import Target, target_named
from mbc.ir.attributes import TARGET
from mbc.ir.context import new_context
from mbc.ir.cost import flops
from mbc.ir.execute import function_named
from mbc.ir.kernel import kernels
from mbc.ir.types import Array, element_of, is_tensor
from mbc.passes.pipeline import parse, run
from mbc.runtime.bound import Mismatch, expected_results, judged
from mbc.runtime.execution import run_function, run_prepare
from mbc.runtime.inputs import random_arguments
from mbc.runtime.outcome import EmitOnly, Failed
from mbc.runtime.runner import Runner, runner_for

MOST_EMULATED = 40_000_000
"""FLOPs of a whole model, 20 million multiply-accumulates, that an emulator runs."""
WIDE = re.compile(r"\bdouble\d*\b|_f64m\d")
"""How kernels say float64, in any of the languages."""


@dataclass(frozen=True)
class Emitted:
    """Kernels per family; what the plain loop nest had to take, by its ops; and
    kernels with float64 in their text though the model has none."""

    families: Mapping[str, int]
    fallbacks: tuple[str, ...]
    wide: tuple[str, ...]


@dataclass(frozen=True)
class Checked:
    """`share` is the most of an element's bound that was used; `keys` are the distinct
    kernels that were found right; `whole` says whether the model was run at once."""

    emitted: Emitted
    share: float = 0.0
    keys: tuple[str, ...] = ()
    too_large: tuple[str, ...] = ()
    whole: bool = False

    @property
    def detail(self) -> dict[str, object]:
        return {k: v for k, v in asdict(self).items() if k != "share"}


@dataclass(frozen=True)
class Wrong:
    reason: str
    emitted: Emitted


@dataclass(frozen=True)
class OnTarget:
    """A model with values for all arguments of @forward, by name, in order."""

    op: ModuleOp
    values: Mapping[str, Array]
    target: Target
    runner: Runner

    def checked(self, known: Collection[str]) -> Checked | Wrong:
        """Raises `MbcError` where something does not build or run."""
        formed = self._formed()
        whole = self._finished(formed)
        code = emit_model(whole)
        emitted = _emitted(self.op, whole, code)
        found = Checked(emitted)
        emulated = self.runner.emulates()
        if emulated:
            self._build(code)
            kernels = self._kernels(formed, known, emitted)
            if isinstance(kernels, Wrong):
                return kernels
            found = kernels
        if emulated and flops(self.op) > MOST_EMULATED:
            return found
        share = self._compared(self.op, code, self.values, emitted)
        if isinstance(share, Wrong):
            return share
        return replace(found, share=max(found.share, share), whole=True)

    def _formed(self) -> ModuleOp:
        module = self.op.clone()
        module.attributes[TARGET] = self.target.attribute()
        run(new_context(), module, parse(self.target.model_pipeline))
        return module

    def _finished(self, formed: ModuleOp) -> ModuleOp:
        steps = (self.target.kernel_pipeline, self.target.final_pipeline)
        module = formed.clone()
        run(new_context(), module, parse(",".join(step for step in steps if step)))
        return module

    def _build(self, code: ModelCode) -> None:
        """Where the compiler is here; what emulates has one of its own."""
        for function in (code.prepare, code.forward):
            if function is None or not function.program.launches:
                continue
            outcome = self.runner.compile_check(function.program)
            if isinstance(outcome, Failed) and outcome.kind != "blocked":
                raise error_of(outcome)

    def _kernels(
        self, formed: ModuleOp, known: Collection[str], emitted: Emitted
    ) -> Checked | Wrong:
        distinct = distinct_kernels(formed, known)
        keys = tuple(one.key for one in distinct.reduced)
        found = Checked(emitted, 0.0, keys, distinct.too_large)
        if not distinct.reduced:
            return found
        module = joined(distinct.reduced, formed)
        function = function_named(module, "forward")
        drawn = random_arguments(function.body.block, 0)
        names = [name for _, name in argument_names(function)]
        values = dict(zip(names, drawn, strict=True))
        code = emit_model(self._finished(module))
        share = self._compared(module, code, values, emitted)
        return share if isinstance(share, Wrong) else replace(found, share=share)

    def _compared(
        self,
        op: ModuleOp,
        code: ModelCode,
        values: Mapping[str, Array],
        emitted: Emitted,
    ) -> float | Wrong:
        prepared = run_prepare(self.runner, code, values)
        if isinstance(prepared, Failed):
            raise error_of(prepared)
        got = run_function(self.runner, code.forward, values, prepared)
        if isinstance(got, Failed):
            raise error_of(got)
        arrays = list(values.values())
        verdict = judged(op, arrays, expected_results(op, arrays), got)
        if isinstance(verdict, Mismatch):
            return Wrong(str(verdict), emitted)
        return verdict.worst


def on_target(op: ModuleOp, values: Mapping[str, Array], target: str) -> OnTarget:
    return OnTarget(op, values, target_named(target), runner_for(target))


def _emitted(op: ModuleOp, lowered: ModuleOp, code: ModelCode) -> Emitted:
    found = [(kernel, match_kernel(kernel, code.target)) for kernel in kernels(lowered)]
    families = Counter(match.family for _, match in found)
    fallbacks = [body_names(kernel) for kernel, m in found if m.family == "nest"]
    wide = [label for label, k in code.kernels.items() if WIDE.search(k.source)]
    return Emitted(
        dict(families),
        tuple(fallbacks),
        () if _has_float64(op) else tuple(wide),
    )


def _has_float64(op: ModuleOp) -> bool:
    values = [v for nested in op.walk() for v in (*nested.operands, *nested.results)]
    return any(is_tensor(v.type) and str(element_of(v)) == "f64" for v in values)


def missing_tools(target: str) -> str:
    """Why programs of a target cannot run here, or the empty string."""
    runner = runner_for(target)
    try:
        available = runner.availability()
    finally:
        runner.close()
    match available:
        case EmitOnly(reason, install):
            return f"{reason}; needed: {install}"
        case _:
            return ""
