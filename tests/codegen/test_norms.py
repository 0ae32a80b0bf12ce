"""Norms whose rows have channels, in every style, and what reads a row elsewhere."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

import numpy as np
import pytest
from xdsl.dialects.builtin import ModuleOp, f32
from xdsl.ir import SSAValue

from mbc.codegen.families import match_kernel
from mbc.ir import build
from mbc.ir.arithmetic import add, constant, maximum, multiply, subtract
from mbc.ir.attributes import TARGET
from mbc.ir.context import new_context
from mbc.ir.kernel import kernels
from mbc.ir.ops.reduce import ReduceOp
from mbc.ir.types import Array, shape_of
from mbc.passes.pipeline import parse, run
from mbc.runtime.inputs import random_arguments
from tests.codegen.family_checks import STYLES, Case, check_cases, style_target
from tests.codegen.nest_programs import kernels_of
from tests.codegen.rvv.programs import kernel_of
from tests.ir.samples import EPS, floats, module_of, named

Epilogue = Callable[[SSAValue], SSAValue]


def relu(x: SSAValue) -> SSAValue:
    return build.elementwise(
        [x], shape_of(x), f32, lambda v: maximum(v, constant(0.0, f32))
    )


def as_it_is(x: SSAValue) -> SSAValue:
    return x


def norm(
    shape: Sequence[int], groups: int, affine: int, after: Epilogue = as_it_is
) -> ModuleOp:
    def body(x: SSAValue, *rest: SSAValue) -> SSAValue:
        return after(named("group_norm", x, *rest, groups=groups, eps=EPS))

    return module_of(floats(shape, *[(shape[1],)] * affine), body)


def biased(shape: Sequence[int], groups: int) -> ModuleOp:
    """A bias per channel is part of what is normalized."""
    rank = len(shape)
    maps = [build.identity_map(rank), build.dims_map(rank, [1])]

    def body(x: SSAValue, bias: SSAValue, *affine: SSAValue) -> SSAValue:
        moved = build.elementwise([x, bias], shape, f32, add, maps)
        return named("group_norm", moved, *affine, groups=groups, eps=EPS)

    return module_of(floats(shape, *[(shape[1],)] * 3), body)


def gated(shape: Sequence[int], groups: int) -> ModuleOp:
    """A factor per (image, channel) behind the norm."""
    rank = len(shape)
    maps = [build.identity_map(rank), build.dims_map(rank, [0, 1])]

    def body(x: SSAValue, gate: SSAValue, *affine: SSAValue) -> SSAValue:
        y = named("group_norm", x, *affine, groups=groups, eps=EPS)
        return build.elementwise([y, gate], shape, f32, multiply, maps)

    return module_of(floats(shape, shape[:2], *[(shape[1],)] * 2), body)


def case(
    shape: Sequence[int],
    groups: int,
    affine: int = 2,
    schedules: str = "default",
    after: Epilogue = as_it_is,
    changes: Sequence[Callable[[Array], None]] = (),
) -> Case:
    name = f"{tuple(shape)} in {groups} with {affine}"
    module = partial(norm, shape, groups, affine, after)
    return Case(name, module, changes, schedules)


def some_are_special(x: Array) -> None:
    """In one row each; the others stay numbers."""
    x[0, 0, ..., 0], x[0, -1, ..., -1] = np.nan, np.inf


def one_is_constant(x: Array) -> None:
    x[0] = 3.0


CASES: Sequence[Case] = [
    case((1, 1, 1), 1),
    case((2, 6, 5, 7), 3),
    case((2, 6, 5, 7), 3, 0),
    case((2, 6, 5, 7), 3, 1),
    case((3, 8, 7, 7), 2, after=relu),
    case((1, 64, 3), 4),
    case((3, 12), 3),
    case((3, 6), 6),
    case((2, 5, 13, 11), 5),
    case((2, 5, 13, 11), 1),
    case((1, 4, 1, 1), 2),
    case((2, 32, 4, 16), 2),
    case((1, 2, 3, 4, 5), 1),
    case((2, 4, 61, 67), 2),
    case((2, 6, 5, 7), 3, changes=(some_are_special,)),
    case((2, 6, 4, 8), 2, changes=(one_is_constant,)),
    case((2, 6, 12, 12), 2, schedules="each"),
    case((2, 6, 11, 13), 2, schedules="each", after=relu),
    Case("biased", partial(biased, (2, 6, 5, 8), 2)),
    Case("gated", partial(gated, (2, 6, 5, 8), 2), schedules="each"),
]


@pytest.mark.parametrize("style", STYLES)
def test_results(style: str) -> None:
    check_cases(style, "rowwise", CASES)


def transposed(x: SSAValue) -> SSAValue:
    """e + its transpose, e = x - sum of its row: read across rows."""
    total = ReduceOp.over(x, "sum", (1,), keepdims=False).result
    first = [build.identity_map(2), build.dims_map(2, [0])]
    e = build.elementwise([x, total], shape_of(x), f32, add, first)
    across = [build.identity_map(2), build.dims_map(2, [1, 0])]
    return build.elementwise([e, e], shape_of(x), f32, add, across)


def by_column(x: SSAValue) -> SSAValue:
    """The sum of row j is added to column j."""
    total = ReduceOp.over(x, "sum", (1,), keepdims=False).result
    maps = [build.identity_map(2), build.dims_map(2, [1])]
    return build.elementwise([x, total], shape_of(x), f32, add, maps)


@pytest.mark.parametrize("body", [transposed, by_column])
def test_values_of_other_rows_are_no_row_program(body: Epilogue) -> None:
    kernel = kernel_of("k0", [(5, 5)], body)
    assert match_kernel(kernel, style_target("rvv")).family == "nest"


@pytest.mark.parametrize("style", STYLES)
def test_an_empty_batch_needs_no_rows(style: str) -> None:
    (kernel,) = kernels_of(norm((0, 4, 3), 2, 2))
    assert match_kernel(kernel, style_target(style)).family == "nest"


def by_batch(x: SSAValue) -> SSAValue:
    """Batch norm with the batch's own statistics, as in training."""
    axes = (0, 2, 3)
    mean = ReduceOp.over(x, "mean", axes).result
    maps = [build.identity_map(4), build.dims_map(4, [1])]
    centred = build.elementwise([x, mean], shape_of(x), f32, subtract, maps)
    square = build.elementwise(
        [centred], shape_of(x), f32, lambda v: multiply(v, v), maps[:1]
    )
    variance = ReduceOp.over(square, "mean", axes).result
    return named("batch_norm", x, mean, variance, eps=EPS)


def test_variances_stay_positive_where_a_batch_norm_is_decomposed() -> None:
    def body(x: SSAValue, mean: SSAValue, variance: SSAValue) -> SSAValue:
        return named("batch_norm", x, mean, variance, eps=EPS)

    module = module_of(floats((2, 64, 3), (64,), (64,)), body)
    run(new_context(), module, parse("decompose-ops{ops=batch_norm},form-kernels"))
    (kernel,) = kernels(module)
    _, mean, variance = random_arguments(kernel.block, seed=1)
    assert mean.min() < 0 < variance.min()


@pytest.mark.parametrize("style", STYLES)
def test_statistics_of_a_batch_have_templates(style: str) -> None:
    target = style_target(style)
    module = module_of(floats((3, 6, 5, 7)), by_batch)
    module.attributes[TARGET] = target.attribute()
    run(new_context(), module, parse(target.pipeline))
    found = [match_kernel(kernel, target).family for kernel in kernels(module)]
    assert set(found) <= {"reduce", "rowwise", "map"}
