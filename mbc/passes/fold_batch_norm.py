"""fold-batch-norm: inference-mode batch normalization as part of a convolution."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.builder import Builder, ImplicitBuilder
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint

from mbc.ir import build
from mbc.ir.arithmetic import add, constant, multiply, rsqrt, subtract
from mbc.ir.ops.batch_norm import BatchNormOp
from mbc.ir.ops.conv import ConvOp
from mbc.ir.types import element_of, shape_of
from mbc.passes.support.functions import forward_of, parameter_values
from mbc.passes.support.ops import remove_dead


@dataclass(frozen=True)
class FoldBatchNormPass(ModulePass):
    """Scales the weight of a convolution and adds a bias instead of normalizing.

    Before:
    ```mlir
    %0 = mbc.conv %x, %w {...}
    %1 = mbc.batch_norm %0, %mean, %variance, %scale, %shift {eps = 1.0e-5 : f64}
    ```
    After `fold-batch-norm`:
    ```mlir
    %factor = linalg.generic ins(%variance, %scale) { scale * rsqrt(variance + eps) }
    %bias = linalg.generic ins(%mean, %factor, %shift) { shift - mean * factor }
    %folded = linalg.generic ins(%w, %factor) { arith.mulf }
    %0 = mbc.conv %x, %folded {...}
    %1 = linalg.generic ins(%0, %bias) { arith.addf }
    ```
    Precondition: the weight and the statistics are parameters, and the convolution
    has no other reader; kernels are not formed yet. Leaves every other batch
    normalization as it is, so that it refuses nothing.
    """

    name = "fold-batch-norm"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        block = forward_of(op).body.block
        constant_values = parameter_values(forward_of(op))
        for inner in list(block.ops):
            if isinstance(inner, BatchNormOp) and _applies(inner, constant_values):
                _fold(inner)
        remove_dead(block)


def _applies(norm: BatchNormOp, parameters: set[SSAValue]) -> bool:
    conv = norm.input.owner
    if not isinstance(conv, ConvOp) or len(list(conv.result.uses)) != 1:
        return False
    fixed = [conv.weight, *norm.operands[1:]]
    return all(value in parameters for value in fixed)


def _fold(norm: BatchNormOp) -> None:
    conv = norm.input.owner
    assert isinstance(conv, ConvOp)
    with ImplicitBuilder(Builder(InsertPoint.before(norm))):
        factor = _factor(norm)
        bias = _bias(norm, factor)
        shape, element = shape_of(conv.weight), element_of(conv.weight)
        maps = [build.identity_map(len(shape)), build.dims_map(len(shape), [0])]
        inputs = [conv.weight, factor]
        weight = build.elementwise(inputs, shape, element, multiply, maps)
        folded = ConvOp.of([conv.input, weight], **conv.properties)
        shape, element = shape_of(norm.result), element_of(norm.result)
        maps = [build.identity_map(len(shape)), build.dims_map(len(shape), [1])]
        inputs = [folded.result, bias]
        result = build.elementwise(inputs, shape, element, add, maps)
    norm.result.replace_all_uses_with(result)
    norm.detach()
    norm.erase()


def _factor(norm: BatchNormOp) -> SSAValue:
    """scale / sqrt(variance + eps), per channel."""
    element, eps = element_of(norm.variance), norm.float_of("eps")

    def body(variance: SSAValue, *scale: SSAValue) -> SSAValue:
        root = rsqrt(add(variance, constant(eps, element)))
        return multiply(scale[0], root) if scale else root

    inputs = [norm.variance, *norm.affine[:1]]
    return build.elementwise(inputs, shape_of(norm.variance), element, body)


def _bias(norm: BatchNormOp, factor: SSAValue) -> SSAValue:
    """shift - mean * factor, per channel."""
    element = element_of(norm.mean)

    def body(mean: SSAValue, factor: SSAValue, *shift: SSAValue) -> SSAValue:
        start = shift[0] if shift else constant(0.0, element)
        return subtract(start, multiply(mean, factor))

    inputs = [norm.mean, factor, *norm.affine[1:2]]
    return build.elementwise(inputs, shape_of(norm.mean), element, body)
