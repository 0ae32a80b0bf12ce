"""Stages of named ops that upstream cannot say: scans and recurrences."""

from __future__ import annotations

import math

from mbc.codegen.expression import (
    load_text,
    local_type,
    number_literal,
    store_text,
)
from mbc.codegen.nest.stage import Stage, Storage, for_loop
from mbc.ir.ops.lstm import LstmOp
from mbc.ir.ops.scan import ScanOp
from mbc.ir.types import element_of, shape_of


def scan_stages(op: ScanOp, storage: Storage) -> list[Stage]:
    """One item per line; the axis runs inside."""
    shape, axis = shape_of(op.input), op.int_of("axis")
    outer, length = math.prod(shape[:axis]), shape[axis]
    inner = math.prod(shape[axis + 1 :])
    element = element_of(op.input)
    dtype, type = str(element), local_type(element, storage.target)
    step = f"{length - 1} - k" if op.bool_of("reverse") else "k"
    value = load_text(dtype, storage.name(op.input), "at")
    take = [f"const {type} x = {value};", *_scan_step(op, storage, step)]
    store = [store_text(dtype, storage.name(op.result), "at", "total") + ";"]
    if op.where is not None:
        store.append(f"{storage.name(op.where)}[at] = place;")
    order = [*store, *take] if op.bool_of("exclusive") else [*take, *store]
    body = [f"const long at = ((long)i0 * {length} + ({step})) * {inner} + i1;", *order]
    lines = [f"{type} total = {number_literal(op.start(), element)};"]
    lines += ["long place = 0;"] if op.where is not None else []
    lines += for_loop("k", length, body)
    buffers = tuple(storage.name(value) for value in (op.input, *op.results))
    return [Stage("scan", (("i0", outer), ("i1", inner)), tuple(lines), buffers)]


SCAN_STEPS = {
    "sum": "total + x",
    "prod": "total * x",
    "max": "mbc_maximum(total, x)",
    "min": "mbc_minimum(total, x)",
}


def _scan_step(op: ScanOp, storage: Storage, step: str) -> list[str]:
    """The statements that take element x at place `step` into `total`."""
    kind, element = op.str_of("kind"), element_of(op.input)
    if kind == "logsumexp":
        exp, log1p = (
            _function(storage, name, str(element)) for name in ("exp", "log1p")
        )
        type = local_type(element, storage.target)
        return [
            f"const {type} high = mbc_maximum(total, x), low = mbc_minimum(total, x);",
            f"total = low == high ? high + {log1p}(({type})1) : "
            f"high + {log1p}({exp}(low - high));",
            "if (high != high || low == -MBC_INF || high == MBC_INF) total = high;",
        ]
    text = SCAN_STEPS[kind]
    if op.where is None:
        return [f"total = {text};"]
    ends = ">=" if kind == "max" else "<="
    taken = f"x != x || (total == total && x {ends} total)"
    return [f"if ({taken}) place = {step};", f"total = {text};"]


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
