"""Reductions and arg-reductions; booleans and integers sum in int64."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import torch
from xdsl.ir import SSAValue

from mbc.frontend.aten import formulas
from mbc.frontend.aten.call import Call, Lowering, Number, Results, cast, wrap
from mbc.frontend.dtypes import NEXT_SIGNED, UNSIGNED
from mbc.frontend.unsupported import Unsupported
from mbc.ir import build
from mbc.ir.arithmetic import constant, multiply, subtract
from mbc.ir.ops.arg_reduce import ArgReduceOp
from mbc.ir.ops.reduce import ReduceOp
from mbc.ir.types import element_of, shape_of

Axes = int | Sequence[int] | None


def reduced_axes(axes: Axes, rank: int) -> tuple[int, ...]:
    """Axes counted from the front, in order; none or an empty list means all."""
    if axes is None or (not isinstance(axes, int) and not axes):
        return tuple(range(rank))
    given = (axes,) if isinstance(axes, int) else axes
    return tuple(sorted(wrap(axis, rank) for axis in given)) if rank else ()


def combine(
    body: Callable[[SSAValue, SSAValue], SSAValue], a: SSAValue, b: SSAValue
) -> SSAValue:
    """`body` over `a` and a `b` that broadcasts to it."""
    return build.elementwise([a, b], shape_of(a), element_of(a), body)


def over_axes(kind: str) -> Lowering:
    """sum, mean and prod: in the dtype of the result."""

    def lower(
        call: Call,
        x: SSAValue,
        axes: Axes = None,
        keepdim: bool = False,
        dtype: torch.dtype | None = None,
    ) -> SSAValue:
        axes = reduced_axes(axes, len(shape_of(x)))
        return ReduceOp.over(call.cast(x), kind, axes, keepdim).result

    return lower


def extreme(kind: str) -> Lowering:
    """amax and amin, in the dtype of the input."""

    def lower(
        call: Call, x: SSAValue, axes: Axes = None, keepdim: bool = False
    ) -> SSAValue:
        axes = reduced_axes(axes, len(shape_of(x)))
        return _extreme(call, x, kind, axes, keepdim)

    return lower


def _extreme(
    call: Call, x: SSAValue, kind: str, axes: Sequence[int], keepdim: bool
) -> SSAValue:
    own = call.dtype_of(x)
    signed = _signed(own)
    found = ReduceOp.over(cast(x, own, signed), kind, axes, keepdim).result
    return cast(found, signed, own)


def _signed(dtype: torch.dtype) -> torch.dtype:
    """The dtype to order values in: the dialect's orders are signed."""
    if dtype not in UNSIGNED:
        return dtype
    if dtype not in NEXT_SIGNED:
        raise Unsupported("uint64 has no wider signed type")
    return NEXT_SIGNED[dtype]


def extreme_along(kind: str) -> Lowering:
    """max.dim and min.dim: values, where they are, or both from one op."""

    def lower(
        call: Call, x: SSAValue, axis: int, keepdim: bool = False
    ) -> list[SSAValue | None]:
        if not call.reads(1):
            axes = reduced_axes(axis, len(shape_of(x)))
            return [_extreme(call, x, kind, axes, keepdim), None]
        shape, own = shape_of(x), call.dtype_of(x)
        row = x if shape else build.reshape(x, (1,))
        along = wrap(axis, len(shape))
        found = _places(row, own, kind, along, keepdim, call.reads(0))
        where = build.reshape(found.result, call.shape)
        if found.value is None:
            return [None, where]
        values = cast(found.value, _comparable(own), own)
        return [build.reshape(values, call.shape), where]

    return lower


def range_of(
    call: Call, x: SSAValue, *, dim: int | None = None, keepdim: bool = False
) -> list[SSAValue]:
    """aminmax."""
    axes = reduced_axes(dim, len(shape_of(x)))
    return [_extreme(call, x, kind, axes, keepdim) for kind in ("min", "max")]


def arg_extreme(kind: str) -> Lowering:
    def lower(
        call: Call, x: SSAValue, axis: int | None = None, keepdim: bool = False
    ) -> SSAValue:
        if axis is not None:
            return _where(call, x, kind, axis, keepdim)
        flat = build.reshape(x, (math.prod(shape_of(x)),))
        dtype = call.dtype_of(x)
        return build.reshape(_places(flat, dtype, kind, 0, False).result, call.shape)

    return lower


def _where(call: Call, x: SSAValue, kind: str, axis: int, keepdim: bool) -> SSAValue:
    shape = shape_of(x)
    row = x if shape else build.reshape(x, (1,))
    dtype = call.dtype_of(x)
    found = _places(row, dtype, kind, wrap(axis, len(shape)), keepdim).result
    return found if shape else build.reshape(found, ())


