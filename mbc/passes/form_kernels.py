"""form-kernels: every tensor op becomes a kernel of its own."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, StringAttr, TensorType
from xdsl.dialects.linalg import ops as linalg
from xdsl.ir import Block, Operation
from xdsl.passes import ModulePass

from mbc.errors import PassRefused
from mbc.ir.kernel import KernelOp
from mbc.ir.text import location_of
from mbc.passes.support.functions import forward_of, terminator
from mbc.passes.support.generics import localize_constants
from mbc.passes.support.inline import replace
from mbc.passes.support.kernels import kernel_around, next_number
from mbc.passes.support.ops import (
    is_compute,
    is_fill,
    is_local,
    is_view,
    remove_dead,
)

UNNAMED = "new"


@dataclass(frozen=True)
class FormKernelsPass(ModulePass):
    """Puts every tensor op of @forward into a kernel, labelled in program order.

    Before:
    ```mlir
    %e = tensor.empty() : tensor<4x8xf32>
    %0 = linalg.generic ... ins(%x) outs(%e) { math.exp }
    %1 = mbc.softmax %0 {axis = 1 : i64, log = false}
    ```
    After `form-kernels`:
    ```mlir
    %0 = mbc.kernel "k0" (%x) { %e = tensor.empty() ... linalg.generic ... }
    %1 = mbc.kernel "k1" (%0) { ... mbc.softmax ... }
    ```
    Precondition: @forward holds tensor ops only. Views stay outside; constants, empty
    tensors and filled inits move in, scalar constants into the bodies that use them.
    Refuses control flow and ops on scalars. Kernels that are there already are left
    alone, and labels are never used again.
    """

    name = "form-kernels"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        block = forward_of(op).body.block
        _check(block)
        number = next_number(op)
        for inner in list(block.ops):
            if isinstance(inner, linalg.GenericOp):
                localize_constants(inner)
        for inner in list(block.ops):
            if is_compute(inner) and not is_fill(inner):
                replace(inner, kernel_around(inner, UNNAMED))
        remove_dead(block)
        for wanted in (is_fill, _is_tensor_constant):
            for inner in filter(wanted, list(block.ops)):
                replace(inner, kernel_around(inner, UNNAMED))
            remove_dead(block)
        _number(block, number)


def _is_tensor_constant(op: Operation) -> bool:
    return is_local(op) and isinstance(op.results[0].type, TensorType)


def _check(block: Block) -> None:
    for op in block.ops:
        known = is_view(op) or is_compute(op) or is_local(op)
        if not (known or isinstance(op, KernelOp) or op is terminator(block)):
            raise PassRefused(
                FormKernelsPass.name, f"'{op.name}' is no tensor op", location_of(op)
            )


def _number(block: Block, first: int) -> None:
    for op in block.ops:
        if isinstance(op, KernelOp) and op.label.data == UNNAMED:
            op.label = StringAttr(f"k{first}")
            first += 1
