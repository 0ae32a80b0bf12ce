"""mbc.scan: running sum, product, extremum or log-sum-exp along an axis."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import cast

import numpy as np
from xdsl.dialects.builtin import BoolAttr, IntegerAttr, StringAttr, TensorType, i64
from xdsl.irdl import (
    irdl_op_definition,
    operand_def,
    opt_prop_def,
    opt_result_def,
    prop_def,
    result_def,
    traits_def,
)
from xdsl.traits import Pure

from mbc.ir.arithmetic import extreme_value
from mbc.ir.tensor_op import Dims, TensorOp, axis_in, require
from mbc.ir.types import Array, Tensor, element_of, is_float, shape_of, tensor

FOLDS: Mapping[str, np.ufunc] = {
    "sum": np.add,
    "prod": np.multiply,
    "max": np.maximum,
    "min": np.minimum,
    "logsumexp": np.logaddexp,
}


@irdl_op_definition
class ScanOp(TensorOp):
    """result[i] = the fold of input[0..i] along `axis`; `exclusive` leaves i out,
    `reverse` runs from the end.

    max and min propagate NaN. With `indices` they have a second result: where, as
    i64, the running extremum was last met; each NaN is one.
    """

    name = "mbc.scan"
    input = operand_def(TensorType)
    result = result_def(TensorType)
    where = opt_result_def(TensorType)
    kind = prop_def(StringAttr)
    axis = prop_def(IntegerAttr)
    exclusive = prop_def(BoolAttr)
    reverse = prop_def(BoolAttr)
    indices = opt_prop_def(BoolAttr)
    traits = traits_def(Pure())

    @property
    def with_indices(self) -> bool:
        return "indices" in self.properties and self.bool_of("indices")

    def check(self, types: Sequence[Tensor]) -> None:
        kind = self.str_of("kind")
        axis_in(self, self.int_of("axis"), len(types[0].get_shape()))
        require(kind in FOLDS, f"mbc.scan: kind '{kind}' is none of {', '.join(FOLDS)}")
        floats = is_float(types[0].element_type)
        require(floats or kind != "logsumexp", "mbc.scan: logsumexp needs floats")
        if self.with_indices:
            require(kind in ("max", "min"), "mbc.scan: indices are of a max or min")
            require(
                not self.bool_of("exclusive"),
                "mbc.scan: an exclusive scan has no indices",
            )

    def infer(self, types: Sequence[Tensor]) -> tuple[Tensor, ...]:
        if not self.with_indices:
            return (types[0],)
        return (types[0], tensor(types[0].get_shape(), i64))

    def dims(self) -> Dims:
        names = tuple(f"d{i}" for i in range(len(shape_of(self.input))))
        return Dims((names,), (names,) * len(self.results))

    def flops(self) -> int:
        return math.prod(shape_of(self.input))

    def start(self) -> float | int:
        """The neutral element of the fold."""
        element = element_of(self.input)
        match self.str_of("kind"):
            case "sum":
                return 0
            case "prod":
                return 1
            case "min":
                return extreme_value(element, "highest")
            case _:
                return extreme_value(element, "lowest")

    def evaluate(self, *arrays: Array) -> tuple[Array, ...]:
        axis, backward = self.int_of("axis"), self.bool_of("reverse")
        x = np.flip(arrays[0], axis) if backward else arrays[0]
        fold = FOLDS[self.str_of("kind")]
        total = fold.accumulate(x, axis=axis, dtype=x.dtype)
        results = [total]
        if self.bool_of("exclusive"):
            results = [self._behind(total)]
        elif self.with_indices:
            results.append(self._indices(x, total))
        return tuple(np.flip(r, axis) if backward else r for r in results)

    def _behind(self, total: Array) -> Array:
        """`total` one place further on, the neutral element in front."""
        axis = self.int_of("axis")
        shape = list(total.shape)
        shape[axis] = min(1, shape[axis])
        start = np.full(shape, self.start(), total.dtype)
        rest = np.delete(total, -1, axis) if total.shape[axis] else total
        return np.concatenate([start, rest], axis)

    def _indices(self, x: Array, total: Array) -> Array:
        axis = self.int_of("axis")
        ends = np.greater_equal if self.str_of("kind") == "max" else np.less_equal
        before = self._behind(total)
        number = before == before
        taken = (x != x) | (number & ends(x, before))
        length = x.shape[axis]
        behind = (1,) * (x.ndim - axis - 1)
        places = np.reshape(cast(Array, np.arange(length)), (length, *behind))
        last = np.maximum.accumulate(np.where(taken, places, 0), axis=axis)
        return (length - 1 - last if self.bool_of("reverse") else last).astype(np.int64)
