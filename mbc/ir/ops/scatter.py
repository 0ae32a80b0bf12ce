"""mbc.scatter: elements written or accumulated where an index tensor says."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from xdsl.dialects.builtin import IntegerAttr, IntegerType, StringAttr, TensorType
from xdsl.irdl import irdl_op_definition, operand_def, prop_def, result_def, traits_def
from xdsl.traits import Pure

from mbc.ir.tensor_op import Dims, TensorOp, axis_in, require
from mbc.ir.types import Array, Tensor, shape_of

COMBINE: dict[str, Any] = {
    "add": np.add,
    "mul": np.multiply,
    "max": np.maximum,
    "min": np.minimum,
}
KINDS = ("set", *COMBINE)


@irdl_op_definition
class ScatterOp(TensorOp):
    """result = input, then result[a, indices[i], b] takes updates[a, i, b] for every i
    in row-major order, where a are the axes before `axis`.

    "set" overwrites; "add", "mul", "max" and "min" combine. The order makes repeated
    indices well defined: of several values that are set, the last one stays, where
    PyTorch leaves it open; sums are added one after the other. Negative indices count
    from the end; an update whose index then lies outside is dropped, where PyTorch
    raises.
    """

    name = "mbc.scatter"
    input = operand_def(TensorType)
    indices = operand_def(TensorType)
    updates = operand_def(TensorType)
    result = result_def(TensorType)
    axis = prop_def(IntegerAttr)
    kind = prop_def(StringAttr)
    traits = traits_def(Pure())

    def check(self, types: Sequence[Tensor]) -> None:
        input, indices, updates = types
        axis, shape = self.int_of("axis"), list(input.get_shape())
        axis_in(self, axis, len(shape))
        require(self.str_of("kind") in KINDS, f"mbc.scatter: {', '.join(KINDS)}")
        integers = isinstance(indices.element_type, IntegerType)
        require(integers, "mbc.scatter: indices must be integers")
        require(
            updates.element_type == input.element_type,
            "mbc.scatter: input and updates have different element types",
        )
        shape[axis : axis + 1] = indices.get_shape()
        require(
            shape == list(updates.get_shape()),
            f"mbc.scatter: {updates} is no update of {input} at {indices}",
        )

    def infer(self, types: Sequence[Tensor]) -> tuple[Tensor, ...]:
        return (types[0],)

    def dims(self) -> Dims:
        axis = self.int_of("axis")
        names = [f"d{i}" for i in range(len(shape_of(self.input)))]
        picked = [f"i{i}" for i in range(len(shape_of(self.indices)))]
        updates = (*names[:axis], *picked, *names[axis + 1 :])
        names[axis] = ""  # values of the indices bound it
        return Dims((tuple(names), tuple(picked), updates), (tuple(names),))

    def flops(self) -> int:
        return 0 if self.str_of("kind") == "set" else math.prod(shape_of(self.updates))

    def evaluate(self, *arrays: Array) -> tuple[Array, ...]:
        input, indices, updates = arrays
        axis, extent = self.int_of("axis"), input.shape[self.int_of("axis")]
        result = np.array(np.moveaxis(input, axis, 0))
        at = indices.astype(np.int64).ravel()
        at = np.where(at < 0, at + extent, at)
        inside = (at >= 0) & (at < extent)
        around = list(range(axis, axis + indices.ndim))
        front = np.moveaxis(updates, around, range(indices.ndim))
        rows = front.reshape(at.size, *result.shape[1:])[inside]
        if self.str_of("kind") == "set":
            for place, row in zip(at[inside], rows, strict=True):
                result[place] = row
        else:
            COMBINE[self.str_of("kind")].at(result, at[inside], rows)
        return (np.moveaxis(result, 0, axis),)
