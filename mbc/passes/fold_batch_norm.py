"""fold-batch-norm: inference-mode batch normalization as part of a convolution."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.builder import Builder, ImplicitBuilder
from xdsl.context import Context
from xdsl.dialects import arith
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.linalg import ops as linalg
from xdsl.ir import SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint

from mbc.ir import build
from mbc.ir.arithmetic import add, constant, multiply, rsqrt, subtract
from mbc.ir.ops.batch_norm import BatchNormOp
from mbc.ir.ops.conv import ConvOp
from mbc.ir.ops.conv_transpose import ConvTransposeOp
from mbc.ir.structured import is_elementwise, maps_of
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
    Precondition: the weight and the statistics are parameters, and so is a bias that
    stands between; the convolution has no other reader; kernels are not formed yet. A
    transposed convolution has one group. Leaves every other batch normalization as it
    is, so that it refuses nothing.
    """

    name = "fold-batch-norm"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        block = forward_of(op).body.block
        constant_values = parameter_values(forward_of(op))
        for inner in list(block.ops):
            if isinstance(inner, BatchNormOp) and _applies(inner, constant_values):
                _fold(inner)
        remove_dead(block)


Convolution = ConvOp | ConvTransposeOp


@dataclass(frozen=True)
class _Biased:
    conv: Convolution
    bias: SSAValue | None


def _applies(norm: BatchNormOp, parameters: set[SSAValue]) -> bool:
    found = _convolution(norm.input)
    if found is None:
        return False
    bias = [found.bias] if found.bias is not None else []
    fixed = [found.conv.weight, *bias, *norm.operands[1:]]
    return all(value in parameters for value in fixed)


def _convolution(value: SSAValue) -> _Biased | None:
    """The convolution behind `value`, whose only reader it has, and its bias."""
    if len(list(value.uses)) != 1:
        return None
    match value.owner:
        case ConvOp() as conv:
            return _Biased(conv, None)
        case ConvTransposeOp() as conv if conv.int_of("groups") == 1:
            return _Biased(conv, None)
        case linalg.GenericOp() as op if _adds_per_channel(op):
            found = _convolution(op.inputs[0])
            if found is None or found.bias is not None:
                return None
            return _Biased(found.conv, op.inputs[1])
        case _:
            return None


def _adds_per_channel(op: linalg.GenericOp) -> bool:
    """The first input plus one value of the second per channel."""
    if len(op.inputs) != 2 or not is_elementwise(op):
        return False
    rank = len(shape_of(op.results[0]))
    maps = [build.identity_map(rank), build.dims_map(rank, [1])]
    body = list(op.body.block.ops)
    added = isinstance(body[0], arith.AddfOp) and len(body) == 2
    scalars = set(body[0].operands) == set(op.body.block.args[:2])
    return added and scalars and list(maps_of(op))[:2] == maps


def _fold(norm: BatchNormOp) -> None:
    found = _convolution(norm.input)
    assert found is not None
    conv, axis = found.conv, 0 if isinstance(found.conv, ConvOp) else 1
    with ImplicitBuilder(Builder(InsertPoint.before(norm))):
        factor = _factor(norm)
        bias = _bias(norm, factor, found.bias)
        shape, element = shape_of(conv.weight), element_of(conv.weight)
        maps = [build.identity_map(len(shape)), build.dims_map(len(shape), [axis])]
        inputs = [conv.weight, factor]
        weight = build.elementwise(inputs, shape, element, multiply, maps)
        folded = type(conv).of([conv.input, weight], **conv.properties)
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


def _bias(norm: BatchNormOp, factor: SSAValue, bias: SSAValue | None) -> SSAValue:
    """shift - (mean - bias) * factor, per channel."""
    element, shifts = element_of(norm.mean), norm.affine[1:2]

    def body(mean: SSAValue, factor: SSAValue, *rest: SSAValue) -> SSAValue:
        start = rest[0] if shifts else constant(0.0, element)
        middle = mean if bias is None else subtract(mean, rest[len(shifts)])
        return subtract(start, multiply(middle, factor))

    biases = [] if bias is None else [bias]
    inputs = [norm.mean, factor, *shifts, *biases]
    return build.elementwise(inputs, shape_of(norm.mean), element, body)
