"""mbc.logsumexp: log(sum(exp(x))) along one axis, without overflow."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from xdsl.dialects import arith
from xdsl.dialects.builtin import BoolAttr, IntegerAttr, TensorType
from xdsl.dialects.math import AbsFOp, ExpOp, LogOp
from xdsl.ir import SSAValue
from xdsl.irdl import irdl_op_definition, operand_def, prop_def, result_def, traits_def
from xdsl.traits import Pure

from mbc.ir import build
from mbc.ir.arithmetic import add, subtract
from mbc.ir.ops.reduce import ReduceOp
from mbc.ir.tensor_op import Dims, TensorOp, axis_in, require
from mbc.ir.types import Array, Tensor, element_of, is_float, shape_of
from mbc.ir.types import tensor as tensor_of


@irdl_op_definition
class LogsumexpOp(TensorOp):
    """max + log(sum(exp(x - max))) along `axis`."""

    name = "mbc.logsumexp"
    input = operand_def(TensorType)
    result = result_def(TensorType)
    axis = prop_def(IntegerAttr)
    keepdims = prop_def(BoolAttr)
    traits = traits_def(Pure())

    def check(self, types: Sequence[Tensor]) -> None:
        axis_in(self, self.int_of("axis"), len(types[0].get_shape()))
        require(is_float(types[0].element_type), "mbc.logsumexp needs floats")

    def infer(self, types: Sequence[Tensor]) -> tuple[Tensor, ...]:
        shape = list(types[0].get_shape())
        axis = self.int_of("axis")
        shape[axis : axis + 1] = [1] if self.bool_of("keepdims") else []
        return (tensor_of(shape, types[0].element_type),)

    def dims(self) -> Dims:
        names = [f"d{i}" for i in range(len(shape_of(self.input)))]
        axis, out = self.int_of("axis"), list(names)
        out[axis : axis + 1] = [""] if self.bool_of("keepdims") else []
        return Dims((tuple(names),), (tuple(out),))

    def flops(self) -> int:
        return 4 * math.prod(shape_of(self.input))

    def evaluate(self, *arrays: Array) -> tuple[Array, ...]:
        (x,), axis = arrays, self.int_of("axis")
        top = np.max(x, axis=axis, keepdims=True)
        shift = np.where(np.isfinite(top), top, 0).astype(x.dtype)
        total = np.sum(np.exp(x - shift), axis=axis, keepdims=True)
        result = np.log(total) + shift
        return (result if self.bool_of("keepdims") else np.squeeze(result, axis),)

    def decompose(self) -> Sequence[SSAValue]:
        axis = self.int_of("axis")
        element = element_of(self.input)
        top = finite_or_zero(row_maximum(self.input, axis))
        _, total = exp_and_sum(self.input, top, axis)
        result = build.elementwise(
            [total, top],
            shape_of(total),
            element,
            lambda s, m: add(LogOp(s).result, m),
        )
        return (build.reshape(result, shape_of(self.result)),)


def row_maximum(value: SSAValue, axis: int) -> SSAValue:
    return ReduceOp.over(value, "max", [axis], keepdims=True).result


def exp_and_sum(value: SSAValue, top: SSAValue, axis: int) -> tuple[SSAValue, SSAValue]:
    """exp(value - top) and its sum along `axis` (kept with extent 1)."""
    exponential = build.elementwise(
        [value, top],
        shape_of(value),
        element_of(value),
        lambda x, m: ExpOp(subtract(x, m)).result,
    )
    total = ReduceOp.over(exponential, "sum", [axis], keepdims=True).result
    return exponential, total


def finite_or_zero(value: SSAValue) -> SSAValue:
    """Infinities become 0, so that x - max is never inf - inf."""

    def body(m: SSAValue) -> SSAValue:
        infinite = build.constant(math.inf, m.type)
        is_infinite = arith.CmpfOp(AbsFOp(m).result, infinite, "oeq").result
        return arith.SelectOp(is_infinite, build.constant(0.0, m.type), m).result

    return build.elementwise([value], shape_of(value), element_of(value), body)
