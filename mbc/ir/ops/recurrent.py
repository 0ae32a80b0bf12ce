"""mbc.recurrent: one direction of one layer of an LSTM, a GRU or a plain RNN."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from xdsl.builder import ImplicitBuilder
from xdsl.dialects import arith
from xdsl.dialects.builtin import BoolAttr, StringAttr, TensorType
from xdsl.dialects.linalg.ops import YieldOp
from xdsl.dialects.math import ExpOp, TanhOp
from xdsl.ir import Attribute, Block, SSAValue
from xdsl.irdl import (
    irdl_op_definition,
    operand_def,
    prop_def,
    result_def,
    traits_def,
    var_operand_def,
    var_result_def,
)
from xdsl.traits import Pure

from mbc.ir.arithmetic import add, constant, divide, maximum, multiply, subtract
from mbc.ir.tensor_op import Dims, TensorOp, require
from mbc.ir.types import Array, Tensor, is_float, shape_of, tensor

GATES = {"lstm": 4, "gru": 3, "tanh": 1, "relu": 1}
"""Products per hidden unit, by kind; their order is PyTorch's: i f g o, and r z n."""

CELL_FLOPS = {"lstm": 9, "gru": 9, "tanh": 1, "relu": 1}
"""Per hidden unit behind the products; an activation counts as one."""


@irdl_op_definition
class RecurrentOp(TensorOp):
    """The sweep over time: every step multiplies the hidden state and ends in a cell.

    Input (time, batch, gates * hidden) holds the inputs' products and the biases, so
    that one contraction makes them for all steps; the weight is (hidden, gates *
    hidden), so that units lie side by side, and the hidden state (batch, hidden). An
    LSTM takes and returns its cell state behind that; a GRU may take a bias (hidden)
    of what its reset gate multiplies. Results: every hidden state (time, batch,
    hidden), then the last states. With `reverse` time runs from the end.
    """

    name = "mbc.recurrent"
    input = operand_def(TensorType)
    weight = operand_def(TensorType)
    hidden = operand_def(TensorType)
    extra = var_operand_def(TensorType)
    output = result_def(TensorType)
    last_hidden = result_def(TensorType)
    last_cell = var_result_def(TensorType)
    kind = prop_def(StringAttr)
    reverse = prop_def(BoolAttr)
    traits = traits_def(Pure())

    @property
    def gates(self) -> int:
        return GATES[self.str_of("kind")]

    @property
    def has_cell(self) -> bool:
        return self.str_of("kind") == "lstm"

    @property
    def bias(self) -> SSAValue | None:
        """Of a GRU."""
        return self.extra[0] if self.extra and not self.has_cell else None

    def check(self, types: Sequence[Tensor]) -> None:
        kind = self.str_of("kind")
        known = ", ".join(GATES)
        require(kind in GATES, f"mbc.recurrent: kind '{kind}' is not one of {known}")
        legal = {"lstm": (1,), "gru": (0, 1)}.get(kind, (0,))
        require(
            len(types) - 3 in legal,
            f"mbc.recurrent: {kind} takes {' or '.join(str(n + 3) for n in legal)} "
            "operands",
        )
        require(is_float(types[0].element_type), "mbc.recurrent needs floats")
        shapes = [type.get_shape() for type in types]
        require(
            len(shapes[0]) == 3 and len(shapes[2]) == 2,
            "mbc.recurrent: input is (time, batch, gates), state (batch, hidden)",
        )
        batch, hidden = shapes[0][1], shapes[2][1]
        rows = GATES[kind] * hidden
        state = (batch, hidden)
        last = state if kind == "lstm" else (hidden,)
        wanted = [(shapes[0][0], batch, rows), (hidden, rows), state, last]
        for index, (found, want) in enumerate(zip(shapes, wanted, strict=False)):
            require(
                found == want,
                f"mbc.recurrent: operand {index} is {types[index]}, not of shape "
                f"{want}",
            )

    def infer(self, types: Sequence[Tensor]) -> tuple[Tensor, ...]:
        time, batch, _ = types[0].get_shape()
        element, hidden = types[0].element_type, types[2].get_shape()[1]
        state = tensor([batch, hidden], element)
        states = (state, state) if self.has_cell else (state,)
        return (tensor([time, batch, hidden], element), *states)

    def dims(self) -> Dims:
        state = ("b", "")
        operands = [("t", "b", ""), ("", ""), state]
        operands += [state if self.has_cell else ("",)] * len(self.extra)
        states = (state,) * (1 + self.has_cell)
        return Dims(tuple(operands), (("t", "b", ""), *states))

    def flops(self) -> int:
        time, batch, rows = shape_of(self.input)
        hidden = shape_of(self.hidden)[1]
        cell = CELL_FLOPS[self.str_of("kind")]
        return time * batch * (rows * (2 * hidden + 1) + hidden * cell)

    def evaluate(self, *arrays: Array) -> tuple[Array, ...]:
        x, weight, hidden, *extra = arrays
        output = np.empty((*x.shape[:2], hidden.shape[1]), x.dtype)
        cell = extra[0] if self.has_cell else hidden
        bias = extra[0] if self.bias is not None else 0
        steps = range(len(x))
        for t in reversed(steps) if self.bool_of("reverse") else steps:
            products = hidden @ weight
            hidden, cell = self._step(x[t], products, hidden, cell, bias)
            output[t] = hidden
        return (output, hidden, cell) if self.has_cell else (output, hidden)

    def _step(
        self, x: Array, products: Array, hidden: Array, cell: Array, bias: Array | int
    ) -> tuple[Array, Array]:
        match self.str_of("kind"):
            case "lstm":
                i, f, g, o = np.split(x + products, 4, axis=1)
                cell = sigmoid(f) * cell + sigmoid(i) * np.tanh(g)
                return sigmoid(o) * np.tanh(cell), cell
            case "gru":
                r, z = np.split(sigmoid((x + products)[:, : -hidden.shape[1]]), 2, 1)
                n_x, n = (np.split(a, 3, axis=1)[2] for a in (x, products))
                new = np.tanh(n_x + r * (n + bias))
                return (1 - z) * new + z * hidden, cell
            case "tanh":
                return np.tanh(x + products), cell
            case _:
                return np.maximum(x + products, 0), cell

    def cell(self, element: Attribute) -> Block:
        """One unit of one step as a body of scalar ops.

        Arguments: an input per gate, a product per gate, the bias of a GRU that has
        one, and the state that is carried per unit (an LSTM's cell, a GRU's hidden
        state). Yields the hidden state, and an LSTM's cell.
        """
        carried = self.str_of("kind") in ("lstm", "gru")
        count = 2 * self.gates + (self.bias is not None) + carried
        block = Block(arg_types=[element] * count)
        inputs, products = block.args[: self.gates], block.args[self.gates :]
        with ImplicitBuilder(block):
            made = CELLS[self.str_of("kind")](inputs, products)
            YieldOp(*made)
        return block


