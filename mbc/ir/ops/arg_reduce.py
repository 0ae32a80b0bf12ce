"""mbc.arg_reduce: where along an axis the largest or smallest element is."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from xdsl.dialects import arith
from xdsl.dialects.builtin import BoolAttr, IntegerAttr, StringAttr, TensorType, i64
from xdsl.dialects.linalg.ops import IndexOp
from xdsl.ir import SSAValue
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

from mbc.ir import build
from mbc.ir.ops.reduce import fold
from mbc.ir.tensor_op import Dims, TensorOp, axis_in, require
from mbc.ir.types import Array, Tensor, element_of, is_float, shape_of, tensor


@irdl_op_definition
class ArgReduceOp(TensorOp):
    """i64 index of the first maximum or minimum along `axis`; the first NaN wins.

    With `values` a second result is the element itself.
    """

    name = "mbc.arg_reduce"
    input = operand_def(TensorType)
    result = result_def(TensorType)
    value = opt_result_def(TensorType)
    kind = prop_def(StringAttr)
    axis = prop_def(IntegerAttr)
    keepdims = prop_def(BoolAttr)
    values = opt_prop_def(BoolAttr)
    traits = traits_def(Pure())

    @property
    def with_values(self) -> bool:
        return "values" in self.properties and self.bool_of("values")

    def check(self, types: Sequence[Tensor]) -> None:
        shape, axis = types[0].get_shape(), self.int_of("axis")
        axis_in(self, axis, len(shape))
        require(self.str_of("kind") in ("max", "min"), "mbc.arg_reduce: max or min")
        require(shape[axis] != 0, "mbc.arg_reduce: the reduced axis is empty")

    def infer(self, types: Sequence[Tensor]) -> tuple[Tensor, ...]:
        shape = list(types[0].get_shape())
        axis = self.int_of("axis")
        shape[axis : axis + 1] = [1] if self.bool_of("keepdims") else []
        where = tensor(shape, i64)
        if not self.with_values:
            return (where,)
        return (where, tensor(shape, types[0].element_type))

    def dims(self) -> Dims:
        names = [f"d{i}" for i in range(len(shape_of(self.input)))]
        axis, out = self.int_of("axis"), list(names)
        out[axis : axis + 1] = [""] if self.bool_of("keepdims") else []
        return Dims((tuple(names),), (tuple(out),) * len(self.results))

    def flops(self) -> int:
        return math.prod(shape_of(self.input))

    def evaluate(self, *arrays: Array) -> tuple[Array, ...]:
        function = np.argmax if self.str_of("kind") == "max" else np.argmin
        axis = self.int_of("axis")
        keep = self.bool_of("keepdims")
        found = np.asarray(function(arrays[0], axis=axis, keepdims=True), np.int64)
        results = [found]
        if self.with_values:
            results.append(np.take_along_axis(arrays[0], found, axis))
        return tuple(r if keep else np.squeeze(r, axis) for r in results)

    def decompose(self) -> Sequence[SSAValue]:
        axis, shape = self.int_of("axis"), shape_of(self.input)
        element = element_of(self.input)
        kept = [i for i in range(len(shape)) if i != axis]
        out = [shape[i] for i in kept]
        kind = self.str_of("kind")
        best = build.filled(out, element, fold(kind, element)[0])
        where = build.filled(out, i64, -1)
        maps = [
            build.identity_map(len(shape)),
            build.dims_map(len(shape), kept),
            build.dims_map(len(shape), kept),
        ]
        kinds = ["reduction" if i == axis else "parallel" for i in range(len(shape))]

        def step(x: SSAValue, best: SSAValue, where: SSAValue) -> list[SSAValue]:
            here = arith.IndexCastOp(IndexOp(axis).result, i64).result
            first = arith.CmpiOp(where, build.constant(-1, i64), "eq").result
            take = arith.OrIOp(first, better(kind, x, best)).result
            return [
                arith.SelectOp(take, x, best).result,
                arith.SelectOp(take, here, where).result,
            ]

        value, found = build.generic([self.input], [best, where], maps, kinds, step)
        results = (found, value) if self.with_values else (found,)
        return [build.reshape(r, shape_of(self.result)) for r in results]


def better(kind: str, x: SSAValue, best: SSAValue) -> SSAValue:
    """Whether `x` replaces `best`: strictly larger (smaller), or the first NaN."""
    if not is_float(x.type):
        order = "sgt" if kind == "max" else "slt"
        return arith.CmpiOp(x, best, order).result
    order = "ogt" if kind == "max" else "olt"
    beyond = arith.CmpfOp(x, best, order).result
    is_nan = arith.CmpfOp(x, x, "uno").result
    was_number = arith.CmpfOp(best, best, "ord").result
    return arith.OrIOp(beyond, arith.AndIOp(is_nan, was_number).result).result
