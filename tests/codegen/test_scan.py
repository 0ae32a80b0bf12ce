"""Scans along rows and down columns, in every style, against the reference."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

import numpy as np
import pytest
from xdsl.dialects.builtin import ModuleOp, i64
from xdsl.ir import SSAValue

from mbc.codegen.families import match_kernel
from mbc.ir import build
from mbc.ir.arithmetic import add, constant, multiply
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

FORWARD: dict[str, PropertyValue] = {"exclusive": False, "reverse": False}


def scanned(x: SSAValue, kind: str, axis: int, **given: PropertyValue) -> SSAValue:
    return named("scan", x, kind=kind, axis=axis, **{**FORWARD, **given})


def scan(
    shape: Sequence[int], kind: str, axis: int, **given: PropertyValue
) -> ModuleOp:
    def body(x: SSAValue) -> SSAValue:
        return scanned(x, kind, axis, **given)

    return module_of(floats(shape), body)


def fused(
    shape: Sequence[int], axis: int, *others: Sequence[int], **given: PropertyValue
) -> ModuleOp:
    """Scaled before; shifted, by operands that broadcast, behind."""

    def body(x: SSAValue, scale: SSAValue, shift: SSAValue) -> SSAValue:
        element = element_of(x)
        ready = build.elementwise([x, scale], shape, element, multiply)
        total = scanned(ready, "sum", axis, **given)

        def end(t: SSAValue, s: SSAValue) -> SSAValue:
            return multiply(add(t, s), constant(0.5, t.type))

        return build.elementwise([total, shift], shape_of(x), element, end)

    return module_of(floats(shape, *others), body)


def turned(rows: int, columns: int) -> ModuleOp:
    """Along rows that lie in memory as columns."""

    def body(x: SSAValue) -> SSAValue:
        def twice(v: SSAValue) -> SSAValue:
            return add(v, v)

        reads = [build.dims_map(2, [1, 0])]
        shape, element = (rows, columns), element_of(x)
        ready = build.elementwise([x], shape, element, twice, reads)
        return scanned(ready, "sum", 1)

    return module_of(floats((columns, rows)), body)


def near_one(x: Array) -> None:
    """Products that stay in range."""
    x[...] = 1 + x * 0.01


def some_are_special(x: Array) -> None:
    flat = x.reshape(-1)
    flat[5::97] = -np.inf
    flat[::211] = np.inf
    flat[3::13] = -0.0
    flat[150::301] = np.nan


def infinities(x: Array) -> None:
    """Whose sum is no number, though each of them is one."""
    x.reshape(-1)[5::11], x.reshape(-1)[2::7] = np.inf, -np.inf


Form = dict[str, PropertyValue]
FORMS: Sequence[Form] = [
    {},
    {"exclusive": True},
    {"reverse": True},
    {"exclusive": True, "reverse": True},
]


def changes(kind: str) -> list[Callable[[Array], None]]:
    if kind == "sum":
        return []
    return [near_one] if kind == "prod" else [some_are_special]


def cases() -> list[Case]:
    found = [
        Case("rows", partial(scan, (3, 203), "sum", 1), schedules="each"),
        Case("columns", partial(scan, (2, 11, 203), "sum", 1), schedules="each"),
        *(
            Case(f"one row of {n}", partial(scan, (1, n), "sum", 1, reverse=True))
            for n in (7, 8, 9, 31, 65, 127, 131)
        ),
        *(
            Case(
                f"fused rows, {', '.join(form)}",
                partial(fused, (2, 149), 1, (149,), (2, 1), **form),
                schedules="each",
            )
            for form in FORMS
        ),
        Case("shifted rows", partial(fused, (2, 83), 1, (2, 1), (83,)), [], "each"),
        *(
            Case(f"{kind}, infinities", partial(scan, (2, 301), kind, 1), [infinities])
            for kind in ("max", "min")
        ),
        Case(
            "special rows",
            partial(scan, (4, 301), "max", 1),
            [some_are_special],
            "each",
        ),
        Case("turned rows", partial(turned, 3, 93), schedules="each"),
        Case("one long row", partial(scan, (70001,), "sum", 0), schedules="each"),
        Case("long rows", partial(scan, (2, 40007), "max", 1)),
        Case("element", partial(scan, (1, 1), "sum", 1)),
        Case("one column", partial(scan, (5, 1, 7), "sum", 1)),
        Case("whole vectors", partial(scan, (4, 128), "sum", 1)),
        Case("fused rows", partial(fused, (5, 37), 1, (37,), (5, 1))),
        Case("fused columns", partial(fused, (3, 7, 45), 1, (7, 1), (45,))),
        Case("fused long row", partial(fused, (70001,), 0, (70001,), (1,))),
    ]
    for kind in ("sum", "prod", "max", "min"):
        for form in FORMS:
            name = f"{kind} {', '.join(form)}"
            for shape, axis in (((3, 77), 1), ((2, 9, 37), 1)):
                made = partial(scan, shape, kind, axis, **form)
                found.append(Case(f"{name} {shape}", made, changes(kind)))
    for form in FORMS[1:]:
        made = partial(scan, (2, 40007), "sum", 1, **form)
        found.append(Case(f"long rows {', '.join(form)}", made))
    return found


@pytest.mark.parametrize("style", STYLES)
def test_scans(style: str):
    check_cases(style, "scan", cases())


def integers() -> ModuleOp:
    def body(x: SSAValue) -> SSAValue:
        return scanned(x, "sum", 1)

    return module_of([tensor((4, 6), i64)], body)


NESTS: dict[str, Callable[[], ModuleOp]] = {
    "integers": integers,
    "logsumexp": partial(scan, (4, 6), "logsumexp", 1),
    "no elements": partial(scan, (4, 0), "sum", 1),
}


@pytest.mark.parametrize("style", STYLES)
@pytest.mark.parametrize("name", NESTS)
def test_what_stays_a_plain_nest(style: str, name: str):
    target = style_target(style)
    kernel = fused_kernel(Case(name, NESTS[name]), target)
    assert match_kernel(kernel, target).family == "nest"