def sigmoid(x: Array) -> Array:
    one = x.dtype.type(1)
    with np.errstate(over="ignore"):
        return one / (one + np.exp(-x))


def _sigmoid(x: SSAValue) -> SSAValue:
    one = constant(1.0, x.type)
    return divide(one, add(one, ExpOp(arith.NegfOp(x).result).result))


def _tanh(x: SSAValue) -> SSAValue:
    return TanhOp(x).result


Values = Sequence[SSAValue]


def _lstm(inputs: Values, rest: Values) -> Values:
    i, f, g, o = (add(x, p) for x, p in zip(inputs, rest[:4], strict=True))
    cell = add(multiply(_sigmoid(f), rest[4]), multiply(_sigmoid(i), _tanh(g)))
    return multiply(_sigmoid(o), _tanh(cell)), cell


def _gru(inputs: Values, rest: Values) -> Values:
    r, z = (_sigmoid(add(x, p)) for x, p in zip(inputs[:2], rest[:2], strict=True))
    product = rest[2] if len(rest) == 4 else add(rest[2], rest[3])
    new = _tanh(add(inputs[2], multiply(r, product)))
    kept = multiply(z, rest[-1])
    return (add(multiply(subtract(constant(1.0, z.type), z), new), kept),)


def _rnn_tanh(inputs: Values, rest: Values) -> Values:
    return (_tanh(add(inputs[0], rest[0])),)


def _rnn_relu(inputs: Values, rest: Values) -> Values:
    total = add(inputs[0], rest[0])
    return (maximum(total, constant(0.0, total.type)),)


CELLS = {"lstm": _lstm, "gru": _gru, "tanh": _rnn_tanh, "relu": _rnn_relu}
