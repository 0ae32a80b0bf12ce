"""mbc.unpack: the inverse of mbc.pack."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from xdsl.dialects.builtin import IntegerAttr, TensorType
from xdsl.irdl import irdl_op_definition, operand_def, prop_def, result_def, traits_def
from xdsl.traits import Pure

from mbc.ir.tensor_op import Dims, TensorOp, axis_in, require
from mbc.ir.types import Array, Tensor, shape_of, tensor


@irdl_op_definition
class UnpackOp(TensorOp):
    """(panels, a, b, tile) becomes (a, axis, b) with `size` elements along `axis`.

    The first op of a kernel whose operand is packed: it keeps the body the kernel's
    reference, and templates read the packed operand behind it directly.
    """

    name = "mbc.unpack"
    input = operand_def(TensorType)
    result = result_def(TensorType)
    axis = prop_def(IntegerAttr)
    size = prop_def(IntegerAttr)
    traits = traits_def(Pure())

    def check(self, types: Sequence[Tensor]) -> None:
        shape, size = types[0].get_shape(), self.int_of("size")
        require(len(shape) >= 2, f"mbc.unpack: {types[0]} has no panels and tile")
        axis_in(self, self.int_of("axis"), len(shape) - 1)
        require(
            shape[0] == -(-size // shape[-1]),
            f"mbc.unpack: {shape[0]} panels of {shape[-1]} do not hold {size} elements",
        )

    def infer(self, types: Sequence[Tensor]) -> tuple[Tensor, ...]:
        rest = list(types[0].get_shape()[1:-1])
        rest.insert(self.int_of("axis"), self.int_of("size"))
        return (tensor(rest, types[0].element_type),)

    def dims(self) -> Dims:
        axis = self.int_of("axis")
        rest = [f"d{i}" for i in range(len(shape_of(self.input)) - 2)]
        out = [*rest[:axis], "", *rest[axis:]]
        return Dims((("", *rest, ""),), (tuple(out),))

    def flops(self) -> int:
        return 0

    def evaluate(self, *arrays: Array) -> tuple[Array, ...]:
        axis, size = self.int_of("axis"), self.int_of("size")
        rows = np.moveaxis(arrays[0], -1, 1)
        rows = rows.reshape(-1, *rows.shape[2:])[:size]
        return (np.moveaxis(rows, 0, axis),)
