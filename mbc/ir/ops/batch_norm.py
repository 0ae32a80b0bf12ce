"""mbc.batch_norm: inference-mode batch normalization with given statistics."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from xdsl.dialects.builtin import FloatAttr, TensorType
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
from mbc.ir.ops.layer_norm import scale_and_shift
from mbc.ir.tensor_op import Dims, TensorOp, require
from mbc.ir.types import Array, Tensor, element_of, is_float, shape_of


@irdl_op_definition
class BatchNormOp(TensorOp):
    """(x - mean) / sqrt(variance + eps) per channel (axis 1), * scale + shift."""

    name = "mbc.batch_norm"
    input = operand_def(TensorType)
    mean = operand_def(TensorType)
    variance = operand_def(TensorType)
    affine = var_operand_def(TensorType)
    result = result_def(TensorType)
    eps = prop_def(FloatAttr)
    traits = traits_def(Pure())

    def check(self, types: Sequence[Tensor]) -> None:
        shape = types[0].get_shape()
        require(len(shape) >= 2, f"mbc.batch_norm: {types[0]} has no channel axis")
        require(is_float(types[0].element_type), "mbc.batch_norm needs floats")
        require(len(types) <= 5, "mbc.batch_norm takes at most a scale and a shift")
        for type in types[1:]:
            require(
                type.get_shape() == (shape[1],),
                f"mbc.batch_norm: {type} is not one value per channel",
            )

    def infer(self, types: Sequence[Tensor]) -> tuple[Tensor, ...]:
        return (types[0],)

    def dims(self) -> Dims:
        names = tuple(f"d{i}" for i in range(len(shape_of(self.input))))
        return Dims((names, *(("d1",) for _ in self.operands[1:])), (names,))

    def flops(self) -> int:
        return (2 + len(self.affine)) * math.prod(shape_of(self.input))

    def evaluate(self, *arrays: Array) -> tuple[Array, ...]:
        x = arrays[0]
        per_channel = (-1,) + (1,) * (x.ndim - 2)
        mean, variance, *affine = (a.reshape(per_channel) for a in arrays[1:])
        eps = x.dtype.type(self.float_of("eps"))
        return (scale_and_shift((x - mean) / np.sqrt(variance + eps), affine),)

    def decompose(self) -> Sequence[SSAValue]:
        """In f32 where the input is narrower, as eps may not be a number there."""
        operands = [build.widened(value) for value in self.operands]
        shape, element = shape_of(self.input), element_of(operands[0])
        eps = self.float_of("eps")
        maps = [build.identity_map(len(shape))]
        maps += [build.dims_map(len(shape), [1])] * (len(self.operands) - 1)

        def body(x: SSAValue, mean: SSAValue, variance: SSAValue, *affine: SSAValue):
            root = rsqrt(add(variance, constant(eps, element)))
            value = multiply(subtract(x, mean), root)
            for operand, combine in zip(affine, (multiply, add), strict=False):
                value = combine(value, operand)
            return value

        result = build.elementwise(operands, shape, element, body, maps)
        return (build.narrowed(result, element_of(self.input)),)
