"""Stages of named ops that upstream cannot say: scans and recurrences."""

from __future__ import annotations

import math

from mbc.codegen.expression import load_text, local_type, store_text
from mbc.codegen.nest.stage import Stage, Storage, for_loop
from mbc.ir.ops.lstm import LstmOp
from mbc.ir.ops.scan import ScanOp
from mbc.ir.types import element_of, shape_of


def scan_stages(op: ScanOp, storage: Storage) -> list[Stage]:
    """One item per line; the axis runs inside."""
    shape, axis = shape_of(op.input), op.int_of("axis")
    outer, length = math.prod(shape[:axis]), shape[axis]
    inner = math.prod(shape[axis + 1 :])
    dtype = str(element_of(op.input))
    type = local_type(element_of(op.input), storage.target)
    step = f"{length - 1} - k" if op.bool_of("reverse") else "k"
    operator = "+" if op.str_of("kind") == "sum" else "*"
    value = load_text(dtype, storage.name(op.input), "at")
    add = f"total = total {operator} {value};"
    store = store_text(dtype, storage.name(op.result), "at", "total") + ";"
    order = [store, add] if op.bool_of("exclusive") else [add, store]
    body = [f"const long at = ((long)i0 * {length} + ({step})) * {inner} + i1;", *order]
    lines = [f"{type} total = {0 if operator == '+' else 1};"]
    lines += for_loop("k", length, body)
    buffers = (storage.name(op.input), storage.name(op.result))
    return [Stage("scan", (("i0", outer), ("i1", inner)), tuple(lines), buffers)]


def lstm_stages(op: LstmOp, storage: Storage) -> list[Stage]:
    """One step per time; item (batch, unit) computes the four gates of its unit."""
    time, batch, _ = shape_of(op.input)
    hidden = shape_of(op.hidden)[1]
    cell = _Lstm(op, storage)
    lines = [
        f"const int now = {cell.now};",
        f"{cell.type} gates[4];",
        *for_loop("gate", 4, cell.gate_sum()),
        *cell.state(),
    ]
    loops = (("i0", batch), ("i1", hidden))
    buffers = tuple(dict.fromkeys(cell.buffers))
    return [Stage("lstm step", loops, tuple(lines), buffers, steps=time)]


class _Lstm:
    """The texts of one step; the running cell state lives in the last result."""

    def __init__(self, op: LstmOp, storage: Storage):
        self.time, self.batch, self.features = shape_of(op.input)
        self.hidden = shape_of(op.hidden)[1]
        self.buffers = [storage.name(value) for value in (*op.operands, *op.results)]
        self.operands = self.buffers[: len(op.operands)]
        self.output, self.last_hidden, self.last_cell = self.buffers[-3:]
        self.dtype = str(element_of(op.input))
        self.type = local_type(element_of(op.input), storage.target)
        self.exp, self.tanh = (
            _function(storage, name, self.dtype) for name in ("exp", "tanh")
        )
        reverse = op.bool_of("reverse")
        self.now = f"{self.time - 1} - step" if reverse else "step"
        self.before = "now + 1" if reverse else "now - 1"

    def load(self, buffer: str, index: str) -> str:
        return load_text(self.dtype, buffer, index)

    def gate_sum(self) -> list[str]:
        """Input and hidden products and biases of one gate."""
        x, h0, _, w, u, *biases = self.operands
        hidden, features = self.hidden, self.features
        row = f"(gate * {hidden} + i1)"
        input = self.load(x, f"(now * {self.batch} + i0) * {features} + k")
        weight = self.load(w, f"{row} * {features} + k")
        first = self.load(h0, f"i0 * {hidden} + k")
        earlier = f"(({self.before}) * {self.batch} + i0) * {hidden} + k"
        previous = f"step == 0 ? {first} : {self.load(self.output, earlier)}"
        recurrent = self.load(u, f"{row} * {hidden} + k")
        return [
            f"{self.type} sum = 0;",
            *for_loop("k", features, [f"sum += {input} * {weight};"]),
            *for_loop("k", hidden, [f"sum += ({previous}) * {recurrent};"]),
            *(f"sum += {self.load(bias, row)};" for bias in biases),
            "gates[gate] = sum;",
        ]

    def state(self) -> list[str]:
        """Cell and hidden state from the gates i, f, g and o."""
        at = f"i0 * {self.hidden} + i1"
        initial, running = (
            self.load(self.operands[2], at),
            self.load(self.last_cell, at),
        )
        kept = f"{self.sigmoid('gates[1]')} * old"
        added = f"{self.sigmoid('gates[0]')} * {self.tanh}(gates[2])"
        out = f"(now * {self.batch} + i0) * {self.hidden} + i1"
        return [
            f"const {self.type} old = step == 0 ? {initial} : {running};",
            f"const {self.type} cell = {kept} + {added};",
            f"const {self.type} value = "
            f"{self.sigmoid('gates[3]')} * {self.tanh}(cell);",
            store_text(self.dtype, self.last_cell, at, "cell") + ";",
            store_text(self.dtype, self.last_hidden, at, "value") + ";",
            store_text(self.dtype, self.output, out, "value") + ";",
        ]

    def sigmoid(self, value: str) -> str:
        return f"1 / (1 + {self.exp}(-{value}))"


def _function(storage: Storage, base: str, dtype: str) -> str:
    suffix = "" if dtype == "f64" else storage.target.float_suffix
    return f"{storage.target.function_prefix}{base}{suffix}"
