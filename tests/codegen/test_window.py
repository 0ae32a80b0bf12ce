"""Windows of every form, in every style, against the reference."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from xdsl.dialects.builtin import ModuleOp, f64
from xdsl.ir import SSAValue

from mbc.codegen.families import match_kernel
from mbc.ir import build
from mbc.ir.arithmetic import add, constant, maximum, multiply
from mbc.ir.tensor_op import PropertyValue
from mbc.ir.types import Array, element_of, shape_of, tensor
from tests.codegen.family_checks import (
    STYLES,
    Case,
    check_cases,
    fused_kernel,
    style_target,
)
from tests.ir.samples import floats, module_of, named


def pool(
    shape: Sequence[int], kind: str, window: Sequence[int], **given: PropertyValue
) -> ModuleOp:
    return module_of(floats(shape), lambda x: pooled(x, kind, window, **given))


def pooled(
    x: SSAValue, kind: str, window: Sequence[int], **given: PropertyValue
) -> SSAValue:
    spatial = len(window)
    properties: dict[str, PropertyValue] = {
        "strides": tuple(window),
        "low": (0,) * spatial,
        "high": (0,) * spatial,
        "dilation": (1,) * spatial,
        "count_padding": True,
        "divisor": 0,
    }
    return named("pool", x, kind=kind, window=tuple(window), **{**properties, **given})


HALVES: dict[str, PropertyValue] = {"strides": (2, 2), "low": (1, 1), "high": (1, 1)}


def with_epilogue() -> ModuleOp:
    """Scaled by channel, a row added, then clipped from below."""

    def body(x: SSAValue, scale: SSAValue, row: SSAValue) -> SSAValue:
        total = pooled(x, "avg", (3, 3), **HALVES)

        def clipped(t: SSAValue, s: SSAValue, r: SSAValue) -> SSAValue:
            return maximum(add(multiply(t, s), r), constant(-0.25, t.type))

        shape = shape_of(total)
        return build.elementwise([total, scale, row], shape, element_of(x), clipped)

    return module_of(floats((2, 3, 9, 11), (3, 1, 1), (6,)), body)


def some_are_special(x: Array) -> None:
    flat = x.reshape(-1)
    flat[::17] = np.nan
    flat[5::23] = -np.inf
    flat[7::29] = np.inf
    flat[3::13] = -0.0


def all_are_lowest(x: Array) -> None:
    x[...] = -np.inf


def cases() -> list[Case]:
    def case(name: str, *arguments: object, **given: PropertyValue) -> Case:
        return Case(name, lambda: pool(*arguments, **given))  # type: ignore

    overhang: dict[str, PropertyValue] = {**HALVES, "high": (2, 2)}
    return [
        Case("epilogue", with_epilogue, schedules="each"),
        Case(
            "overlapping",
            lambda: pool((2, 3, 13, 37), "max", (3, 3), **HALVES),
            [some_are_special],
            "each",
        ),
        Case("lowest", lambda: pool((1, 1, 5, 9), "max", (2, 2)), [all_are_lowest]),
        case("even", (1, 2, 8, 70), "max", (2, 2)),
        case("odd width", (1, 2, 8, 71), "max", (2, 2)),
        case("by three", (2, 1, 9, 40), "avg", (3, 3)),
        case("every column", (1, 2, 6, 35), "max", (5, 5), strides=(1, 1), low=(2, 2), high=(2, 2)),
        case("few of many", (1, 1, 20, 45), "max", (2, 2), strides=(5, 11)),
        case("long segments", (1, 1, 3, 67), "avg", (2, 6), strides=(1, 6)),
        case("dilated", (1, 2, 12, 30), "max", (3, 3), strides=(2, 3), dilation=(2, 2), low=(1, 2), high=(1, 2)),
        case("without padding counted", (1, 2, 8, 20), "avg", (3, 3), **HALVES, count_padding=False),
        case("overhang", (1, 2, 8, 20), "avg", (3, 3), **overhang),
        case("overhang without padding", (1, 2, 8, 20), "avg", (3, 3), **overhang, count_padding=False),
        case("divisor", (1, 2, 8, 20), "avg", (3, 3), **HALVES, divisor=5),
        case("one axis", (2, 3, 41), "avg", (4,), strides=(2,), low=(1,), high=(2,), count_padding=False),
        case("one axis direct", (2, 3, 40), "max", (2,)),
        case("one row per window", (2, 3, 7, 40), "max", (1, 2), strides=(2, 2)),
        case("one column per window", (2, 3, 7, 40), "max", (3, 1), strides=(1, 1)),
        case("three axes", (1, 2, 5, 6, 19), "max", (3, 2, 3), strides=(2, 2, 2), low=(1, 0, 1), high=(1, 0, 1)),
        case("three axes of sums", (2, 2, 4, 5, 9), "avg", (2, 3, 3), strides=(1, 2, 1), low=(1, 1, 1), high=(1, 1, 1), count_padding=False),
        case("all of one", (1, 1, 1, 1), "max", (3, 3), **HALVES),
        case("whole rows", (1, 3, 2, 33), "avg", (2, 33)),
    ]  # fmt: skip


@pytest.mark.parametrize("style", STYLES)
def test_windows(style: str):
    check_cases(style, "window", cases())


@pytest.mark.parametrize("style", STYLES)
@pytest.mark.parametrize(
    "module",
    [
        lambda: pool((1, 1, 1, 8), "max", (2, 2), strides=(2, 2), high=(3, 0)),
        lambda: module_of(
            [tensor((1, 1, 4, 4), f64)], lambda x: pooled(x, "max", (2, 2))
        ),
        lambda: pool((0, 1, 4, 4), "max", (2, 2)),
    ],
    ids=["a window of padding alone", "double precision", "no elements"],
)
def test_what_stays_a_plain_nest(style: str, module: object):
    target = style_target(style)
    assert callable(module)
    case = Case("nest", module)
    assert match_kernel(fused_kernel(case, target), target).family == "nest"
