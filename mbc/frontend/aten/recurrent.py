"""LSTM of several layers and directions, composed from `mbc.lstm`."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.ir import SSAValue

from mbc.frontend.aten.call import Call, Lowering
from mbc.frontend.aten.shape import box
from mbc.frontend.unsupported import Unsupported
from mbc.ir import build
from mbc.ir.ops.concat import ConcatOp
from mbc.ir.ops.lstm import LstmOp
from mbc.ir.types import shape_of

BATCH_AND_TIME = (1, 0, 2)


def lstm(
    call: Call,
    x: SSAValue,
    states: Sequence[SSAValue],
    weights: Sequence[SSAValue],
    has_biases: bool,
    layers: int,
    dropout: float,
    training: bool,
    bidirectional: bool,
    batch_first: bool,
) -> list[SSAValue]:
    directions = 2 if bidirectional else 1
    per_cell = len(weights) // (layers * directions)
    if per_cell != (4 if has_biases else 2):
        raise Unsupported("projections")
    if training and dropout and layers > 1:
        raise Unsupported("dropout between layers is random")
    sequence = build.transpose(x, BATCH_AND_TIME) if batch_first else x
    last: list[LstmOp] = []
    for layer in range(layers):
        cells: list[LstmOp] = []
        for direction in range(directions):
            number = layer * directions + direction
            own = weights[number * per_cell : (number + 1) * per_cell]
            initial = [_state(state, number) for state in states]
            cell = LstmOp.of([sequence, *initial, *own], reverse=direction == 1)
            cells.append(cell)
        sequence = _join([cell.output for cell in cells], 2)
        last += cells
    output = build.transpose(sequence, BATCH_AND_TIME) if batch_first else sequence
    hidden = _join([_row(cell.last_hidden) for cell in last], 0)
    return [output, hidden, _join([_row(cell.last_cell) for cell in last], 0)]


def _state(states: SSAValue, number: int) -> SSAValue:
    row = box(states, 0, number, 1)
    return build.reshape(row, shape_of(states)[1:])


def _row(state: SSAValue) -> SSAValue:
    return build.reshape(state, (1, *shape_of(state)))


def _join(parts: Sequence[SSAValue], axis: int) -> SSAValue:
    return parts[0] if len(parts) == 1 else ConcatOp.of(parts, axis=axis).result


LOWERINGS: dict[str, Lowering] = {"lstm.input": lstm}
