"""Where extrema are, along rows and down columns, in every style."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

import numpy as np
import pytest
from xdsl.dialects.builtin import ModuleOp, i64
from xdsl.ir import SSAValue

from mbc.codegen.families import match_kernel
from mbc.ir import build
from mbc.ir.arithmetic import add, multiply
from mbc.ir.ops import op_class
from mbc.ir.types import Array, element_of, tensor
from tests.codegen.family_checks import (
    STYLES,
    Case,
    check_cases,
    fused_kernel,
    style_target,
)
from tests.ir.samples import floats, module_of


def found(
    x: SSAValue, kind: str, axis: int, values: bool, keepdims: bool = False
) -> Sequence[SSAValue]:
    op = op_class("mbc.arg_reduce")
    given = {"kind": kind, "axis": axis, "keepdims": keepdims}
    return op.of([x], **given, values=values).results


def arg(
    shape: Sequence[int],
    kind: str,
    axis: int,
    values: bool = True,
    keepdims: bool = False,
) -> ModuleOp:
    def body(x: SSAValue) -> Sequence[SSAValue]:
        return found(x, kind, axis, values, keepdims)

    return module_of(floats(shape), body)


def fused(shape: Sequence[int], axis: int, *others: Sequence[int]) -> ModuleOp:
    """Of elements that are scaled and shifted by operands that broadcast."""

    def body(x: SSAValue, scale: SSAValue, shift: SSAValue) -> Sequence[SSAValue]:
        def scaled(v: SSAValue, s: SSAValue, t: SSAValue) -> SSAValue:
            return add(multiply(v, s), t)

        ready = build.elementwise([x, scale, shift], shape, element_of(x), scaled)
        return found(ready, "max", axis, True)

    return module_of(floats(shape, *others), body)


def coarse(x: Array) -> None:
    """Many ties, of 0.0 and -0.0 too."""
    x[...] = np.round(x)


def some_are_nan(x: Array) -> None:
    coarse(x)
    x.reshape(-1)[7::53] = np.nan
    x.reshape(-1)[3::31] = -np.inf


def infinities(x: Array) -> None:
    """Whose sum is no number, though each of them is one."""
    x.reshape(-1)[5::11], x.reshape(-1)[2::7] = np.inf, -np.inf


def all_are(value: float) -> Callable[[Array], None]:
    def change(x: Array) -> None:
        x[...] = value

    return change


def rising(x: Array) -> None:
    """The last element is the largest."""
    x[...] = np.arange(x.size, dtype=np.float32).reshape(x.shape)


def cases() -> list[Case]:
    long = (3, 2501)
    result = [
        Case("rows", partial(arg, (5, 203), "max", 1), [coarse], "each"),
        Case("columns", partial(arg, (2, 11, 203), "min", 1), [coarse], "each"),
        Case("long", partial(arg, long, "max", 1), [coarse]),
        Case("rising", partial(arg, long, "max", 1), [rising]),
        Case("long with NaN", partial(arg, long, "min", 1), [some_are_nan]),
        Case("element", partial(arg, (1, 1), "max", 1)),
        Case("kept", partial(arg, (3, 5, 7), "max", 1, False, True), [coarse]),
        Case("fused rows", partial(fused, (5, 37), 1, (37,), (5, 1))),
        Case("fused columns", partial(fused, (3, 7, 45), 1, (7, 1), (45,))),
    ]
    specials = {
        "nan": some_are_nan,
        "infinities": infinities,
        "all nan": all_are(np.nan),
        "all -inf": all_are(-np.inf),
        "all inf": all_are(np.inf),
    }
    for name, change in specials.items():
        for kind in ("max", "min"):
            for shape, axis in (((6, 77), 1), ((3, 9, 37), 1)):
                made = partial(arg, shape, kind, axis)
                result.append(Case(f"{kind} {name} {shape}", made, [change]))
    return result


@pytest.mark.parametrize("style", STYLES)
def test_places(style: str):
    check_cases(style, "arg_reduce", cases())


def integers() -> ModuleOp:
    def body(x: SSAValue) -> Sequence[SSAValue]:
        return found(x, "max", 1, False)

    return module_of([tensor((4, 6), i64)], body)


@pytest.mark.parametrize("style", STYLES)
def test_integers_stay_a_plain_nest(style: str):
    target = style_target(style)
    kernel = fused_kernel(Case("integers", integers), target)
    assert match_kernel(kernel, target).family == "nest"
