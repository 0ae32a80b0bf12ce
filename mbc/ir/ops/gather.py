"""mbc.gather: rows of a tensor picked by an index tensor (embedding, index_select)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from xdsl.dialects.builtin import IntegerAttr, IntegerType, TensorType
from xdsl.dialects.linalg.ops import IndexOp
from xdsl.dialects.tensor import ExtractOp
from xdsl.ir import SSAValue
from xdsl.irdl import irdl_op_definition, operand_def, prop_def, result_def, traits_def
from xdsl.traits import Pure

from mbc.ir import build
from mbc.ir.indices import index_into, wrapped_indices
from mbc.ir.tensor_op import Dims, TensorOp, axis_in, require
from mbc.ir.types import Array, Tensor, element_of, shape_of, tensor


@irdl_op_definition
class GatherOp(TensorOp):
    """result[a, i, b] = input[a, indices[i], b], where a are the axes before `axis`.

    Negative indices count from the end, as in PyTorch. What then lies outside reads
    the nearest element of the axis, where PyTorch raises: never out of bounds.
    """

    name = "mbc.gather"
    input = operand_def(TensorType)
    indices = operand_def(TensorType)
    result = result_def(TensorType)
    axis = prop_def(IntegerAttr)
    traits = traits_def(Pure())

    def check(self, types: Sequence[Tensor]) -> None:
        axis_in(self, self.int_of("axis"), len(types[0].get_shape()))
        require(
            isinstance(types[1].element_type, IntegerType),
            "mbc.gather: indices must be integers",
        )
        nothing = types[0].get_shape()[self.int_of("axis")] == 0
        require(
            not nothing or 0 in types[1].get_shape(),
            "mbc.gather: the axis has no element to pick",
        )

    def infer(self, types: Sequence[Tensor]) -> tuple[Tensor, ...]:
        shape, axis = list(types[0].get_shape()), self.int_of("axis")
        shape[axis : axis + 1] = types[1].get_shape()
        return (tensor(shape, types[0].element_type),)

    def dims(self) -> Dims:
        axis = self.int_of("axis")
        names = [f"d{i}" for i in range(len(shape_of(self.input)))]
        picked = [f"i{i}" for i in range(len(shape_of(self.indices)))]
        out = [*names[:axis], *picked, *names[axis + 1 :]]
        names[axis] = ""  # values of the indices bound it
        return Dims((tuple(names), tuple(picked)), (tuple(out),))

    def flops(self) -> int:
        return 0

    def evaluate(self, *arrays: Array) -> tuple[Array, ...]:
        axis = self.int_of("axis")
        at = wrapped_indices(arrays[1], arrays[0].shape[axis])
        return (np.take(arrays[0], at, axis=axis),)

    def decompose(self) -> Sequence[SSAValue]:
        axis, shape = self.int_of("axis"), shape_of(self.result)
        picked = len(shape_of(self.indices))
        extent = shape_of(self.input)[axis]
        reads = [build.dims_map(len(shape), range(axis, axis + picked))]

        def body(at: SSAValue) -> SSAValue:
            row = index_into(at, extent)
            before = [IndexOp(i).result for i in range(axis)]
            behind = [IndexOp(i).result for i in range(axis + picked, len(shape))]
            element = element_of(self.input)
            return ExtractOp(self.input, [*before, row, *behind], element).result

        return (
            build.elementwise(
                [self.indices], shape, element_of(self.input), body, reads
            ),
        )
