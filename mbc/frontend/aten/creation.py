"""Tensors from nothing: constants, ranges and triangles."""

from __future__ import annotations

from collections.abc import Callable

import torch
from xdsl.dialects import arith
from xdsl.dialects.builtin import i64
from xdsl.dialects.linalg.ops import IndexOp
from xdsl.ir import SSAValue

from mbc.frontend.aten.call import Call, Lowering, Number
from mbc.frontend.aten.convert import convert
from mbc.frontend.aten.formulas import like, scaled, select
from mbc.ir import build
from mbc.ir.arithmetic import add
from mbc.ir.types import element_of, shape_of


def constant_everywhere(call: Call, value: Number) -> SSAValue:
    return build.filled(call.shape, call.element, value)


def full(
    call: Call, shape: object, value: Number, dtype: torch.dtype | None = None
) -> SSAValue:
    return constant_everywhere(call, value)


def scalar_tensor(
    call: Call, value: Number, dtype: torch.dtype | None = None
) -> SSAValue:
    return constant_everywhere(call, value)


def new_full(
    call: Call,
    x: SSAValue,
    shape: object,
    value: Number,
    dtype: torch.dtype | None = None,
) -> SSAValue:
    return constant_everywhere(call, value)


def always(value: Number) -> Lowering:
    """Zeros, ones and memory that nobody wrote, which is zero as well."""

    def lower(call: Call, *arguments: object, **options: object) -> SSAValue:
        return constant_everywhere(call, value)

    return lower


def position(axis: int) -> SSAValue:
    return arith.IndexCastOp(IndexOp(axis).result, i64).result


def arange(
    call: Call,
    start: Number,
    end: Number | None = None,
    step: Number = 1,
    dtype: torch.dtype | None = None,
) -> SSAValue:
    """start + i * step, in int64 for whole numbers and else in float64."""
    first = 0 if end is None else start
    whole = isinstance(first, int) and isinstance(step, int)
    compute = torch.int64 if whole else torch.float64

    def body() -> SSAValue:
        at = scaled(convert(position(0), torch.int64, compute), step)
        shifted = add(at, like(first, at)) if first else at
        return convert(shifted, compute, call.dtype)

    return build.elementwise([], call.shape, call.element, body)


def triangle(keep: str) -> Lowering:
    """tril and triu: zero above or below a diagonal of the last two axes."""

    def lower(call: Call, x: SSAValue, diagonal: int = 0) -> SSAValue:
        rank = len(shape_of(x))

        def body(value: SSAValue) -> SSAValue:
            row, column = position(rank - 2), position(rank - 1)
            limit = add(row, like(diagonal, row))
            kept = arith.CmpiOp(column, limit, keep).result
            return select(kept, value, like(0, value))

        return build.elementwise([x], shape_of(x), element_of(x), body)

    return lower


CONSTANTS: dict[str, Number] = {"zeros": 0, "ones": 1, "empty": 0}

SHAPED: dict[str, Callable[..., SSAValue]] = {
    "full.default": full,
    "full_like.default": full,
    "new_full.default": new_full,
    "scalar_tensor.default": scalar_tensor,
    "arange.default": arange,
    "arange.start": arange,
    "arange.start_step": arange,
}

LOWERINGS: dict[str, Lowering] = {
    **SHAPED,
    **{f"{name}.default": always(value) for name, value in CONSTANTS.items()},
    **{f"{name}_like.default": always(value) for name, value in CONSTANTS.items()},
    **{f"new_{name}.default": always(value) for name, value in CONSTANTS.items()},
    "empty.memory_format": always(0),
    "empty_permuted.default": always(0),
    "tril.default": triangle("sle"),
    "triu.default": triangle("sge"),
}
