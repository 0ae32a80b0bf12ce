"""Windows of every form, in every style, against the reference."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

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
    def body(x: SSAValue) -> SSAValue:
        return pooled(x, kind, window, **given)

    return module_of(floats(shape), body)


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


def near(stride: int) -> dict[str, PropertyValue]:
    """Windows of three that many rows and columns apart, one of padding around."""
    return {"strides": (stride, stride), "low": (1, 1), "high": (1, 1)}


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


def one_is_not_a_number(x: Array) -> None:
    """Of a sign that orders it below all numbers; infinities elsewhere."""
    flat = x.reshape(-1)
    flat[-3] = np.copysign(np.float32(np.nan), -1)
    flat[5::7], flat[6::11] = np.inf, -np.inf


def all_are_lowest(x: Array) -> None:
    x[...] = -np.inf


Window = tuple[Sequence[int], str, Sequence[int], dict[str, PropertyValue]]
EDGES = {**HALVES, "count_padding": False}
OVERHANG = {**HALVES, "high": (2, 2)}

WINDOWS: dict[str, Window] = {
    "even": ((1, 2, 8, 70), "max", (2, 2), {}),
    "odd width": ((1, 2, 8, 71), "max", (2, 2), {}),
    "by three": ((2, 1, 9, 40), "avg", (3, 3), {}),
    "every column": (
        (1, 2, 6, 35),
        "max",
        (5, 5),
        {"strides": (1, 1), "low": (2, 2), "high": (2, 2)},
    ),
    "few of many": ((1, 1, 20, 45), "max", (2, 2), {"strides": (5, 11)}),
    "very few": ((1, 1, 2, 2000), "avg", (2, 3), {"strides": (1, 300)}),
    "long segments": ((1, 1, 3, 67), "avg", (2, 6), {"strides": (1, 6)}),
    "dilated": (
        (1, 2, 12, 30),
        "max",
        (3, 3),
        {"strides": (2, 3), "dilation": (2, 2), "low": (1, 2), "high": (1, 2)},
    ),
    "without padding counted": ((1, 2, 8, 20), "avg", (3, 3), EDGES),
    "overhang": ((1, 2, 8, 20), "avg", (3, 3), OVERHANG),
    "overhang alone": (
        (1, 2, 8, 20),
        "avg",
        (3, 3),
        {**OVERHANG, "count_padding": False},
    ),
    "divisor": ((1, 2, 8, 20), "avg", (3, 3), {**HALVES, "divisor": 5}),
    "one axis": (
        (2, 3, 41),
        "avg",
        (4,),
        {"strides": (2,), "low": (1,), "high": (2,), "count_padding": False},
    ),
    "one axis as it is": ((2, 3, 40), "max", (2,), {}),
    "one row": ((2, 3, 7, 40), "max", (1, 2), {"strides": (2, 2)}),
    "one column": ((2, 3, 7, 40), "max", (3, 1), {"strides": (1, 1)}),
    "three axes": (
        (1, 2, 5, 6, 19),
        "max",
        (3, 2, 3),
        {"strides": (2, 2, 2), "low": (1, 0, 1), "high": (1, 0, 1)},
    ),
    "sums of three axes": (
        (2, 2, 4, 5, 9),
        "avg",
        (2, 3, 3),
        {
            "strides": (1, 2, 1),
            "low": (1, 1, 1),
            "high": (1, 1, 1),
            "count_padding": False,
        },
    ),
    "one element": ((1, 1, 1, 1), "max", (3, 3), HALVES),
    "whole rows": ((1, 3, 2, 33), "avg", (2, 33), {}),
    "many vectors": ((1, 1, 5, 397), "avg", (3, 3), EDGES),
    "many vectors, every column": (
        (1, 1, 4, 211),
        "avg",
        (3, 5),
        {"strides": (1, 1), "low": (1, 2), "high": (1, 2), "count_padding": False},
    ),
    "many vectors, dilated": (
        (1, 1, 7, 301),
        "max",
        (3, 3),
        {"strides": (1, 2), "dilation": (2, 3), "low": (2, 3), "high": (2, 3)},
    ),
    "windows of one column at the end": (
        (1, 2, 3, 139),
        "max",
        (2, 3),
        {"strides": (1, 2), "high": (0, 2)},
    ),
    "windows of padding at the end": (
        (1, 2, 3, 20),
        "avg",
        (2, 2),
        {"strides": (1, 2), "high": (0, 3)},
    ),
    "longer than a vector": (
        (1, 1, 2, 90),
        "max",
        (1, 41),
        {"strides": (1, 1), "low": (0, 20), "high": (0, 20)},
    ),
}


def window(name: str) -> ModuleOp:
    shape, kind, taps, given = WINDOWS[name]
    return pool(shape, kind, taps, **given)


def cases() -> list[Case]:
    return [
        Case("epilogue", with_epilogue, schedules="each"),
        Case(
            "overlapping",
            lambda: pool((2, 3, 13, 37), "max", (3, 3), **HALVES),
            [some_are_special],
            "each",
        ),
        *(
            Case(
                f"special, {stride} apart",
                partial(pool, (1, 2, 7, 283), "max", (3, 3), **near(stride)),
                [change],
                "each",
            )
            for stride in (1, 2, 3)
            for change in (some_are_special, one_is_not_a_number)
        ),
        Case("lowest", lambda: pool((1, 1, 5, 9), "max", (2, 2)), [all_are_lowest]),
        *(Case(name, partial(window, name)) for name in WINDOWS),
    ]


@pytest.mark.parametrize("style", STYLES)
def test_windows(style: str):
    check_cases(style, "window", cases())


def doubles() -> ModuleOp:
    def body(x: SSAValue) -> SSAValue:
        return pooled(x, "max", (2, 2))

    return module_of([tensor((1, 1, 4, 4), f64)], body)


NESTS: dict[str, Callable[[], ModuleOp]] = {
    "a window of padding alone": lambda: pool(
        (1, 1, 1, 8), "max", (2, 2), strides=(2, 2), high=(3, 0)
    ),
    "double precision": doubles,
    "no elements": lambda: pool((0, 1, 4, 4), "max", (2, 2)),
}


@pytest.mark.parametrize("style", STYLES)
@pytest.mark.parametrize("name", NESTS)
def test_what_stays_a_plain_nest(style: str, name: str):
    target = style_target(style)
    kernel = fused_kernel(Case(name, NESTS[name]), target)
    assert match_kernel(kernel, target).family == "nest"
