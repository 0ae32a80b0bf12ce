"""softmax-to-reductions: a softmax along an axis that is not the last, by columns."""

from __future__ import annotations

import math
from dataclasses import dataclass

from xdsl.builder import Builder, ImplicitBuilder
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, f32
from xdsl.dialects.math import ExpOp
from xdsl.ir import SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint

from mbc.ir import build
from mbc.ir.arithmetic import multiply, reciprocal, subtract
from mbc.ir.decompose import decompose_op
from mbc.ir.ops.logsumexp import LogsumexpOp, exp_and_sum, row_maximum
from mbc.ir.ops.softmax import SoftmaxOp
from mbc.ir.types import element_of, shape_of
from mbc.passes.support.functions import forward_of


@dataclass(frozen=True)
class SoftmaxToReductionsPass(ModulePass):
    """Spells out softmax and logsumexp along columns as the reductions that they are.

    Before:
    ```mlir
    %0 = mbc.softmax %x {axis = 1 : i64, log = false}     // of 4x17x9x16
    ```
    After `softmax-to-reductions`:
    ```mlir
    %1 = mbc.reduce %x {kind = "max", axes = array<i64: 1>, keepdims = true}
    %2 = linalg.generic ins(%x, %1) { arith.subf, math.exp }
    %3 = mbc.reduce %2 {kind = "sum", axes = array<i64: 1>, keepdims = true}
    %4 = linalg.generic ins(%3) { 1 / sum }
    %0 = linalg.generic ins(%x, %1, %4) { arith.subf, math.exp, arith.mulf }
    ```
    Rows have templates that keep them on chip; columns are reduced in vectors that lie
    across them, and exponentials are cheaper twice than in memory. Where only axes of
    extent 1 follow, the op is kept and loses them.
    Precondition: kernels are not formed yet. Leaves element types other than f32 and
    empty tensors as they are, so that it refuses nothing.
    """

    name = "softmax-to-reductions"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for inner in list(forward_of(op).body.block.ops):
            if isinstance(inner, SoftmaxOp | LogsumexpOp) and _has_templates(inner):
                _rewrite(inner)


def _has_templates(op: SoftmaxOp | LogsumexpOp) -> bool:
    return element_of(op.input) == f32 and 0 not in shape_of(op.input)


def _rewrite(op: SoftmaxOp | LogsumexpOp) -> None:
    shape, axis = shape_of(op.input), op.int_of("axis")
    if axis == len(shape) - 1:
        return
    if math.prod(shape[axis + 1 :]) == 1:
        _drop_ones(op, axis)
    elif isinstance(op, LogsumexpOp) or op.bool_of("log"):
        decompose_op(op)
    else:
        _columns(op, axis)


def _drop_ones(op: SoftmaxOp | LogsumexpOp, axis: int) -> None:
    with ImplicitBuilder(Builder(InsertPoint.before(op))):
        rows = build.reshape(op.input, shape_of(op.input)[: axis + 1])
        if isinstance(op, SoftmaxOp):
            value = SoftmaxOp.along(rows, axis, op.bool_of("log")).result
        else:
            value = LogsumexpOp.of([rows], axis=axis, keepdims=False).result
        made = build.reshape(value, shape_of(op.result))
    _put(op, made)


def _columns(op: SoftmaxOp, axis: int) -> None:
    with ImplicitBuilder(Builder(InsertPoint.before(op))):
        top = row_maximum(op.input, axis)
        _, total = exp_and_sum(op.input, top, axis)
        inverse = build.elementwise([total], shape_of(total), f32, reciprocal)

        def body(x: SSAValue, m: SSAValue, scale: SSAValue) -> SSAValue:
            return multiply(ExpOp(subtract(x, m)).result, scale)

        shape = shape_of(op.input)
        made = build.elementwise([op.input, top, inverse], shape, f32, body)
    _put(op, made)


def _put(op: SoftmaxOp | LogsumexpOp, made: SSAValue) -> None:
    op.result.replace_all_uses_with(made)
    op.detach()
    op.erase()
