"""Elementwise work on 16-bit floats: converted by loads and stores, in every style."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from xdsl.dialects import math
from xdsl.dialects.arith import TruncFOp
from xdsl.dialects.builtin import bf16, f16, f32
from xdsl.ir import Attribute, SSAValue

from mbc.codegen.families import match_kernel
from mbc.ir import build
from mbc.ir.arithmetic import add, constant, multiply, widen
from mbc.ir.kernel import KernelOp
from mbc.ir.types import Array, Tensor, element_of, shape_of, tensor
from mbc.runtime.bound import Agreement, compare, expected_results
from mbc.runtime.outcome import Completed
from tests.codegen.exact import (
    STYLES,
    Body,
    available_runner,
    check_exactly,
    every_schedule,
    kernel_of,
)
from tests.codegen.family_checks import style_target
from tests.codegen.nest_programs import arguments_of, program_of


def given(element: Attribute, *shapes: Sequence[int]) -> list[Tensor]:
    return [tensor(shape, element) for shape in shapes]


def doubled(x: SSAValue) -> SSAValue:
    """In f32, turned: reads are strided."""
    rows, columns = shape_of(x)
    reads = [build.dims_map(2, [1, 0])]

    def body(v: SSAValue) -> SSAValue:
        wide = widen(v, f32)
        return add(wide, wide)

    return build.elementwise([x], (columns, rows), f32, body, reads)


def gelu_like(x: SSAValue, y: SSAValue) -> SSAValue:
    """Arithmetic that the IR has in 16 bits."""

    def body(a: SSAValue, b: SSAValue) -> SSAValue:
        return multiply(math.TanhOp(a).result, add(b, constant(0.5, b.type)))

    return build.elementwise([x, y], shape_of(x), element_of(x), body)


def narrow_to(element: Attribute) -> Body:
    return lambda x: build.narrowed(x, element)


NAMES = {"f16": f16, "bf16": bf16}
EXACT: dict[str, tuple[list[Tensor], Body]] = {
    **{f"wide {n}": (given(e, (5, 37)), build.widened) for n, e in NAMES.items()},
    **{f"long {n}": (given(e, (1031,)), build.widened) for n, e in NAMES.items()},
    **{f"whole {n}": (given(e, (64, 32)), build.widened) for n, e in NAMES.items()},
    **{f"short {n}": (given(f32, (7, 41)), narrow_to(e)) for n, e in NAMES.items()},
    **{f"even {n}": (given(f32, (4, 512)), narrow_to(e)) for n, e in NAMES.items()},
    **{f"turned {n}": (given(e, (13, 19)), doubled) for n, e in NAMES.items()},
    **{f"one {n}": (given(e, (1,)), build.widened) for n, e in NAMES.items()},
    **{f"none {n}": (given(f32, ()), narrow_to(e)) for n, e in NAMES.items()},
}
BROADCASTS: list[list[tuple[int, ...]]] = [
    [(5, 37), (37,)],
    [(9, 20), (9, 1)],
    [(64,), (64,)],
    [(1031,), (1,)],
    [(3, 5, 6), (3, 1, 6)],
    [(1, 1), (1,)],
    [(2, 128), (128,)],
]
CLOSE: dict[str, tuple[list[Tensor], Body]] = {
    f"{name} {shapes}": (given(element, *shapes), gelu_like)
    for name, element in NAMES.items()
    for shapes in BROADCASTS
}


def special(kernel: KernelOp, arrays: list[Array]) -> list[Array]:
    """Numbers that are halfway, too large, too small or none."""
    (array,) = arrays
    edges = [np.nan, np.inf, -np.inf, -0.0, 1 + 2**-11, 1 + 3 * 2**-11, 1 + 2**-8]
    edges += [65519.0, 65520.0, 3.4e38, 2.0**-24, 2.0**-25, 1.5 * 2**-25, 1e-40]
    chosen = np.asarray(edges, np.float32)
    drawn = np.random.default_rng(2).choice(chosen, array.shape)
    keep = np.random.default_rng(3).integers(0, 2, array.shape) == 1
    mixed = np.where(keep, array.astype(np.float32), drawn)
    with np.errstate(over="ignore"):
        return [mixed.astype(array.dtype)]


@pytest.mark.parametrize("style", STYLES)
def test_conversions_are_exact(style: str) -> None:
    check_exactly(EXACT, "map", style, special)


@pytest.mark.parametrize("style", STYLES)
def test_arithmetic(style: str) -> None:
    target = style_target(style)
    cases = every_schedule(CLOSE, "map", target)
    arguments = arguments_of([(code.label, kernel) for _, kernel, code in cases])
    with available_runner(target.name) as runner:
        program = program_of([code for _, _, code in cases], target)
        outcome = runner.run(program, arguments)
    assert isinstance(outcome, Completed), outcome
    for title, kernel, code in cases:
        arrays = [arguments[f"{code.label}_a{i}"] for i in range(2)]
        found = [outcome.outputs[f"{code.label}_r0"]]
        verdict = compare(expected_results(kernel, arrays), found)
        assert isinstance(verdict, Agreement), f"{title}: {verdict}"


def test_rounding_in_the_middle_is_no_map() -> None:
    def body(x: SSAValue) -> SSAValue:
        def rounded(v: SSAValue) -> SSAValue:
            return widen(TruncFOp(v, f16).result, f32)

        return build.elementwise([x], shape_of(x), f32, rounded)

    kernel = kernel_of(given(f32, (7,)), body)
    assert match_kernel(kernel, style_target("rvv")).family == "pointwise"
