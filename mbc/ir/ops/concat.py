"""mbc.concat: tensors one behind the other along an axis."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from xdsl.dialects import tensor as tensor_dialect
from xdsl.dialects.builtin import IntegerAttr, TensorType
from xdsl.ir import SSAValue
from xdsl.irdl import (
    irdl_op_definition,
    prop_def,
    result_def,
    traits_def,
    var_operand_def,
)
from xdsl.traits import Pure

from mbc.ir.tensor_op import Dims, TensorOp, axis_in, require
from mbc.ir.types import Array, Tensor, shape_of, tensor, tensor_type


@irdl_op_definition
class ConcatOp(TensorOp):
    """All operands agree in every extent but that of `axis`."""

    name = "mbc.concat"
    inputs = var_operand_def(TensorType)
    result = result_def(TensorType)
    axis = prop_def(IntegerAttr)
    traits = traits_def(Pure())

    def check(self, types: Sequence[Tensor]) -> None:
        require(len(types) > 0, "mbc.concat needs an operand")
        axis = self.int_of("axis")
        axis_in(self, axis, len(types[0].get_shape()))
        for type in types:
            other, first = list(type.get_shape()), list(types[0].get_shape())
            other[axis : axis + 1] = first[axis : axis + 1] = []
            require(
                other == first and type.element_type == types[0].element_type,
                f"mbc.concat: {type} does not fit {types[0]} along axis {axis}",
            )

    def infer(self, types: Sequence[Tensor]) -> tuple[Tensor, ...]:
        axis, shape = self.int_of("axis"), list(types[0].get_shape())
        shape[axis] = sum(type.get_shape()[axis] for type in types)
        return (tensor(shape, types[0].element_type),)

    def dims(self) -> Dims:
        axis, rank = self.int_of("axis"), len(shape_of(self.result))
        names = [f"d{i}" for i in range(rank)]
        operands = [
            tuple(f"n{k}" if i == axis else n for i, n in enumerate(names))
            for k in range(len(self.inputs))
        ]
        result = tuple("" if i == axis else n for i, n in enumerate(names))
        return Dims(tuple(operands), (result,))

    def flops(self) -> int:
        return 0

    def evaluate(self, *arrays: Array) -> tuple[Array, ...]:
        return (np.concatenate(arrays, axis=self.int_of("axis")),)

    def decompose(self) -> Sequence[SSAValue]:
        axis, result = self.int_of("axis"), tensor_type(self.result)
        return (tensor_dialect.ConcatOp(self.inputs, axis, result).result,)
