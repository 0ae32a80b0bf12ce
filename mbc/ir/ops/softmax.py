"""mbc.softmax: softmax or log-softmax along one axis."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from xdsl.dialects.builtin import BoolAttr, IntegerAttr, TensorType
from xdsl.dialects.math import LogOp
from xdsl.ir import SSAValue
from xdsl.irdl import irdl_op_definition, operand_def, prop_def, result_def, traits_def
from xdsl.traits import Pure

from mbc.ir import build
from mbc.ir.arithmetic import multiply, reciprocal, subtract
from mbc.ir.ops.logsumexp import exp_and_sum, row_maximum
from mbc.ir.tensor_op import Dims, TensorOp, axis_in, require
from mbc.ir.types import Array, Tensor, element_of, is_float, shape_of


@irdl_op_definition
class SoftmaxOp(TensorOp):
    """exp(x - max) / sum(exp(x - max)) along `axis`; with `log`, its logarithm.

    A row of -inf gives NaN, as in PyTorch.
    """

    name = "mbc.softmax"
    input = operand_def(TensorType)
    result = result_def(TensorType)
    axis = prop_def(IntegerAttr)
    log = prop_def(BoolAttr)
    traits = traits_def(Pure())

    @classmethod
    def along(cls, value: SSAValue, axis: int, log: bool = False) -> SoftmaxOp:
        return cls.of([value], axis=axis, log=log)

    def check(self, types: Sequence[Tensor]) -> None:
        axis_in(self, self.int_of("axis"), len(types[0].get_shape()))
        require(is_float(types[0].element_type), "mbc.softmax needs floats")

    def infer(self, types: Sequence[Tensor]) -> tuple[Tensor, ...]:
        return (types[0],)

    def dims(self) -> Dims:
        names = tuple(f"d{i}" for i in range(len(shape_of(self.input))))
        return Dims((names,), (names,))

    def flops(self) -> int:
        return 5 * math.prod(shape_of(self.input))

    def evaluate(self, *arrays: Array) -> tuple[Array, ...]:
        (x,), axis = arrays, self.int_of("axis")
        if x.size == 0:
            return (x,)
        shifted = x - np.max(x, axis=axis, keepdims=True)
        total = np.sum(np.exp(shifted), axis=axis, keepdims=True)
        if self.bool_of("log"):
            return (shifted - np.log(total),)
        return (np.exp(shifted) / total,)

    def decompose(self) -> Sequence[SSAValue]:
        axis, shape = self.int_of("axis"), shape_of(self.input)
        element = element_of(self.input)
        top = row_maximum(self.input, axis)
        exponential, total = exp_and_sum(self.input, top, axis)
        if not self.bool_of("log"):
            inverse = build.elementwise([total], shape_of(total), element, reciprocal)
            return (
                build.elementwise([exponential, inverse], shape, element, multiply),
            )
        shift = build.elementwise(
            [total], shape_of(total), element, lambda s: LogOp(s).result
        )
        return (
            build.elementwise(
                [self.input, top, shift],
                shape,
                element,
                lambda x, m, s: subtract(subtract(x, m), s),
            ),
        )
