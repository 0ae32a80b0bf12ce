"""split-axes: a reduction over axes that are apart, one for each run of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.builder import Builder, ImplicitBuilder
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, bf16, f16
from xdsl.ir import SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint

from mbc.ir.ops.reduce import ReduceOp
from mbc.ir.types import element_of, shape_of
from mbc.passes.support.functions import forward_of


@dataclass(frozen=True)
class SplitAxesPass(ModulePass):
    """Reduces one run of neighbouring axes after the other, the innermost first.

    Before:
    ```mlir
    %0 = mbc.reduce %x {kind = "mean", axes = array<i64: 0, 2, 3>, keepdims = false}
    ```
    After `split-axes`:
    ```mlir
    %1 = mbc.reduce %x {kind = "mean", axes = array<i64: 2, 3>, keepdims = true}
    %0 = mbc.reduce %1 {kind = "mean", axes = array<i64: 0, 2, 3>, keepdims = false}
    ```
    Rows, then columns: each has templates, both at once have none. Axes of extent 1
    are no obstacle.
    Precondition: kernels are not formed yet. Leaves 16-bit floats as they are, whose
    partial results would be rounded, so that it refuses nothing.
    """

    name = "split-axes"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for inner in list(forward_of(op).body.block.ops):
            if isinstance(inner, ReduceOp):
                _split(inner)


def _split(op: ReduceOp) -> None:
    shape = shape_of(op.input)
    runs = axis_runs(shape, op.ints_of("axes"))
    if len(runs) < 2 or 0 in shape or element_of(op.input) in (f16, bf16):
        return
    with ImplicitBuilder(Builder(InsertPoint.before(op))):
        value: SSAValue = op.input
        for run in reversed(runs[1:]):
            value = ReduceOp.over(value, op.str_of("kind"), run, keepdims=True).result
    op.operands[0] = value


def axis_runs(shape: Sequence[int], axes: Sequence[int]) -> list[list[int]]:
    """Reduced axes in runs that kept ones of more than one element separate."""
    runs: list[list[int]] = [[]]
    for axis, extent in enumerate(shape):
        if axis in axes and extent != 1:
            runs[-1].append(axis)
        elif extent != 1 and runs[-1]:
            runs.append([])
    return [run for run in runs if run]
