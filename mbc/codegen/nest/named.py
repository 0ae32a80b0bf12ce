"""Stages of named ops that upstream cannot say: scans."""

from __future__ import annotations

import math

from mbc.codegen.expression import (
    load_text,
    local_type,
    number_literal,
    store_text,
)
from mbc.codegen.nest.stage import Stage, Storage, for_loop
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


def _function(storage: Storage, base: str, dtype: str) -> str:
    suffix = "" if dtype == "f64" else storage.target.float_suffix
    return f"{storage.target.function_prefix}{base}{suffix}"
