"""Stages of named ops that upstream cannot say: scans, recurrences, uneven pools."""

from __future__ import annotations

import math

from mbc.codegen.expression import load_text, local_type, store_text
from mbc.codegen.nest.stage import Stage, Storage, flat_index, for_loop, for_loops
from mbc.ir.ops.lstm import LstmOp
from mbc.ir.ops.pool import PoolOp
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


def pool_stages(op: PoolOp, storage: Storage) -> list[Stage]:
    """An average whose divisor differs from window to window."""
    input, output = shape_of(op.input), shape_of(op.result)
    spatial = len(input) - 2
    axes = [f"i{d + 2}" for d in range(spatial)]
    dtype, type = (
        str(element_of(op.input)),
        local_type(element_of(op.input), storage.target),
    )
    padding = op.bool_of("count_padding")
    lines = [f"{type} total = 0;", "int count = 1;"]
    inside: list[str] = []
    rows = zip(
        axes, input[2:], op.ints_of("window"), op.ints_of("strides"), op.ints_of("low")
    )
    for d, (axis, extent, window, stride, low) in enumerate(rows):
        first, last = (-low, extent + low) if padding else (0, extent)
        lines += [
            f"const int start{d} = {axis} * {stride} - {low};",
            f"const int end{d} = start{d} + {window};",
            f"count *= (end{d} < {last} ? end{d} : {last}) - "
            f"(start{d} > {first} ? start{d} : {first});",
        ]
        inside.append(f"start{d} + k{d} >= 0 && start{d} + k{d} < {extent}")
    at = ["i0", "i1", *(f"start{d} + k{d}" for d in range(spatial))]
    value = load_text(dtype, storage.name(op.input), flat_index(at, input))
    taps = [(f"k{d}", window) for d, window in enumerate(op.ints_of("window"))]
    lines += for_loops(taps, [f"if ({' && '.join(inside)}) total += {value};"])
    index = flat_index(["i0", "i1", *axes], output)
    lines.append(
        store_text(dtype, storage.name(op.result), index, f"total / ({type})count")
        + ";"
    )
    loops = tuple((f"i{d}", extent) for d, extent in enumerate(output))
    return [
        Stage(
            "average pool with uneven windows",
            loops,
            tuple(lines),
            (storage.name(op.input), storage.name(op.result)),
        )
    ]


def lstm_stages(op: LstmOp, storage: Storage) -> list[Stage]:
    """One step per time; item (batch, unit) computes the four gates of its unit."""
    time, batch, features = shape_of(op.input)
    hidden = shape_of(op.hidden)[1]
    buffers = [storage.name(value) for value in (*op.operands, *op.results)]
    x, h0, c0, w, u, *biases = buffers[: len(op.operands)]
    out, last_hidden, last_cell = buffers[len(op.operands) :]
    dtype, type = (
        str(element_of(op.input)),
        local_type(element_of(op.input), storage.target),
    )
    reverse = op.bool_of("reverse")
    now = f"{time - 1} - step" if reverse else "step"
    before = "now + 1" if reverse else "now - 1"

    def load(buffer: str, index: str) -> str:
        return load_text(dtype, buffer, index)

    previous = (
        f"step == 0 ? {load(h0, f'i0 * {hidden} + k')} : "
        f"{load(out, f'(({before}) * {batch} + i0) * {hidden} + k')}"
    )
    row = f"(gate * {hidden} + i1)"
    bias = [f"sum += {load(b, row)};" for b in biases]
    gate_sum = [
        f"{type} sum = 0;",
        *for_loop(
            "k",
            features,
            [
                f"sum += {load(x, f'(now * {batch} + i0) * {features} + k')} * "
                f"{load(w, f'{row} * {features} + k')};"
            ],
        ),
        *for_loop(
            "k",
            hidden,
            [f"sum += ({previous}) * {load(u, f'{row} * {hidden} + k')};"],
        ),
        *bias,
        "gates[gate] = sum;",
    ]
    exp, tanh = (_function(storage, name, dtype) for name in ("exp", "tanh"))
    state = f"i0 * {hidden} + i1"

    def sigmoid(value: str) -> str:
        return f"1 / (1 + {exp}(-{value}))"

    lines = [
        f"const int now = {now};",
        f"{type} gates[4];",
        *for_loop("gate", 4, gate_sum),
        f"const {type} old = step == 0 ? {load(c0, state)} : {load(last_cell, state)};",
        f"const {type} cell = {sigmoid('gates[1]')} * old + "
        f"{sigmoid('gates[0]')} * {tanh}(gates[2]);",
        f"const {type} value = {sigmoid('gates[3]')} * {tanh}(cell);",
        store_text(dtype, last_cell, state, "cell") + ";",
        store_text(dtype, last_hidden, state, "value") + ";",
        store_text(dtype, out, f"(now * {batch} + i0) * {hidden} + i1", "value") + ";",
    ]
    loops = (("i0", batch), ("i1", hidden))
    unique = tuple(dict.fromkeys(buffers))
    return [Stage("lstm step", loops, tuple(lines), unique, steps=time)]


def _function(storage: Storage, base: str, dtype: str) -> str:
    suffix = "" if dtype == "f64" else storage.target.float_suffix
    return f"{storage.target.function_prefix}{base}{suffix}"
