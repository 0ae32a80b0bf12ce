"""The driver of every pass that joins a kernel into the one that consumes it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Self

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation, SSAValue
from xdsl.passes import ModulePass

from mbc.codegen.families import match_kernel
from mbc.codegen.targets import Target, module_target
from mbc.errors import PassRefused
from mbc.ir.kernel import KernelOp, kernel_by_label, kernels
from mbc.passes.support.functions import forward_of, parameter_values
from mbc.passes.support.inline import without_recomputing
from mbc.passes.support.kernels import Joined, join, put

Tried = tuple[KernelOp, KernelOp, frozenset[Operation]]
"""A producer, a consumer, and the producer's users: with these a refusal stands."""


@dataclass(frozen=True)
class FusionPass(ModulePass):
    """Subclasses say which pairs they take, in `objection` and `misfit`."""

    kernel: str | None = None
    """Label of the consumer; without it every pair is tried until none is left."""

    rule = staticmethod(without_recomputing)
    """Which maps of the joined body are combined into one."""

    def objection(self, producer: KernelOp, consumer: KernelOp) -> str:
        """Why this pass does not take the pair, or the empty string."""
        raise NotImplementedError(self.name)

    def misfit(
        self, producer: KernelOp, consumer: KernelOp, joined: KernelOp, target: Target
    ) -> str:
        """Why the joined kernel's family is not wanted, or the empty string."""
        return lost_family(producer, consumer, joined, target)

    def pays(self, producer: KernelOp, consumer: KernelOp) -> bool:
        """Whether the pass takes the pair without being asked for it."""
        return True

    def target(self, module: ModuleOp) -> Target | None:
        return module_target(module)

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        target = self.target(op)
        if self.kernel is not None:
            self._fuse_into(op, self.kernel, target)
            return
        refused: set[Tried] = set()
        while self._sweep(op, target, refused):
            pass

    def _fuse_into(self, module: ModuleOp, label: str, target: Target | None) -> None:
        """Every producer that the pass takes, and theirs."""
        reason, count = "no operand comes from another kernel", 0
        pending = list(producers(kernel_by_label(module, label)))
        while pending:
            producer = pending.pop(0)
            consumer = kernel_by_label(module, label)
            found = self.attempt(producer, consumer, target)
            if isinstance(found, str):
                reason = found
                continue
            put(found, producer, consumer)
            count += 1
            pending = list(producers(kernel_by_label(module, label)))
        if not count:
            raise PassRefused(self.name, reason)

    def _sweep(
        self, module: ModuleOp, target: Target | None, refused: set[Tried]
    ) -> bool:
        """Take every kernel once, in program order; says whether any was joined."""
        constant, changed = parameter_values(forward_of(module)), False
        for consumer in list(kernels(module)):
            kernel: KernelOp | None = consumer
            while kernel is not None:
                kernel = self._step(kernel, constant, target, refused)
                changed = changed or kernel is not None
        return changed

    def _step(
        self,
        consumer: KernelOp,
        constant: set[SSAValue],
        target: Target | None,
        refused: set[Tried],
    ) -> KernelOp | None:
        """The kernel joined with its first producer that the pass takes."""
        for producer in producers(consumer):
            tried = (producer, consumer, frozenset(_users(producer)))
            hoisted = _is_hoisted(producer, consumer, constant)
            if tried in refused or hoisted or not self.pays(producer, consumer):
                continue
            found = self.attempt(producer, consumer, target)
            if isinstance(found, str):
                refused.add(tried)
                continue
            if consumer.outs[0] in constant:
                constant.update(found.kernel.outs)
            put(found, producer, consumer)
            return found.kernel
        return None

    def attempt(
        self, producer: KernelOp, consumer: KernelOp, target: Target | None
    ) -> Joined | str:
        """The joined kernel, or why there is none."""
        reason = self.objection(producer, consumer) or common_objection(
            producer, consumer
        )
        if reason:
            return reason
        joined = join(producer, consumer, self.rule)
        if target is None:
            return joined
        reason = self.misfit(producer, consumer, joined.kernel, target)
        if not reason:
            return joined
        joined.discard()
        return reason

    @classmethod
    def schedule_space(cls, ctx: Context, module_op: ModuleOp) -> tuple[Self, ...]:
        instances = [cls(kernel=k.label.data) for k in kernels(module_op)]
        return tuple(i for i in instances if i.is_legal(module_op))

    def is_legal(self, module: ModuleOp) -> bool:
        """Whether the kernel has a producer that the pass takes."""
        assert self.kernel is not None
        consumer, target = kernel_by_label(module, self.kernel), self.target(module)
        for producer in producers(consumer):
            found = self.attempt(producer, consumer, target)
            if isinstance(found, Joined):
                found.discard()
                return True
        return False


def producers(consumer: KernelOp) -> Iterator[KernelOp]:
    """The kernels whose results are operands, each once."""
    owners = dict.fromkeys(value.owner for value in consumer.ins)
    return (owner for owner in owners if isinstance(owner, KernelOp))


def family(kernel: KernelOp, target: Target) -> str:
    return match_kernel(kernel, target).family


SCALAR = ("pointwise", "nest")
"""Families whose text has a statement per element."""


def lost_family(
    producer: KernelOp, consumer: KernelOp, joined: KernelOp, target: Target
) -> str:
    """A reason where kernels with vector templates would join into scalar loops.

    Compilers put arithmetic in vectors, but no calls of functions.
    """
    lost = family(joined, target)
    if lost not in SCALAR or (lost == "pointwise" and not _calls_functions(joined)):
        return ""
    found = (family(producer, target), family(consumer, target))
    named = [name for name in found if name not in SCALAR]
    if not named:
        return ""
    loops = "scalar loops" if lost == "pointwise" else "a plain loop nest"
    return f"the fused kernel would leave the {named[0]} family for {loops}"


def _calls_functions(kernel: KernelOp) -> bool:
    return any(op.name.startswith("math.") for op in kernel.walk())


def common_objection(producer: KernelOp, consumer: KernelOp) -> str:
    if producer.source is not None or consumer.source is not None:
        return "a kernel with a source of its own cannot be fused"
    if any(_stands_before(user, consumer) for user in _users(producer)):
        return "the producer's result is needed before the consumer runs"
    return ""


def _users(kernel: KernelOp) -> set[Operation]:
    return {use.operation for out in kernel.outs for use in out.uses}


def _stands_before(user: Operation, consumer: KernelOp) -> bool:
    return user is not consumer and user.is_before_in_block(consumer)


def only_consumer(producer: KernelOp, consumer: KernelOp) -> bool:
    return _users(producer) == {consumer}


def _is_hoisted(
    producer: KernelOp, consumer: KernelOp, constant: set[SSAValue]
) -> bool:
    """Work on parameters is done once; joining it would do it in every call."""
    return producer.outs[0] in constant and consumer.outs[0] not in constant
