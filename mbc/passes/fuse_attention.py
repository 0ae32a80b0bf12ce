"""fuse-attention: products, softmax and weighted sum without a matrix of scores."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from xdsl.builder import Builder, ImplicitBuilder
from xdsl.context import Context
from xdsl.dialects.builtin import ArrayAttr, ModuleOp, StringAttr
from xdsl.ir import Operation
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint

from mbc.errors import PassRefused
from mbc.ir.kernel import KernelOp, kernel_by_label, kernels
from mbc.ir.ops.attention import AttentionOp
from mbc.ir.ops.contract import ContractOp
from mbc.ir.ops.softmax import SoftmaxOp
from mbc.passes.form_kernels import FormKernelsPass
from mbc.passes.recognize.attention import Pieces, pieces
from mbc.passes.recognize.values import unviewed
from mbc.passes.support.functions import forward_of
from mbc.passes.support.inline import replace
from mbc.passes.support.kernels import kernel_around, spread
from mbc.passes.support.ops import remove_dead


@dataclass(frozen=True)
class FuseAttentionPass(ModulePass):
    """Joins what makes scores, their softmax and what sums values into one attention.

    Before:
    ```mlir
    %0 = mbc.contract %q, %k {...}                       // queries x keys
    %1 = linalg.generic ins(%0, %hidden) { arith.mulf, arith.select %hidden, -inf }
    %2 = mbc.softmax %1 {axis = 3 : i64, log = false}
    %3 = mbc.contract %2, %v {...}
    ```
    After `fuse-attention`:
    ```mlir
    %kept = linalg.generic ins(%hidden) { arith.xori }
    %3 = mbc.attention %q, %k, %v, %kept {scale = 0.5, causal = false,
                                          masked_rows = "nan"}
    ```
    A mask that depends on nothing and hides what comes later makes the attention
    causal. A row without scores stays NaN, as the softmax had it. With a kernel it
    takes that one, which sums the values, and those before it; the attention keeps its
    label. Operands whose axes lie in another order are transposed by kernels of their
    own.
    Precondition: elements that the attention family takes; scores, weights and what is
    between them are read by nobody else, and are only scaled, then masked by -inf or by
    an addition. Refuses a kernel where that is not so, and leaves everything else.
    """

    name = "fuse-attention"

    kernel: str | None = None
    """Label of the kernel that sums the values; without it all ops are taken."""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        block = forward_of(op).body.block
        if self.kernel is None:
            for inner in list(block.ops):
                found = pieces(inner)
                if isinstance(found, Pieces):
                    _rebuild(inner, found)
            remove_dead(block)
            return
        reason = _fuse(op.clone(), self.kernel)
        if reason:
            raise PassRefused(self.name, reason)
        _fuse(op, self.kernel)
        FormKernelsPass().apply(ctx, op)

    @classmethod
    def schedule_space(
        cls, ctx: Context, module_op: ModuleOp
    ) -> tuple[FuseAttentionPass, ...]:
        labels = [k.label.data for k in kernels(module_op) if _chain(k)]
        return tuple(
            cls(label) for label in labels if not _fuse(module_op.clone(), label)
        )


def _rebuild(op: Operation, found: Pieces) -> AttentionOp:
    """Put the attention in place of the contraction that ends it."""
    with ImplicitBuilder(Builder(InsertPoint.before(op))):
        made = found.build()
    op.results[0].replace_all_uses_with(made.result)
    op.detach()
    op.erase()
    return made.attention


def _fuse(module: ModuleOp, label: str) -> str:
    """Fuse in place, or spoil the module and say why that is not possible."""
    kernel = kernel_by_label(module, label)
    chain = _chain(kernel)
    if not chain:
        return "no softmax of scores stands before a contraction of the kernel"
    if any(one.source is not None for one in chain):
        return "a kernel with a source of its own cannot be fused"
    block = kernel.parent
    assert block is not None
    origins = [o for one in chain for o in (*one.origin_labels(), one.label.data)]
    ops = [op for one in chain for op in spread(one)]
    ends = [op for op in ops if isinstance(op, ContractOp)]
    found = pieces(ends[-1])
    if isinstance(found, str):
        return found
    attention = _rebuild(ends[-1], found)
    around = kernel_around(attention, label)
    around.origins = ArrayAttr(StringAttr(o) for o in origins if o != label)
    replace(attention, around)
    remove_dead(block)
    return ""


def _chain(kernel: KernelOp) -> list[KernelOp]:
    """The kernels from the one that makes scores to this one, which sums values."""
    if not _has(kernel, ContractOp):
        return []
    return next(_chains(kernel, softmax=_has(kernel, SoftmaxOp)), list[KernelOp]())


def _chains(kernel: KernelOp, softmax: bool) -> Iterator[list[KernelOp]]:
    """Chains from a contraction through a softmax to this kernel, which is the last."""
    for owner in dict.fromkeys(unviewed(value).owner for value in kernel.operands):
        if not isinstance(owner, KernelOp) or len(owner.outs) != 1:
            continue
        found = softmax or _has(owner, SoftmaxOp)
        if not _has(owner, ContractOp):
            yield from ([*chain, kernel] for chain in _chains(owner, found))
        elif found:
            yield [owner, kernel]


def _has(kernel: KernelOp, kind: type[Operation]) -> bool:
    return any(isinstance(op, kind) for op in kernel.ops())
