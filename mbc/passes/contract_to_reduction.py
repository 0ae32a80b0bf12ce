"""contract-to-reduction: a contraction with a vector as a sum of products."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.builder import Builder, ImplicitBuilder
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, f32
from xdsl.ir import SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint

from mbc.codegen.targets import module_target
from mbc.ir import build
from mbc.ir.arithmetic import multiply
from mbc.ir.ops.contract import ContractOp
from mbc.ir.ops.reduce import ReduceOp
from mbc.ir.types import element_of, shape_of
from mbc.passes.support.functions import forward_of

Loops = tuple[int, ...]


@dataclass(frozen=True)
class ContractToReductionPass(ModulePass):
    """Multiplies elementwise and sums up, where one operand is a vector per batch.

    Before:
    ```mlir
    %0 = mbc.contract %a, %x {...}    // mk,kn->mn with n = 1
    ```
    After `contract-to-reduction`:
    ```mlir
    %1 = linalg.generic ins(%a, %x) { arith.mulf }        // m x k
    %0 = mbc.reduce %1 {kind = "sum", axes = array<i64: 1>, keepdims = true}
    ```
    A GPU's tile of such a product would be idle but for one row or column, and its
    reductions read a matrix at the speed of memory.
    Precondition: the module has a target; kernels are not formed yet. Leaves targets on
    which one work item walks rows anyway, element types other than f32, and results
    whose axes are not in the order of the matrix, so that it refuses nothing.
    """

    name = "contract-to-reduction"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        target = module_target(op)
        if not target.simt or target.is_cpu_style:
            return
        for inner in list(forward_of(op).body.block.ops):
            if isinstance(inner, ContractOp) and _is_plain(inner):
                _reduce(inner)


def _is_plain(op: ContractOp) -> bool:
    is_f32 = element_of(op.lhs) == f32 and op.acc.data == "f32"
    own = all(len(set(axes)) == len(axes) for axes in op.axes())
    return is_f32 and own and 0 not in op.extents()


def _reduce(op: ContractOp) -> None:
    lhs, rhs, result = op.axes()
    extents = op.extents()
    wide, narrow, operands = lhs, rhs, (op.lhs, op.rhs)
    if math.prod(extents[d] for d in lhs) < math.prod(extents[d] for d in rhs):
        wide, narrow, operands = rhs, lhs, (op.rhs, op.lhs)
    summed = [i for i, d in enumerate(wide) if d not in result]
    kept = [d for d in wide if d in result and extents[d] > 1]
    is_vector = all(d in wide or extents[d] == 1 for d in (*narrow, *result))
    in_order = kept == [d for d in result if extents[d] > 1]
    if not (summed and is_vector and in_order):
        return
    with ImplicitBuilder(Builder(InsertPoint.before(op))):
        product = _product(operands, wide, narrow, extents)
        # Without a view behind it, what follows can be fused.
        ones = tuple(1 if d not in result else extents[d] for d in wide)
        is_kept = ones == shape_of(op.result)
        total = ReduceOp.over(product, "sum", summed, keepdims=is_kept).result
        made = build.reshape(total, shape_of(op.result))
    op.result.replace_all_uses_with(made)
    op.detach()
    op.erase()


def _product(
    operands: tuple[SSAValue, SSAValue], wide: Loops, narrow: Loops, extents: Loops
) -> SSAValue:
    """Over the loops of the wide operand, in its own order."""
    shape = [extents[d] for d in wide]
    maps = [build.dims_map(len(wide), _places(axes, wide)) for axes in (wide, narrow)]
    return build.elementwise(operands, shape, f32, multiply, maps)


def _places(axes: Sequence[int], wide: Loops) -> list[int | None]:
    """None for an axis of extent 1 that the wide operand does not have."""
    return [wide.index(d) if d in wide else None for d in axes]
