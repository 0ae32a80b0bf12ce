"""Stages of ops whose places depend on data: sorting and scattering."""

from __future__ import annotations

import math
from collections.abc import Sequence

from mbc.codegen.expression import UNSIGNED, load_text, local_type, store_text
from mbc.codegen.nest.moves import copy_stage
from mbc.codegen.nest.stage import Stage, Storage, block, for_loop
from mbc.ir.ops.scatter import ScatterOp
from mbc.ir.ops.sort import SortOp
from mbc.ir.types import element_of, is_float, shape_of


def sort_stages(op: SortOp, storage: Storage) -> list[Stage]:
    """Every element counts those that come before it: that is its place."""
    shape, axis = shape_of(op.input), op.int_of("axis")
    length, inner = shape[axis], math.prod(shape[axis + 1 :])
    count, dtype = op.int_of("count"), str(element_of(op.input))
    type = local_type(element_of(op.input), storage.target)
    if op.bool_of("unsigned"):
        type = UNSIGNED[dtype]
    names = [storage.name(value) for value in (op.input, op.values, op.places)]
    row = f"((long)i0 * {length} + {{}}) * {inner} + i2"
    mine = load_text(dtype, names[0], row.format("i1"))
    other = load_text(dtype, names[0], row.format("k"))
    first, second = ("x", "y") if op.bool_of("descending") else ("y", "x")
    floating = is_float(element_of(op.input))
    before, behind = _less(first, second, floating), _less(second, first, floating)
    compare = [
        f"const {type} y = {other};",
        f"place += {before} || (k < i1 && !({behind}));",
    ]
    to = f"((long)i0 * {count} + place) * {inner} + i2"
    lines = [
        f"const {type} x = {mine};",
        "int place = 0;",
        *for_loop("k", length, compare),
        *block(
            f"if (place < {count})",
            [
                store_text(dtype, names[1], to, "x") + ";",
                store_text("i64", names[2], to, "i1") + ";",
            ],
        ),
    ]
    loops = (("i0", math.prod(shape[:axis])), ("i1", length), ("i2", inner))
    return [Stage("sort by counting", loops, tuple(lines), tuple(names))]


def _less(a: str, b: str, floating: bool) -> str:
    """Whether `a` is below `b`; NaN is above every number."""
    return f"({a} < {b} || ({a} == {a} && {b} != {b}))" if floating else f"({a} < {b})"


COMBINE = {"set": "given", "add": "held + given", "mul": "held * given"}
EXTREMES = {
    "max": ("mbc_maximum(held, given)", "held > given ? held : given"),
    "min": ("mbc_minimum(held, given)", "held < given ? held : given"),
}
"""Of floats, which propagate NaN, and of integers."""


def scatter_stages(op: ScatterOp, storage: Storage) -> list[Stage]:
    """A copy; then each column takes its updates in order, so that none meet."""
    shape, axis = shape_of(op.input), op.int_of("axis")
    extent, inner = shape[axis], math.prod(shape[axis + 1 :])
    picked, dtype = math.prod(shape_of(op.indices)), str(element_of(op.input))
    type = local_type(element_of(op.input), storage.target)
    indices, updates, result = (
        storage.name(value) for value in (op.indices, op.updates, op.result)
    )
    at = load_text(str(element_of(op.indices)), indices, "k")
    new = load_text(dtype, updates, f"((long)i0 * {picked} + k) * {inner} + i1")
    to = f"(i0 * {extent} + at) * {inner} + i1"
    update = [
        f"const {type} held = {load_text(dtype, result, to)}, given = {new};",
        store_text(dtype, result, to, _combined(op)) + ";",
    ]
    body = [
        f"long at = {at};",
        f"if (at < 0) at += {extent};",
        *block(f"if (at >= 0 && at < {extent})", _without_old(update, op, type, new)),
    ]
    loops = (("i0", math.prod(shape[:axis])), ("i1", inner))
    buffers = tuple(dict.fromkeys((indices, updates, result)))
    lines = tuple(for_loop("k", picked, body))
    return [
        copy_stage(op.input, result, storage),
        Stage(f"scatter: {op.str_of('kind')}", loops, lines, buffers),
    ]


def _combined(op: ScatterOp) -> str:
    kind = op.str_of("kind")
    if kind in COMBINE:
        return COMBINE[kind]
    floats, integers = EXTREMES[kind]
    return floats if is_float(element_of(op.input)) else integers


def _without_old(
    update: Sequence[str], op: ScatterOp, type: str, new: str
) -> list[str]:
    """What is set is not read before."""
    if op.str_of("kind") != "set":
        return list(update)
    return [f"const {type} given = {new};", update[-1]]