def _places(
    x: SSAValue,
    dtype: torch.dtype,
    kind: str,
    axis: int,
    keepdim: bool,
    values: bool = False,
) -> ArgReduceOp:
    ordered = cast(x, dtype, _comparable(dtype))
    return ArgReduceOp.of(
        [ordered], kind=kind, axis=axis, keepdims=keepdim, values=values
    )


def _comparable(dtype: torch.dtype) -> torch.dtype:
    """The dtype that elements of `dtype` are compared in."""
    return torch.int8 if dtype == torch.bool else _signed(dtype)


def truth(kind: str) -> Lowering:
    """any (a maximum of booleans) and all (a minimum)."""

    def lower(
        call: Call, x: SSAValue, axes: Axes = None, keepdim: bool = False
    ) -> SSAValue:
        axes = reduced_axes(axes, len(shape_of(x)))
        found = ReduceOp.over(call.cast(x, torch.bool), kind, axes, keepdim).result
        return cast(found, torch.bool, call.dtype)

    return lower


def mean_and_variance(
    x: SSAValue, axes: Sequence[int], keepdim: bool = False
) -> tuple[SSAValue, SSAValue]:
    """Mean and biased variance."""
    mean, square = _mean_and_square(x, axes)
    variance = ReduceOp.over(square, "mean", axes, keepdims=keepdim).result
    return build.reshape(mean, shape_of(variance)), variance


def _mean_and_square(x: SSAValue, axes: Sequence[int]) -> tuple[SSAValue, SSAValue]:
    """The mean, with its axes kept, and the squared distance of `x` from it."""
    mean = ReduceOp.over(x, "mean", axes, keepdims=True).result

    def body(a: SSAValue, b: SSAValue) -> SSAValue:
        distance = subtract(a, b)
        return multiply(distance, distance)

    return mean, combine(body, x, mean)


def variance(
    call: Call,
    x: SSAValue,
    axes: Axes = None,
    correction: Number | None = None,
    keepdim: bool = False,
) -> SSAValue:
    return variance_and_mean(call, x, axes, correction, keepdim)[0]


def variance_and_mean(
    call: Call,
    x: SSAValue,
    axes: Axes = None,
    correction: Number | None = None,
    keepdim: bool = False,
) -> list[SSAValue]:
    shape = shape_of(x)
    axes = reduced_axes(axes, len(shape))
    mean, square = _mean_and_square(x, axes)
    total = ReduceOp.over(square, "sum", axes, keepdims=keepdim).result
    less_one = 1 if correction is None else correction
    count = math.prod(shape[axis] for axis in axes) - less_one
    spread = build.elementwise(
        [total],
        shape_of(total),
        call.element,
        lambda s: formulas.divide(s, constant(max(count, 0), call.element)),
    )
    return [spread, build.reshape(mean, shape_of(spread))]


def vector_norm(
    call: Call,
    x: SSAValue,
    order: Number = 2,
    axes: Axes = None,
    keepdim: bool = False,
    dtype: torch.dtype | None = None,
) -> SSAValue:
    value, element = call.cast(x), call.element
    axes = reduced_axes(axes, len(shape_of(x)))
    size = build.elementwise([value], shape_of(x), element, formulas.absolute)
    if math.isinf(order):
        kind = "max" if order > 0 else "min"
        return ReduceOp.over(size, kind, axes, keepdim).result
    if order == 0:
        raise Unsupported("order 0")
    if order == 1:
        return ReduceOp.over(size, "sum", axes, keepdim).result
    base = value if order == 2 else size
    powers = build.elementwise(
        [base], shape_of(x), element, lambda v: formulas.power(v, order)
    )
    total = ReduceOp.over(powers, "sum", axes, keepdim).result
    return build.elementwise(
        [total], shape_of(total), element, lambda v: formulas.power(v, 1 / order)
    )


def without_axes(lowering: Lowering) -> Lowering:
    """Forms that reduce everything and whose keyword is a dtype."""

    def lower(call: Call, x: SSAValue, dtype: torch.dtype | None = None) -> Results:
        return lowering(call, x)

    return lower


LOWERINGS: dict[str, Lowering] = {
    "sum.default": without_axes(over_axes("sum")),
    "sum.dim_IntList": over_axes("sum"),
    "mean.default": without_axes(over_axes("mean")),
    "mean.dim": over_axes("mean"),
    "prod.default": without_axes(over_axes("prod")),
    "prod.dim_int": over_axes("prod"),
    "amax.default": extreme("max"),
    "amin.default": extreme("min"),
    "max.default": extreme("max"),
    "min.default": extreme("min"),
    "max.dim": extreme_along("max"),
    "min.dim": extreme_along("min"),
    "argmax.default": arg_extreme("max"),
    "argmin.default": arg_extreme("min"),
    **{f"any.{form}": truth("max") for form in ("default", "dim", "dims")},
    **{f"all.{form}": truth("min") for form in ("default", "dim", "dims")},
    "var.correction": variance,
    "var_mean.correction": variance_and_mean,
    "linalg_vector_norm.default": vector_norm,
    "aminmax.default": range_of,
}
