"""Elementwise work on integers, truth values, f64 and indices, in every style."""

from __future__ import annotations

import numpy as np
import pytest
from xdsl.dialects import arith, math
from xdsl.dialects.builtin import (
    IndexType,
    f16,
    f32,
    f64,
    i1,
    i8,
    i32,
    i64,
)
from xdsl.dialects.linalg.ops import IndexOp
from xdsl.dialects.tensor import ExtractOp
from xdsl.ir import SSAValue

from mbc.codegen.emitters import emit_kernel
from mbc.codegen.families import match_kernel
from mbc.codegen.targets import target_named
from mbc.ir import build
from mbc.ir.arithmetic import add, constant, multiply, widen
from mbc.ir.attributes import TARGET
from mbc.ir.context import new_context
from mbc.ir.kernel import KernelOp, kernels
from mbc.ir.types import Array, element_of, shape_of, tensor
from mbc.passes.pipeline import parse, run
from tests.codegen.exact import STYLES, Kernels, check_exactly, kernel_of
from tests.codegen.family_checks import style_target
from tests.ir.samples import module_of


def plus_one(x: SSAValue) -> SSAValue:
    return build.elementwise(
        [x], shape_of(x), element_of(x), lambda v: add(v, constant(1, v.type))
    )


def products(x: SSAValue, y: SSAValue) -> SSAValue:
    def body(a: SSAValue, b: SSAValue) -> SSAValue:
        return arith.MaxSIOp(multiply(a, b), a).result

    return build.elementwise([x, y], shape_of(x), element_of(x), body)


def below(x: SSAValue, y: SSAValue) -> SSAValue:
    def body(a: SSAValue, b: SSAValue) -> SSAValue:
        return arith.CmpfOp(a, b, "olt").result

    return build.elementwise([x, y], shape_of(x), i1, body)


def masked(mask: SSAValue, x: SSAValue) -> SSAValue:
    def body(m: SSAValue, v: SSAValue) -> SSAValue:
        return arith.SelectOp(m, v, constant(0.0, v.type)).result

    return build.elementwise([mask, x], shape_of(x), f32, body)


def kept(mask: SSAValue, x: SSAValue) -> SSAValue:
    def body(m: SSAValue, v: SSAValue) -> SSAValue:
        return multiply(v, arith.UIToFPOp(m, f32).result)

    return build.elementwise([mask, x], shape_of(x), f32, body)


def lower_triangle(x: SSAValue) -> SSAValue:
    def body(v: SSAValue) -> SSAValue:
        row, column = IndexOp(0).result, IndexOp(1).result
        inside = arith.CmpiOp(row, column, "sge").result
        return arith.SelectOp(inside, v, constant(0.0, v.type)).result

    return build.elementwise([x], shape_of(x), f32, body)


def picked(places: SSAValue, x: SSAValue) -> SSAValue:
    """The element of its row that a place names; outside, the nearest one."""
    last = shape_of(x)[1] - 1

    def body(place: SSAValue) -> SSAValue:
        at = arith.IndexCastOp(place, IndexType()).result
        least = arith.MaxSIOp(at, constant(0, at.type)).result
        at = arith.MinSIOp(least, constant(last, at.type)).result
        return ExtractOp(x, [IndexOp(0).result, at], f32).result

    return build.elementwise([places], shape_of(places), f32, body)


def rounded(x: SSAValue) -> SSAValue:
    return build.elementwise(
        [x], shape_of(x), f32, lambda v: widen(arith.TruncFOp(v, f16).result, f32)
    )


def doubled(x: SSAValue) -> SSAValue:
    """Turned: reads are strided."""
    rows, columns = shape_of(x)
    maps = [build.dims_map(2, [1, 0])]
    return build.elementwise([x], (columns, rows), f64, lambda v: add(v, v), maps)


CASES: Kernels = {
    "a counter": ([tensor((), i64)], plus_one),
    "one": ([tensor((1, 1), i32)], plus_one),
    "bytes": ([tensor((1031,), i8)], plus_one),
    "products": ([tensor((5, 37), i64), tensor((37,), i64)], products),
    "products of i32": ([tensor((3, 5, 6), i32), tensor((3, 1, 6), i32)], products),
    "comparison": ([tensor((64, 33), f32), tensor((64, 1), f32)], below),
    "mask": ([tensor((37,), i1), tensor((5, 37), f32)], masked),
    "dropout": ([tensor((5, 7, 11), i1), tensor((5, 7, 11), f32)], kept),
    "triangle": ([tensor((17, 19), f32)], lower_triangle),
    "picked": ([tensor((6, 40), i64), tensor((6, 9), f32)], picked),
    "rounded": ([tensor((9, 13), f32)], rounded),
    "turned f64": ([tensor((13, 19), f64)], doubled),
}
FAR = (2**32 + 1, -(2**32) + 3, 2**31, -(2**31) - 1, 2**62)
"""Low halves of them are legal places."""


def far(kernel: KernelOp, arrays: list[Array]) -> list[Array]:
    """Integers of 64 bits that do not fit into fewer, among the small ones."""
    for array in arrays:
        if array.dtype == np.int64:
            every = array.reshape(-1)[::5]
            every[:] = np.resize(FAR, every.size)
    return arrays


@pytest.mark.parametrize("style", STYLES)
def test_every_schedule_gives_the_bits_of_the_reference(style: str) -> None:
    check_exactly(CASES, "pointwise", style, far)


@pytest.mark.parametrize("name", CASES)
def test_the_adreno_style_has_the_kernels_of_the_gpu_style(name: str) -> None:
    kernel = kernel_of(*CASES[name])
    texts = [
        emit_kernel(kernel, target_named("opencl", {"style": style})).source
        for style in ("gpu", "adreno")
    ]
    assert texts[0] == texts[1]


def hidden(function: bool) -> list[str]:
    """Families of a masked tensor's exp, or of its square, after fusion on RVV."""

    def model(mask: SSAValue, x: SSAValue) -> SSAValue:
        def body(v: SSAValue) -> SSAValue:
            return math.ExpOp(v).result if function else multiply(v, v)

        return build.elementwise([masked(mask, x)], shape_of(x), f32, body)

    module = module_of([tensor((5, 9), i1), tensor((5, 9), f32)], model)
    target = style_target("rvv")
    module.attributes[TARGET] = target.attribute()
    run(new_context(), module, parse("form-kernels,fuse-elementwise"))
    return [match_kernel(kernel, target).family for kernel in kernels(module)]


def test_functions_stay_in_vectors_where_arithmetic_is_joined() -> None:
    assert hidden(function=True) == ["pointwise", "map"]
    assert hidden(function=False) == ["pointwise"]
