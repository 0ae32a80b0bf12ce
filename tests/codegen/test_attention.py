"""attention in every style: odd extents, every mask, every value of every knob."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

import numpy as np
import pytest
from xdsl.dialects.builtin import ModuleOp, f16, f32, f64, i1
from xdsl.ir import Attribute, SSAValue

from mbc.codegen.families import family_named, match_kernel
from mbc.ir.types import Array, tensor
from tests.codegen.family_checks import (
    STYLES,
    Case,
    check,
    check_cases,
    emitted,
    fused_kernel,
    style_runner,
    style_target,
)
from tests.ir.samples import module_of, named

Extents = tuple[int, int, int, int, int, int, int]
"""Batch, heads of queries, heads of keys, queries, keys, depth, width of a value."""
Shape = tuple[int, int, int, int]


def attention(
    extents: Extents,
    causal: bool = False,
    mask: Shape | None = None,
    boolean: bool = False,
    element: Attribute = f32,
    **given: str,
) -> ModuleOp:
    b, h, g, q, k, d, v = extents
    types = [tensor(s, element) for s in ((b, h, q, d), (b, g, k, d), (b, g, k, v))]
    if mask:
        types.append(tensor(mask, i1 if boolean else element))

    def body(*operands: SSAValue) -> SSAValue:
        return named("attention", *operands, scale=0.3, causal=causal, **given)

    return module_of(types, body)


def case(extents: Extents, schedules: str = "default", **given: object) -> Case:
    name = f"{extents} {given}"
    return Case(name, partial(attention, extents, **given), schedules=schedules)  # pyright: ignore[reportArgumentType]


CASES: Sequence[Case] = [
    case((1, 1, 1, 1, 1, 1, 1)),
    case((1, 1, 1, 1, 37, 5, 3)),
    case((2, 4, 2, 1, 41, 8, 16)),
    case((1, 2, 2, 7, 1, 4, 4), causal=True),
    case((2, 3, 3, 13, 17, 7, 11)),
    case((1, 6, 2, 9, 19, 16, 33), causal=True),
    case((1, 1, 1, 23, 11, 3, 70), causal=True),
    case((2, 2, 1, 5, 67, 8, 8), mask=(2, 2, 5, 67)),
    case((2, 2, 1, 5, 67, 8, 8), mask=(1, 1, 5, 67), boolean=True),
    case((2, 2, 2, 5, 29, 8, 8), mask=(2, 1, 1, 29), boolean=True, causal=True),
    case((2, 2, 2, 5, 29, 8, 8), mask=(1, 2, 5, 1)),
    case((2, 2, 2, 5, 29, 8, 8), mask=(2, 1, 5, 1), boolean=True),
    case((1, 2, 2, 31, 300, 8, 20)),
    case((1, 2, 2, 31, 300, 8, 20), causal=True),
    case((1, 1, 1, 64, 64, 64, 64), causal=True),
    case((1, 1, 1, 5, 9, 40, 300)),
    case((1, 2, 1, 15, 137, 9, 21), "each", causal=True, mask=(1, 1, 15, 137)),
]


@pytest.mark.parametrize("style", STYLES)
def test_results(style: str):
    check_cases(style, "attention", CASES)


def some_rows_are_masked_out(arrays: Sequence[Array]) -> None:
    """Whole rows, and all keys of the first tiles of others."""
    masks = arrays[3]
    if masks.dtype == np.bool_:
        masks[..., 0, :], masks[..., 2, :140] = False, False
    else:
        masks[..., 0, :], masks[..., 2, :140] = -np.inf, -np.inf


def some_are_special(arrays: Sequence[Array]) -> None:
    """NaN in a query; infinities in keys, and in values that causality masks."""
    arrays[0][0, 0, 1, 0] = np.nan
    arrays[1][0, 0, -1, 0] = np.inf
    arrays[2][0, -1, -1, 0] = -np.inf


def scores_rise(arrays: Sequence[Array]) -> None:
    """Every tile of keys has a larger maximum than those before it."""
    arrays[0][...] = 3
    arrays[1][...] = np.linspace(-20, 20, arrays[1].shape[2])[:, None]


SPECIAL: Sequence[tuple[Case, Callable[[Sequence[Array]], None]]] = [
    (case((1, 2, 2, 5, 150, 4, 5), mask=(1, 1, 5, 150)), some_rows_are_masked_out),
    (
        case((1, 2, 2, 5, 150, 4, 5), mask=(1, 1, 5, 150), boolean=True),
        some_rows_are_masked_out,
    ),
    (
        case((1, 2, 2, 5, 150, 4, 5), mask=(1, 1, 5, 150), masked_rows="nan"),
        some_rows_are_masked_out,
    ),
    (case((2, 2, 2, 9, 13, 4, 5)), some_are_special),
    (case((2, 2, 2, 9, 13, 4, 5), causal=True), some_are_special),
    (
        case((2, 2, 2, 9, 13, 4, 5), mask=(1, 1, 9, 13), boolean=True),
        some_are_special,
    ),
    (case((1, 1, 1, 9, 300, 4, 5)), scores_rise),
    (case((1, 1, 1, 300, 300, 4, 5), causal=True), scores_rise),
]


@pytest.mark.parametrize("style", STYLES)
def test_special_values(style: str):
    """NaN and infinities are where the reference has them, masked or not."""
    target, runner = style_target(style), style_runner(style)
    try:
        found = emitted([case for case, _ in SPECIAL], "attention", target)
        for one, (_, change) in zip(found, SPECIAL, strict=True):
            change(one.arrays)
        check(runner, target, found)
    finally:
        runner.close()


@pytest.mark.parametrize("style", STYLES)
@pytest.mark.parametrize("element", [f64, f16], ids=str)
def test_other_elements_stay_a_plain_nest(style: str, element: Attribute):
    extents = (1, 1, 1, 3, 5, 4, 4)
    kernel = fused_kernel(case(extents, element=element), style_target(style))
    assert match_kernel(kernel, style_target(style)).family == "nest"


def test_a_tile_that_needs_too_many_registers_is_refused():
    target = style_target("rvv")
    kernel = fused_kernel(case((1, 1, 1, 12, 64, 8, 8)), target)
    match = match_kernel(kernel, target)
    wide = {"tile": (6, 128), "vector": 8, "unroll": 1}
    reason = family_named("attention").refusal(match, target, wide)
    assert reason == "6 queries at LMUL 8, unrolled by 1, need over 32 registers"
