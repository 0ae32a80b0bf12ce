"""mbc.pack: an axis in panels, for kernels that read tiles of it contiguously."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from xdsl.dialects.builtin import IntegerAttr, TensorType
from xdsl.irdl import irdl_op_definition, operand_def, prop_def, result_def, traits_def
from xdsl.traits import Pure

from mbc.ir.tensor_op import Dims, TensorOp, axis_in, require
from mbc.ir.types import Array, Tensor, shape_of, tensor


@irdl_op_definition
class PackOp(TensorOp):
    """(a, axis, b) becomes (panels, a, b, tile): element i of `axis` is in panel
    i // tile at lane i % tile; the last panel is filled up with zeros.

    A GEMM's right operand (n, k) packed along axis 0 is (n / tile, k, tile).
    """

    name = "mbc.pack"
    input = operand_def(TensorType)
    result = result_def(TensorType)
    axis = prop_def(IntegerAttr)
    tile = prop_def(IntegerAttr)
    traits = traits_def(Pure())

    def check(self, types: Sequence[Tensor]) -> None:
        axis_in(self, self.int_of("axis"), len(types[0].get_shape()))
        require(self.int_of("tile") > 0, "mbc.pack: the tile must be positive")

    def infer(self, types: Sequence[Tensor]) -> tuple[Tensor, ...]:
        axis, tile = self.int_of("axis"), self.int_of("tile")
        rest = list(types[0].get_shape())
        panels = -(-rest.pop(axis) // tile)
        return (tensor([panels, *rest, tile], types[0].element_type),)

    def dims(self) -> Dims:
        axis = self.int_of("axis")
        names = [f"d{i}" for i in range(len(shape_of(self.input)))]
        rest = [n for i, n in enumerate(names) if i != axis]
        return Dims((tuple(names),), (("", *rest, ""),))

    def flops(self) -> int:
        return 0

    def evaluate(self, *arrays: Array) -> tuple[Array, ...]:
        axis, tile = self.int_of("axis"), self.int_of("tile")
        rows = np.moveaxis(arrays[0], axis, 0)
        panels = -(-rows.shape[0] // tile)
        filled = np.zeros((panels * tile, *rows.shape[1:]), rows.dtype)
        filled[: rows.shape[0]] = rows
        return (np.moveaxis(filled.reshape(panels, tile, *rows.shape[1:]), 1, -1),)
