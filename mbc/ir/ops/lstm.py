"""mbc.lstm: one direction of one layer over a whole sequence."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from xdsl.dialects.builtin import BoolAttr, TensorType
from xdsl.irdl import (
    irdl_op_definition,
    operand_def,
    prop_def,
    result_def,
    traits_def,
    var_operand_def,
)
from xdsl.traits import Pure

from mbc.ir.tensor_op import Dims, TensorOp, require
from mbc.ir.types import Array, Tensor, is_float, shape_of, tensor


@irdl_op_definition
class LstmOp(TensorOp):
    """Input (time, batch, features), states (batch, hidden), gates in order i f g o.

    `biases` holds nothing or the input and the hidden bias. Results: every hidden
    state (time, batch, hidden), the last hidden and the last cell state. With
    `reverse` time runs from the end.
    """

    name = "mbc.lstm"
    input = operand_def(TensorType)
    hidden = operand_def(TensorType)
    cell = operand_def(TensorType)
    input_weight = operand_def(TensorType)
    hidden_weight = operand_def(TensorType)
    biases = var_operand_def(TensorType)
    output = result_def(TensorType)
    last_hidden = result_def(TensorType)
    last_cell = result_def(TensorType)
    reverse = prop_def(BoolAttr)
    traits = traits_def(Pure())

    def check(self, types: Sequence[Tensor]) -> None:
        require(len(types) in (5, 7), "mbc.lstm takes no bias or two")
        require(is_float(types[0].element_type), "mbc.lstm needs floats")
        shapes = [type.get_shape() for type in types]
        require(len(shapes[0]) == 3, "mbc.lstm: input is (time, batch, features)")
        _, batch, features = shapes[0]
        hidden = shapes[1][-1]
        wanted = [
            shapes[0],
            (batch, hidden),
            (batch, hidden),
            (4 * hidden, features),
            (4 * hidden, hidden),
            (4 * hidden,),
            (4 * hidden,),
        ]
        for index, (found, want) in enumerate(zip(shapes, wanted, strict=False)):
            require(
                found == tuple(want),
                f"mbc.lstm: operand {index} is {types[index]}, not of shape {want}",
            )

    def infer(self, types: Sequence[Tensor]) -> tuple[Tensor, ...]:
        time, batch, _ = types[0].get_shape()
        hidden = types[1].get_shape()[1]
        element = types[0].element_type
        state = tensor([batch, hidden], element)
        return (tensor([time, batch, hidden], element), state, state)

    def dims(self) -> Dims:
        state = ("b", "")
        operands = [("t", "b", "f"), state, state, ("", "f"), ("", "")]
        operands += [("",)] * len(self.biases)
        return Dims(tuple(operands), (("t", "b", ""), state, state))

    def flops(self) -> int:
        time, batch, features = shape_of(self.input)
        hidden = shape_of(self.hidden)[1]
        return time * batch * hidden * (8 * (features + hidden) + 9)

    def evaluate(self, *arrays: Array) -> tuple[Array, ...]:
        x, hidden, cell, input_weight, hidden_weight, *biases = arrays
        bias = sum(biases) if biases else 0
        output = np.empty((*x.shape[:2], hidden.shape[1]), x.dtype)
        steps = range(len(x))
        for t in reversed(steps) if self.bool_of("reverse") else steps:
            gates = x[t] @ input_weight.T + hidden @ hidden_weight.T + bias
            i, f, g, o = np.split(gates.astype(x.dtype), 4, axis=1)
            cell = sigmoid(f) * cell + sigmoid(i) * np.tanh(g)
            hidden = sigmoid(o) * np.tanh(cell)
            output[t] = hidden
        return (output, hidden, cell)


def sigmoid(x: Array) -> Array:
    one = x.dtype.type(1)
    with np.errstate(over="ignore"):
        return one / (one + np.exp(-x))
