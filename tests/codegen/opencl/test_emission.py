"""Every template of both styles, at awkward extents and with every knob value."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import pytest
from xdsl.dialects import arith, math
from xdsl.dialects.builtin import f32
from xdsl.ir import SSAValue

from mbc.codegen.families import Space, family_named, match_kernel
from mbc.codegen.targets import target_named
from mbc.ir import build
from mbc.ir.arithmetic import add, constant, multiply
from mbc.ir.attributes import Entry
from mbc.ir.ops import op_class
from mbc.ir.ops.contract import ContractOp
from mbc.ir.types import shape_of
from mbc.runtime.opencl.runner import OpenclRunner
from tests.codegen.functions import functions_of_one, functions_of_two
from tests.codegen.opencl.harness import Build, Case, check, kernel_of

STYLES = ("cpu", "gpu")
CHEAP: dict[str, dict[str, Entry]] = {"cpu": {"vector": 8, "unroll": 1}, "gpu": {}}
"""Contractions to sweep from: wide unrolled tiles take seconds each to compile."""
Shapes = Sequence[tuple[int, ...]]


def each_knob(space: Space, base: Mapping[str, Entry]) -> Iterator[dict[str, Entry]]:
    """`base` over the defaults, then every other value of one knob at a time."""
    start = {knob: base.get(knob, values[0]) for knob, values in space.items()}
    yield start
    for knob, values in space.items():
        yield from ({**start, knob: v} for v in values if v != start[knob])


def alone(
    family: str, style: str, name: str, shapes: Shapes, body: Build
) -> list[Case]:
    """The default schedule."""
    return sweep(family, style, name, shapes, body)[:1]


def sweep(
    family: str,
    style: str,
    name: str,
    shapes: Shapes,
    body: Build,
    base: Mapping[str, Entry] | None = None,
) -> list[Case]:
    """A case per legal knob value, the others being as in `base` or by default."""
    target = target_named("opencl", {"style": style})
    match = match_kernel(kernel_of("k0", shapes, body), target)
    found = family_named(match.family)
    return [
        Case(name, tuple(shapes), body, schedule, family)
        for schedule in each_knob(found.space(match, target), base or {})
        if not found.refusal(match, target, schedule)
    ]


def chain(x: SSAValue, y: SSAValue) -> SSAValue:
    """Every sort of vector op: mixed constants, comparisons, selects, functions."""

    def body(p: SSAValue, q: SSAValue) -> SSAValue:
        half, one = constant(0.5, f32), constant(1.0, f32)
        positive = arith.CmpfOp(p, constant(0.0, f32), "ogt").result
        unordered = arith.CmpfOp(p, q, "ult").result
        both = arith.AndIOp(positive, unordered).result
        t = math.TanhOp(add(multiply(p, half), q)).result
        s = arith.SelectOp(both, math.ErfOp(t).result, one).result
        u = arith.MaximumfOp(s, half).result
        return add(u, math.Log1pOp(math.ExpOp(t).result).result)

    return build.elementwise([x, y], shape_of(x), f32, body)


def transposed(x: SSAValue) -> SSAValue:
    shape = shape_of(x)
    moved = [build.dims_map(2, (1, 0))]
    halved = lambda p: multiply(p, constant(0.5, f32))  # noqa: E731
    return build.elementwise([x], shape[::-1], f32, halved, moved)


def scale(x: SSAValue) -> SSAValue:
    return build.elementwise([x], shape_of(x), f32, lambda p: multiply(p, p))


def map_cases(style: str) -> list[Case]:
    found = sweep("map", style, "chain", [(67, 33), (33,)], chain)
    for shapes in (
        [(1,), (1,)],
        [(17,), (17,)],
        [(5, 7, 3), (7, 1)],
        [(64, 48), (64, 1)],
    ):
        found += alone("map", style, f"chain {shapes}", shapes, chain)
    of_two = functions_of_two
    found += alone("map", style, "of one", [(3, 61)], functions_of_one)
    found += alone("map", style, "of two", [(3, 61), (61,)], of_two)
    found += alone("map", style, "of two, per row", [(3, 64), (3, 1)], of_two)
    found += alone("map", style, "transpose", [(19, 35)], transposed)
    return found


def softmax(x: SSAValue) -> SSAValue:
    return op_class("mbc.softmax").of([x], axis=1, log=False).result


def layer_norm(x: SSAValue, weight: SSAValue, bias: SSAValue) -> SSAValue:
    return op_class("mbc.layer_norm").of([x, weight, bias], axes=1, eps=1e-5).result


def log_softmax(x: SSAValue) -> SSAValue:
    return op_class("mbc.softmax").of([x], axis=2, log=True).result


def rowwise_cases(style: str) -> list[Case]:
    found = sweep("rowwise", style, "softmax", [(9, 131)], softmax)
    for shape in ((1, 64), (3, 1), (5, 7), (4, 256)):
        found += alone("rowwise", style, f"softmax {shape}", [shape], softmax)
    norms = [(3, 5, 37), (37,), (37,)]
    found += alone("rowwise", style, "layer_norm", norms, layer_norm)
    found += alone("rowwise", style, "log", [(2, 3, 41)], log_softmax)
    return found


def folded(kind: str, axes: tuple[int, ...]) -> Build:
    """A reduction with elementwise work on both sides."""

    def body(x: SSAValue, bias: SSAValue) -> SSAValue:
        squared = build.elementwise(
            [x], shape_of(x), f32, lambda p: add(p, constant(0.5, f32))
        )
        reduce = op_class("mbc.reduce")
        total = reduce.of([squared], kind=kind, axes=axes, keepdims=False).result
        return build.elementwise([total, bias], shape_of(total), f32, add)

    return body


def plain_fold(kind: str, axes: tuple[int, ...], keepdims: bool) -> Build:
    reduce = op_class("mbc.reduce")
    return lambda x: reduce.of([x], kind=kind, axes=axes, keepdims=keepdims).result


def reduce_cases(style: str) -> list[Case]:
    found = sweep("reduce", style, "rows", [(7, 131), (7,)], folded("sum", (1,)))
    found += sweep(
        "reduce", style, "columns", [(3, 11, 67), (67,)], folded("max", (1,))
    )
    for kind in ("sum", "mean", "prod", "max", "min"):
        for axes, shape in (
            ((0, 1, 2), (3, 5, 7)),
            ((1,), (2, 5, 19)),
            ((2,), (2, 3, 17)),
        ):
            body = plain_fold(kind, axes, axes != (1,))
            found += alone("reduce", style, f"{kind} {axes}", [shape], body)
    body = plain_fold("sum", (0,), False)
    found += alone("reduce", style, "aligned", [(9, 64)], body)
    return found + reduce_part_cases()


def reduce_part_cases() -> list[Case]:
    """Rows, columns and everything in parts, with work before and behind."""
    found = [
        Case(f"{kind} {axes}", (shape,), plain_fold(kind, axes, True), PARTS, "reduce")
        for kind in ("sum", "mean", "max", "min")
        for axes, shape in (((0, 1), (12, 77)), ((1,), (3, 124)), ((0,), (20, 37)))
    ]
    rows = ((7, 132), (7,))
    found.append(Case("prepared", rows, folded("sum", (1,)), PARTS, "reduce"))
    columns = ((1, 12, 67), (67,))
    found.append(Case("columns", columns, folded("max", (1,)), PARTS, "reduce"))
    return found


PARTS = {"split": 4}


def product(equation: str) -> Build:
    return lambda x, w: ContractOp.einsum(equation, x, w).result


def biased(equation: str) -> Build:
    def body(x: SSAValue, w: SSAValue, bias: SSAValue) -> SSAValue:
        total = ContractOp.einsum(equation, x, w).result
        return build.elementwise(
            [total, bias],
            shape_of(total),
            f32,
            lambda p, q: math.TanhOp(add(p, q)).result,
        )

    return body


def packed(x: SSAValue, w: SSAValue) -> SSAValue:
    """The right operand (k, n) in panels along n, the last one not full."""
    columns = shape_of(w)[0] * shape_of(w)[2] - 3
    plain = op_class("mbc.unpack").of([w], axis=1, size=columns).result
    return ContractOp.einsum("mk,kn->mn", x, plain).result


def contract_cases(style: str) -> list[Case]:
    rows, dots = [(13, 37), (37, 67), (67,)], [(13, 37), (67, 37), (67,)]
    found = sweep("contract", style, "rows", rows, biased("mk,kn->mn"), CHEAP[style])
    found += alone("contract", style, "rows", rows, biased("mk,kn->mn"))
    found += sweep("contract", style, "dots", dots, biased("mk,nk->mn"), CHEAP[style])
    for panel in (8, 16, 32, 64):
        shapes = [(13, 37), (3, 37, panel)]
        found += alone("contract", style, f"panel {panel}", shapes, packed)
    for equation, shapes in (
        ("km,kn->mn", [(37, 13), (37, 67)]),
        ("km,nk->mn", [(37, 13), (67, 37)]),
        ("mk,kn->nm", [(13, 37), (37, 67)]),
        ("bmk,bkn->bmn", [(3, 5, 7), (3, 7, 11)]),
        ("bhqd,bhkd->bhqk", [(2, 3, 5, 4), (2, 3, 6, 4)]),
        ("mk,k->m", [(13, 37), (37,)]),
        ("k,kn->n", [(37,), (37, 67)]),
        ("mk,kn->mn", [(1, 1), (1, 1)]),
        ("mk,kn->mn", [(64, 32), (32, 64)]),
        ("mk,nk->mn", [(128, 64), (64, 64)]),
        ("m,n->mn", [(5,), (19,)]),
    ):
        name = f"{equation} {shapes}"
        found += alone("contract", style, name, shapes, product(equation))
    return found + (split_cases() if style == "gpu" else [])


def split_cases() -> list[Case]:
    """Parts of k: ragged ones, empty ones, of batches, with an epilogue."""
    shapes = {
        "mk,kn->mn": [(13, 300), (300, 67)],
        "mk,nk->nm": [(12, 257), (16, 257)],
        "bmk,bkn->bmn": [(3, 5, 263), (3, 263, 9)],
        "mk,k->m": [(9, 4133), (4133,)],
        "k,k->": [(513,), (513,)],
    }
    small = {"tile": (32, 32, 16), "parallel": (8, 8)}
    found = [
        Case(f"{e} in {parts}", tuple(s), product(e), small | {"split": parts}, FAMILY)
        for e, s in shapes.items()
        for parts in (2, 32)
    ]
    rows = ((13, 300), (300, 68), (68,))
    body = biased("mk,kn->mn")
    return [*found, Case("biased in 4", rows, body, small | {"split": 4}, FAMILY)]


FAMILY = "contract"


@pytest.mark.parametrize("style", STYLES)
@pytest.mark.parametrize(
    "family", [map_cases, rowwise_cases, reduce_cases, contract_cases]
)
def test_against_float64(family: object, style: str, runner: OpenclRunner) -> None:
    assert callable(family)
    check(runner, family(style), style)
