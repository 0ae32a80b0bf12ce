"""recognize-named-ops: pieces of linalg as the named ops that they make up."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.builder import Builder, ImplicitBuilder
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint

from mbc.passes.recognize import Rule, rows, structured
from mbc.passes.recognize.attention import attention
from mbc.passes.support.functions import forward_of
from mbc.passes.support.ops import remove_dead

PIECES: tuple[Rule, ...] = (
    structured.move,
    structured.contraction,
    structured.convolution,
    structured.max_pool,
    structured.fold,
    rows.softmax,
    rows.batch_norm,
)
WHOLES: tuple[Rule, ...] = (attention,)
"""Made of named ops, which are there when all pieces have their names."""


@dataclass(frozen=True)
class RecognizeNamedOpsPass(ModulePass):
    """Names what other compilers spell out, so that its templates and knowledge apply.

    Before:
    ```mlir
    %0 = linalg.fill ins(%zero) outs(%e)
    %1 = linalg.matmul ins(%x, %w) outs(%0)
    %2 = linalg.generic ... iterator_types = ["parallel", "reduction"] { arith.addf }
    ```
    After `recognize-named-ops`:
    ```mlir
    %1 = mbc.contract %x, %w {...}
    %2 = mbc.reduce %1 {axes = [1], kind = "sum", ...}
    ```
    Matrix products and generics that multiply and add become contractions, named
    convolutions and pools take the padding in front of them, generics that fold one
    input become reductions, and softmax, batch normalization and attention are put
    together from their pieces.
    Precondition: kernels are not formed yet. Refuses nothing: what fits no rule stays.
    """

    name = "recognize-named-ops"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        block = forward_of(op).body.block
        for rules in (PIECES, WHOLES):
            for inner in list(block.ops):
                if inner.parent is block:
                    _recognize(inner, rules)
            remove_dead(block)


def _recognize(op: Operation, rules: Sequence[Rule]) -> None:
    """In program order, so that a rule finds its pieces named already."""
    for rule in rules:
        with ImplicitBuilder(Builder(InsertPoint.before(op))):
            named = rule(op)
        if named is None:
            continue
        for old, new in zip(op.results, named):
            old.replace_all_uses_with(new)
        op.detach()
        op.erase()
        return
