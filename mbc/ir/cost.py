"""FLOPs and bytes: the two numbers that every floor is computed from."""

from __future__ import annotations

import math

from xdsl.dialects.linalg.abstract_ops import LinalgStructuredOperation
from xdsl.ir import Operation, SSAValue

from mbc.ir.kernel import KernelOp
from mbc.ir.ops.gather import GatherOp
from mbc.ir.structured import loop_extents
from mbc.ir.tensor_op import TensorOp
from mbc.ir.types import nbytes

FREE = ("arith.constant", "linalg.index", "linalg.yield", "arith.index_cast")


def flops(op: Operation) -> int:
    """Arithmetic operations as written; moves and views count nothing."""
    if isinstance(op, TensorOp):
        return op.flops()
    if isinstance(op, LinalgStructuredOperation) and op.body.blocks:
        body = [nested for nested in op.body.block.ops if nested.name not in FREE]
        return len(body) * math.prod(loop_extents(op))
    return sum(flops(nested) for r in op.regions for b in r.blocks for nested in b.ops)


def fewest_bytes(kernel: KernelOp) -> int:
    """Each operand read once and each result written once.

    Of a table that is only picked from, no more is read than the rows that are picked.
    """
    read = sum(_bytes_read(argument) for argument in kernel.block.args)
    return read + sum(nbytes(type) for type in kernel.result_tensors())


def _bytes_read(argument: SSAValue) -> int:
    uses = list(argument.uses)
    picked = [
        nbytes(use.operation.result.type)
        for use in uses
        if isinstance(use.operation, GatherOp) and use.index == 0
    ]
    whole = nbytes(argument.type)
    return min(whole, sum(picked)) if uses and len(picked) == len(uses) else whole
