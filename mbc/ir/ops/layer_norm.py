"""mbc.layer_norm: normalization over trailing axes, with optional scale and shift."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from xdsl.dialects.builtin import FloatAttr, IntegerAttr, TensorType
from xdsl.ir import SSAValue
from xdsl.irdl import (
    irdl_op_definition,
    operand_def,
    prop_def,
    result_def,
    traits_def,
    var_operand_def,
)
from xdsl.traits import Pure

from mbc.ir import build
from mbc.ir.arithmetic import add, constant, multiply, rsqrt, subtract
from mbc.ir.ops.reduce import ReduceOp
from mbc.ir.tensor_op import Dims, TensorOp, require
from mbc.ir.types import Array, Tensor, element_of, is_float, shape_of


@irdl_op_definition
class LayerNormOp(TensorOp):
    """(x - mean) / sqrt(var + eps) over the last `axes` axes, * scale + shift.

    `affine` holds nothing, a scale, or a scale and a shift, of the normalized shape.
    The variance is the biased one.
    """

    name = "mbc.layer_norm"
    input = operand_def(TensorType)
    affine = var_operand_def(TensorType)
    result = result_def(TensorType)
    axes = prop_def(IntegerAttr)
    eps = prop_def(FloatAttr)
    traits = traits_def(Pure())

    def check(self, types: Sequence[Tensor]) -> None:
        shape, axes = types[0].get_shape(), self.int_of("axes")
        require(
            1 <= axes <= len(shape),
            f"mbc.layer_norm: cannot normalize {axes} axes of {types[0]}",
        )
        require(is_float(types[0].element_type), "mbc.layer_norm needs floats")
        require(len(types) <= 3, "mbc.layer_norm takes at most a scale and a shift")
        for type in types[1:]:
            require(
                type.get_shape() == shape[-axes:],
                f"mbc.layer_norm: {type} does not match the normalized axes",
            )

    def infer(self, types: Sequence[Tensor]) -> tuple[Tensor, ...]:
        return (types[0],)

    def reduced_axes(self) -> tuple[int, ...]:
        rank = len(shape_of(self.input))
        return tuple(range(rank - self.int_of("axes"), rank))

    def dims(self) -> Dims:
        names = tuple(f"d{i}" for i in range(len(shape_of(self.input))))
        tail = names[-self.int_of("axes") :]
        return Dims((names, *(tail for _ in self.affine)), (names,))

    def flops(self) -> int:
        return (5 + len(self.affine)) * math.prod(shape_of(self.input))

    def evaluate(self, *arrays: Array) -> tuple[Array, ...]:
        x, axes = arrays[0], tuple(range(-self.int_of("axes"), 0))
        mean = np.mean(x, axis=axes, keepdims=True)
        centred = x - mean
        variance = np.mean(centred * centred, axis=axes, keepdims=True)
        eps = x.dtype.type(self.float_of("eps"))
        return (scale_and_shift(centred / np.sqrt(variance + eps), arrays[1:]),)

    def decompose(self) -> Sequence[SSAValue]:
        """In f32 where the input is narrower, as eps may not be a number there."""
        x, *affine = (build.widened(value) for value in self.operands)
        result = normalize(x, self.reduced_axes(), self.float_of("eps"))
        shape, element = shape_of(x), element_of(x)
        for value, combine in zip(affine, (multiply, add), strict=False):
            result = build.elementwise([result, value], shape, element, combine)
        return (build.narrowed(result, element_of(self.input)),)


def scale_and_shift(value: Array, affine: Sequence[Array]) -> Array:
    if affine:
        value = value * affine[0]
    if len(affine) > 1:
        value = value + affine[1]
    return value


def normalize(value: SSAValue, axes: Sequence[int], eps: float) -> SSAValue:
    """(x - mean) * rsqrt(var + eps) over `axes`, from reductions and generics."""
    shape, element = shape_of(value), element_of(value)
    mean = ReduceOp.over(value, "mean", axes, keepdims=True).result
    centred = build.elementwise([value, mean], shape, element, subtract)
    square = build.elementwise([centred], shape, element, lambda x: multiply(x, x))
    variance = ReduceOp.over(square, "mean", axes, keepdims=True).result
    inverse = build.elementwise(
        [variance],
        shape_of(variance),
        element,
        lambda v: rsqrt(add(v, constant(eps, element))),
    )
    return build.elementwise([centred, inverse], shape, element, multiply)
