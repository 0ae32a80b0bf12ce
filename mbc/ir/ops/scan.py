"""mbc.scan: running sum or product along an axis."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from xdsl.dialects.builtin import BoolAttr, IntegerAttr, StringAttr, TensorType
from xdsl.irdl import irdl_op_definition, operand_def, prop_def, result_def, traits_def
from xdsl.traits import Pure

from mbc.ir.tensor_op import Dims, TensorOp, axis_in, require
from mbc.ir.types import Array, Tensor, shape_of


@irdl_op_definition
class ScanOp(TensorOp):
    """result[i] = the fold of input[0..i] along `axis`; `exclusive` leaves i out,
    `reverse` runs from the end."""

    name = "mbc.scan"
    input = operand_def(TensorType)
    result = result_def(TensorType)
    kind = prop_def(StringAttr)
    axis = prop_def(IntegerAttr)
    exclusive = prop_def(BoolAttr)
    reverse = prop_def(BoolAttr)
    traits = traits_def(Pure())

    def check(self, types: Sequence[Tensor]) -> None:
        axis_in(self, self.int_of("axis"), len(types[0].get_shape()))
        require(self.str_of("kind") in ("sum", "prod"), "mbc.scan: sum or prod")

    def infer(self, types: Sequence[Tensor]) -> tuple[Tensor, ...]:
        return (types[0],)

    def dims(self) -> Dims:
        names = tuple(f"d{i}" for i in range(len(shape_of(self.input))))
        return Dims((names,), (names,))

    def flops(self) -> int:
        return math.prod(shape_of(self.input))

    def evaluate(self, *arrays: Array) -> tuple[Array, ...]:
        axis = self.int_of("axis")
        x = np.flip(arrays[0], axis) if self.bool_of("reverse") else arrays[0]
        summed = self.str_of("kind") == "sum"
        function = np.cumsum if summed else np.cumprod
        total = function(x, axis=axis, dtype=x.dtype)
        if self.bool_of("exclusive"):
            shape = list(x.shape)
            shape[axis] = min(1, shape[axis])
            start = np.full(shape, 0 if summed else 1, x.dtype)
            rest = np.delete(total, -1, axis) if x.shape[axis] else total
            total = np.concatenate([start, rest], axis)
        return (np.flip(total, axis) if self.bool_of("reverse") else total,)
