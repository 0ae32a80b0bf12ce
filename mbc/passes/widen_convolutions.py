"""widen-convolutions: convolutions of 16-bit floats by the templates of f32."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.builder import Builder, ImplicitBuilder
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, bf16, f16
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint

from mbc.ir import build
from mbc.ir.ops.conv import ConvOp
from mbc.ir.ops.conv_transpose import ConvTransposeOp
from mbc.ir.types import element_of
from mbc.passes.support.functions import forward_of


@dataclass(frozen=True)
class WidenConvolutionsPass(ModulePass):
    """Converts operands to f32, in which sums are carried anyway, and results back.

    Before:
    ```mlir
    %0 = mbc.conv %x, %w {acc = "f32", ...} : (tensor<..xf16>, tensor<..xf16>) -> ...
    ```
    After `widen-convolutions`:
    ```mlir
    %1 = linalg.generic ins(%x) { arith.extf } : f16 to f32
    %2 = linalg.generic ins(%w) { arith.extf } : f16 to f32
    %3 = mbc.conv %1, %2 {acc = "f32", ...} : f32
    %0 = linalg.generic ins(%3) { arith.truncf } : f32 to f16
    ```
    The products of 16-bit floats are exact in f32, so that results differ in the order
    of sums alone; a weight that is a parameter is converted once.
    Precondition: kernels are not formed yet. Leaves other types as they are, so that it
    refuses nothing.
    """

    name = "widen-convolutions"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for inner in list(forward_of(op).body.block.ops):
            if isinstance(inner, ConvOp | ConvTransposeOp):
                _widen(inner)


def _widen(op: ConvOp | ConvTransposeOp) -> None:
    element = element_of(op.input)
    if element not in (f16, bf16) or op.str_of("acc") != "f32":
        return
    with ImplicitBuilder(Builder(InsertPoint.before(op))):
        operands = [build.widened(value) for value in op.operands]
        wide = type(op).of(operands, **op.properties)
        result = build.narrowed(wide.result, element)
    op.result.replace_all_uses_with(result)
    op.detach()
    op.erase()
