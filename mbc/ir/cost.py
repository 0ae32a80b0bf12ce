"""FLOPs and bytes: the two numbers that every floor is computed from."""

from __future__ import annotations

import math

from xdsl.dialects.linalg.abstract_ops import LinalgStructuredOperation
from xdsl.ir import Operation

from mbc.ir.kernel import KernelOp
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
    """Each operand read once and each result written once."""
    types = (*kernel.operand_tensors(), *kernel.result_tensors())
    return sum(nbytes(type) for type in types)
