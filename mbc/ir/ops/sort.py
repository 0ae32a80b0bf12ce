"""mbc.sort: an axis in order, with where each element was; or its first few."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from xdsl.dialects.builtin import BoolAttr, IntegerAttr, IntegerType, TensorType, i64
from xdsl.irdl import irdl_op_definition, operand_def, prop_def, result_def, traits_def
from xdsl.traits import Pure

from mbc.ir.tensor_op import Dims, TensorOp, axis_in, require
from mbc.ir.types import Array, Tensor, shape_of, tensor


@irdl_op_definition
class SortOp(TensorOp):
    """The first `count` elements of `axis` in order, and their places in `input`.

    The order is stable: equal elements, -0.0 and 0.0 among them, keep theirs, also
    when it descends. NaN is the largest of all, as in PyTorch. Integers are signed
    unless `unsigned`. A count below the extent is a top-k, whose ties PyTorch leaves
    open.
    """

    name = "mbc.sort"
    input = operand_def(TensorType)
    values = result_def(TensorType)
    places = result_def(TensorType)
    axis = prop_def(IntegerAttr)
    count = prop_def(IntegerAttr)
    descending = prop_def(BoolAttr)
    unsigned = prop_def(BoolAttr)
    traits = traits_def(Pure())

    def check(self, types: Sequence[Tensor]) -> None:
        shape = types[0].get_shape()
        axis_in(self, self.int_of("axis"), len(shape))
        extent, count = shape[self.int_of("axis")], self.int_of("count")
        require(
            0 <= count <= extent,
            f"mbc.sort: {count} elements of an axis of {extent}",
        )
        integer = isinstance(types[0].element_type, IntegerType)
        require(integer or not self.bool_of("unsigned"), "mbc.sort: unsigned floats")

    def infer(self, types: Sequence[Tensor]) -> tuple[Tensor, ...]:
        shape = list(types[0].get_shape())
        shape[self.int_of("axis")] = self.int_of("count")
        return tensor(shape, types[0].element_type), tensor(shape, i64)

    def dims(self) -> Dims:
        axis = self.int_of("axis")
        names = tuple(
            "" if i == axis else f"d{i}" for i in range(len(shape_of(self.input)))
        )
        return Dims((names,), (names, names))

    def flops(self) -> int:
        """Comparisons of a merge sort, or of a selection where few are wanted."""
        shape, axis = shape_of(self.input), self.int_of("axis")
        steps = min(self.int_of("count"), max(1, shape[axis] - 1).bit_length())
        return math.prod(shape) * steps

    def evaluate(self, *arrays: Array) -> tuple[Array, ...]:
        axis, count = self.int_of("axis"), self.int_of("count")
        x = arrays[0]
        keys = x.view(f"u{x.itemsize}") if self.bool_of("unsigned") else x
        if self.bool_of("descending"):
            # Stable from the other end: the reverse of an ascending stable order.
            back = np.argsort(np.flip(keys, axis), axis=axis, kind="stable")
            order = x.shape[axis] - 1 - np.flip(back, axis)
        else:
            order = np.argsort(keys, axis=axis, kind="stable")
        first = np.take(order, np.arange(count), axis).astype(np.int64)
        return np.take_along_axis(x, first, axis), first
