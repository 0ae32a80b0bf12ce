"""Replaces named ops by the upstream ops that say the same."""

from __future__ import annotations

from collections.abc import Callable

from xdsl.builder import Builder, ImplicitBuilder
from xdsl.ir import Block, Operation
from xdsl.rewriter import InsertPoint

from mbc.ir.tensor_op import TensorOp


def always(op: Operation) -> bool:
    return True


def decompose_ops(block: Block, wanted: Callable[[Operation], bool] = always) -> None:
    """Decompose `wanted` named ops of a block, and those they decompose into.

    An op that upstream cannot say stays as it is.
    """
    pending = [op for op in block.ops if isinstance(op, TensorOp) and wanted(op)]
    while pending:
        pending = [new for op in pending for new in decompose_op(op) if wanted(new)]


def decompose_op(op: TensorOp) -> list[TensorOp]:
    """Replace one op; returns the named ops that now stand in its place."""
    holder = Block()
    with ImplicitBuilder(Builder(InsertPoint.at_end(holder))):
        values = op.decompose()
    if values is None:
        return []
    made = list(holder.ops)
    for new in made:
        new.detach()
    block = op.parent
    assert block is not None
    block.insert_ops_before(made, op)
    for old, value in zip(op.results, values, strict=True):
        old.replace_all_uses_with(value)
    op.detach()
    op.erase()
    return [new for new in made if isinstance(new, TensorOp)]
