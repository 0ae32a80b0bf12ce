"""mbc.rms_norm: division by the root mean square of trailing axes."""

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
from mbc.ir.arithmetic import add, constant, multiply, rsqrt
from mbc.ir.ops.reduce import ReduceOp
from mbc.ir.tensor_op import Dims, TensorOp, require
from mbc.ir.types import Array, Tensor, element_of, is_float, shape_of


@irdl_op_definition
class RmsNormOp(TensorOp):
    """x / sqrt(mean(x * x) + eps) over the last `axes` axes, * scale if given."""

    name = "mbc.rms_norm"
    input = operand_def(TensorType)
    scale = var_operand_def(TensorType)
    result = result_def(TensorType)
    axes = prop_def(IntegerAttr)
    eps = prop_def(FloatAttr)
    traits = traits_def(Pure())

    def check(self, types: Sequence[Tensor]) -> None:
        shape, axes = types[0].get_shape(), self.int_of("axes")
        require(
            1 <= axes <= len(shape),
            f"mbc.rms_norm: cannot normalize {axes} axes of {types[0]}",
        )
        require(is_float(types[0].element_type), "mbc.rms_norm needs floats")
        require(len(types) <= 2, "mbc.rms_norm takes at most a scale")
        for type in types[1:]:
            require(
                type.get_shape() == shape[-axes:],
                f"mbc.rms_norm: {type} does not match the normalized axes",
            )

    def infer(self, types: Sequence[Tensor]) -> tuple[Tensor, ...]:
        return (types[0],)

    def dims(self) -> Dims:
        names = tuple(f"d{i}" for i in range(len(shape_of(self.input))))
        tail = names[-self.int_of("axes") :]
        return Dims((names, *(tail for _ in self.scale)), (names,))

    def flops(self) -> int:
        return (4 + len(self.scale)) * math.prod(shape_of(self.input))

    def evaluate(self, *arrays: Array) -> tuple[Array, ...]:
        x, axes = arrays[0], tuple(range(-self.int_of("axes"), 0))
        square = np.mean(x * x, axis=axes, keepdims=True)
        result = x / np.sqrt(square + x.dtype.type(self.float_of("eps")))
        return (result * arrays[1] if len(arrays) > 1 else result,)

    def decompose(self) -> Sequence[SSAValue]:
        """In f32 where the input is narrower, as eps may not be a number there."""
        x, *scale = (build.widened(value) for value in self.operands)
        shape, element = shape_of(x), element_of(x)
        axes = range(len(shape) - self.int_of("axes"), len(shape))
        eps = self.float_of("eps")
        square = build.elementwise([x], shape, element, lambda v: multiply(v, v))
        mean = ReduceOp.over(square, "mean", axes, keepdims=True).result
        inverse = build.elementwise(
            [mean],
            shape_of(mean),
            element,
            lambda v: rsqrt(add(v, constant(eps, element))),
        )
        result = build.elementwise([x, inverse], shape, element, multiply)
        for value in scale:
            result = build.elementwise([result, value], shape, element, multiply)
        return (build.narrowed(result, element_of(self.input)),)
