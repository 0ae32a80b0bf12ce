"""split-kernel: one kernel as several, the inverse of fusing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.passes import ModulePass

from mbc.errors import PassRefused
from mbc.ir.kernel import KernelOp, YieldOp, kernel_by_label, kernels
from mbc.ir.ops.unpack import UnpackOp
from mbc.passes.support.inline import is_map
from mbc.passes.support.kernels import erase
from mbc.passes.support.ops import is_fill, is_local, is_view, needs

WHOLE = "a kernel with a source of its own stays whole"


@dataclass(frozen=True)
class SplitKernelPass(ModulePass):
    """Cuts a kernel in two before one of its ops, or in front of every reduction.

    Before:
    ```mlir
    %0 = mbc.kernel "k3" (%x, %w, %b) {
      ... mbc.contract ... linalg.generic { arith.addf } ... mbc.softmax ...
    }
    ```
    After `split-kernel{kernel=k3 at=2}`:
    ```mlir
    %1 = mbc.kernel "k3_0" from ["k3"] (%x, %w, %b) {
      ... mbc.contract ... linalg.generic { arith.addf } ...
    }
    %0 = mbc.kernel "k3_1" from ["k3"] (%1) { ... mbc.softmax ... }
    ```
    `at` counts the ops that compute, from 0: constants, fills, views and unpacking go
    with whoever needs them. Without `at`, every op that is not elementwise begins a
    kernel of its own, and takes the elementwise ones behind it along.
    Precondition: the kernel has two ops that compute at least. Refuses a cut outside of
    them, and a kernel with a source of its own, which implements all of it.
    """

    name = "split-kernel"

    kernel: str
    at: int | None = None

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        kernel = kernel_by_label(op, self.kernel)
        if kernel.source is not None:
            raise PassRefused(self.name, WHOLE)
        ops = computing(kernel)
        cuts = before_reductions(ops) if self.at is None else [self.at]
        if not cuts or not all(0 < cut < len(ops) for cut in cuts):
            raise PassRefused(self.name, _objection(len(ops), self.at))
        bounds = [0, *cuts, len(ops)]
        parts = [ops[a:b] for a, b in pairwise(bounds)]
        _Splitting(kernel).run(parts)

    @classmethod
    def schedule_space(
        cls, ctx: Context, module_op: ModuleOp
    ) -> tuple[SplitKernelPass, ...]:
        return tuple(
            cls(kernel.label.data, at)
            for kernel in kernels(module_op)
            if kernel.source is None
            for at in range(1, len(computing(kernel)))
        )


def _objection(count: int, at: int | None) -> str:
    if count < 2:
        return "the kernel computes one op only"
    if at is None:
        return "no reduction stands behind another op of the kernel"
    return f"the kernel can be cut before ops 1 to {count - 1}"


def computing(kernel: KernelOp) -> list[Operation]:
    return [op for op in kernel.ops() if not _goes_along(op)]


def _goes_along(op: Operation) -> bool:
    """What every part that needs it gets a copy of."""
    return is_local(op) or is_fill(op) or is_view(op) or isinstance(op, UnpackOp)


def before_reductions(ops: Sequence[Operation]) -> list[int]:
    return [i for i, op in enumerate(ops) if i > 0 and not is_map(op)]


@dataclass
class _Splitting:
    kernel: KernelOp
    outer: dict[SSAValue, SSAValue] = field(default_factory=dict[SSAValue, SSAValue])
    """From values of the body to what stands for them outside."""

    def run(self, parts: Sequence[Sequence[Operation]]) -> None:
        self.outer.update(zip(self.kernel.block.args, self.kernel.ins, strict=True))
        yielded = list(self.kernel.terminator.values)
        for number, part in enumerate(parts):
            later = [op for other in parts[number + 1 :] for op in other]
            wanted = [*_read_by(later), *yielded]
            along = _closure(wanted)
            read = {*wanted, *_read_by(along)}
            results = [r for op in part for r in op.results if r in read]
            known = {*self.outer, *results}
            left = [] if later else [v for v in yielded if v not in known]
            self._emit(number, part, [*results, *dict.fromkeys(left)])
        for out, value in zip(self.kernel.outs, yielded, strict=True):
            out.replace_all_uses_with(self.outer[value])
        erase([self.kernel])

    def _emit(
        self, number: int, part: Sequence[Operation], results: Sequence[SSAValue]
    ) -> None:
        """One kernel of the ops of a part and what goes along with them."""
        kernel = self.kernel
        along = _closure([*_read_by(part), *results])
        ops = [op for op in kernel.ops() if op in {*part, *along}]
        made = {result for op in ops for result in op.results}
        ins = [v for v in dict.fromkeys(_read_by(ops)) if v not in made]
        block = Block(arg_types=[value.type for value in ins])
        mapper: dict[SSAValue, SSAValue] = dict(zip(ins, block.args, strict=True))
        block.add_ops(op.clone(mapper) for op in ops)
        block.add_op(YieldOp(*(mapper[value] for value in results)))
        split = KernelOp(
            f"{kernel.label.data}_{number}",
            [self.outer[value] for value in ins],
            [value.type for value in results],
            Region(block),
            [kernel.label.data, *kernel.origin_labels()],
        )
        assert kernel.parent is not None
        kernel.parent.insert_op_before(split, kernel)
        self.outer.update(zip(results, split.outs, strict=True))


def _read_by(ops: Sequence[Operation]) -> list[SSAValue]:
    return [value for op in ops for value in needs(op)]


def _closure(values: Sequence[SSAValue]) -> list[Operation]:
    """The ops that go along with whoever reads `values`."""
    found: dict[Operation, None] = {}
    pending = list(values)
    while pending:
        owner = pending.pop().owner
        if isinstance(owner, Operation) and _goes_along(owner) and owner not in found:
            found[owner] = None
            pending.extend(needs(owner))
    return list(found)
