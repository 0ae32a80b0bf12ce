"""LSTM, GRU and RNN of several layers and directions, composed from `mbc.recurrent`.

The inputs' products of all steps are one contraction in front of the sweep.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from xdsl.ir import SSAValue

from mbc.frontend.aten.call import Call, Lowering
from mbc.frontend.aten.shape import box
from mbc.frontend.unsupported import Unsupported
from mbc.ir import build
from mbc.ir.arithmetic import add
from mbc.ir.ops.concat import ConcatOp
from mbc.ir.ops.contract import ContractOp
from mbc.ir.ops.recurrent import RecurrentOp
from mbc.ir.types import element_of, shape_of

BATCH_AND_TIME = (1, 0, 2)


def recurrent(
    call: Call,
    x: SSAValue,
    states: SSAValue | Sequence[SSAValue],
    weights: Sequence[SSAValue],
    has_biases: bool,
    layers: int,
    dropout: float,
    training: bool,
    bidirectional: bool,
    batch_first: bool,
    kind: str,
) -> list[SSAValue]:
    directions = 2 if bidirectional else 1
    per_cell = len(weights) // (layers * directions)
    if per_cell != (4 if has_biases else 2):
        raise Unsupported("projections (proj_size)")
    if training and dropout and layers > 1:
        raise Unsupported("dropout between layers is random")
    initial = [states] if isinstance(states, SSAValue) else list(states)
    sequence = build.transpose(x, BATCH_AND_TIME) if batch_first else x
    last: list[RecurrentOp] = []
    for layer in range(layers):
        sweeps: list[RecurrentOp] = []
        for direction in range(directions):
            number = layer * directions + direction
            own = weights[number * per_cell : (number + 1) * per_cell]
            mine = [_state(state, number) for state in initial]
            sweeps.append(_sweep(sequence, mine, own, kind, direction == 1))
        sequence = _join([sweep.output for sweep in sweeps], 2)
        last += sweeps
    output = build.transpose(sequence, BATCH_AND_TIME) if batch_first else sequence
    ends = [
        _join([_row(sweep.results[1 + i]) for sweep in last], 0)
        for i in range(len(initial))
    ]
    return [output, *ends]


def _sweep(
    x: SSAValue,
    states: Sequence[SSAValue],
    weights: Sequence[SSAValue],
    kind: str,
    reverse: bool,
) -> RecurrentOp:
    input_weight, weight, *biases = weights
    (time, batch, features), hidden = shape_of(x), shape_of(weight)[1]
    behind: list[SSAValue] = list(states[1:])
    # As one matrix: a permutation in front would make it no family's contraction.
    flat = build.reshape(x, (time * batch, features))
    inputs = ContractOp.einsum("mf,gf->mg", flat, input_weight).result
    if biases and kind == "gru":
        # What the reset gate multiplies holds its bias, so that stays behind.
        first, second = biases
        behind.append(box(second, 0, 2 * hidden, hidden))
        split = [box(first, 0, 0, 2 * hidden), box(first, 0, 2 * hidden, hidden)]
        gates = _sum(split[0], box(second, 0, 0, 2 * hidden))
        inputs = _sum(inputs, _join([gates, split[1]], 0))
    elif biases:
        inputs = _sum(inputs, _sum(*biases))
    inputs = build.reshape(inputs, (time, batch, shape_of(inputs)[1]))
    operands = [inputs, build.transpose(weight, (1, 0)), states[0], *behind]
    return RecurrentOp.of(operands, kind=kind, reverse=reverse)


def _sum(a: SSAValue, b: SSAValue) -> SSAValue:
    return build.elementwise([a, b], shape_of(a), element_of(a), add)


def _state(states: SSAValue, number: int) -> SSAValue:
    row = box(states, 0, number, 1)
    return build.reshape(row, shape_of(states)[1:])


def _row(state: SSAValue) -> SSAValue:
    return build.reshape(state, (1, *shape_of(state)))


def _join(parts: Sequence[SSAValue], axis: int) -> SSAValue:
    return parts[0] if len(parts) == 1 else ConcatOp.of(parts, axis=axis).result


KINDS = {"lstm": "lstm", "gru": "gru", "rnn_tanh": "tanh", "rnn_relu": "relu"}
LOWERINGS: dict[str, Lowering] = {
    name: partial(recurrent, kind=kind)
    for function, kind in KINDS.items()
    for name in (f"{function}.input", f"mbc.{function}.default")
}
"""As torch has them, and as `whole_layers` puts them into a program."""
