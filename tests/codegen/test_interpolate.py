"""Resampled images, larger and smaller, within the bound of their case."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from xdsl.dialects.builtin import bf16, f16, f32, f64, i1, i8, i32, i64
from xdsl.ir import Attribute

from mbc.codegen.program import KernelCode
from mbc.codegen.targets import Target, target_named
from mbc.ir.kernel import KernelOp
from mbc.ir.ops.interpolate import InterpolateOp
from mbc.ir.types import Tensor, tensor
from mbc.runtime.bound import Agreement, compare, expected_results
from mbc.runtime.outcome import Completed
from tests.codegen.exact import STYLES, Body, available_runner, every_schedule
from tests.codegen.nest_programs import arguments_of, program_of


def image(shape: Sequence[int], element: Attribute = f32) -> list[Tensor]:
    return [tensor(shape, element)]


def resized(mode: str, shape: Sequence[int], sizes: Sequence[int], half: bool) -> Body:
    """With the steps that PyTorch takes: corner to corner unless by half pixels."""
    corners = mode == "linear" and not half
    steps = [
        (n - 1) / max(size - 1, 1) if corners else n / size
        for n, size in zip(shape[2:], sizes, strict=True)
    ]
    exact = [float(np.float32(step)) for step in steps]
    return lambda x: InterpolateOp.resized(x, mode, sizes, exact, half)


def case(
    mode: str,
    shape: Sequence[int],
    sizes: Sequence[int],
    half: bool = True,
    element: Attribute = f32,
) -> tuple[list[Tensor], Body]:
    return image(shape, element), resized(mode, shape, sizes, half)


KERNELS: dict[str, tuple[list[Tensor], Body]] = {
    "twice": case("linear", (2, 3, 7, 19), (14, 38)),
    "corners": case("linear", (1, 2, 5, 11), (13, 37), False),
    "smaller": case("linear", (1, 2, 13, 37), (5, 11)),
    "slightly larger": case("linear", (1, 2, 13, 37), (17, 41)),
    "one axis": case("linear", (2, 3, 17), (53,)),
    "one element": case("linear", (2, 1, 1, 1), (3, 5)),
    "to one": case("linear", (2, 1, 4, 9), (1, 1), False),
    "nearest": case("nearest", (2, 1, 5, 9), (13, 37), False),
    "nearest exact": case("nearest", (2, 1, 5, 9), (11, 7)),
    "nearest smaller": case("nearest", (2, 1, 15, 39), (11, 7), False),
    "integers": case("nearest", (2, 1, 5, 9), (10, 18), False, i32),
}


BY_ITEMS: dict[str, tuple[list[Tensor], Body]] = {
    "cubic": case("cubic", (2, 3, 7, 11), (13, 17)),
    "cubic corners": case("cubic", (1, 5, 7, 4), (3, 9), False),
    "cubic from one": case("cubic", (1, 1, 1, 2), (5, 7)),
    "cubic f64": case("cubic", (1, 2, 5, 4), (7, 9), True, f64),
    "volume": case("linear", (1, 5, 3, 4, 5), (5, 7, 3)),
    "nearest volume": case("nearest", (2, 1, 3, 4, 5), (5, 7, 3), False, i64),
    "linear f16": case("linear", (1, 3, 5, 7), (9, 11), True, f16),
    "linear bf16": case("linear", (1, 3, 5, 7), (9, 11), False, bf16),
    "linear f64": case("linear", (1, 3, 5, 7), (9, 11), True, f64),
    "bytes": case("nearest", (1, 3, 5, 7), (9, 11), True, i8),
    "booleans": case("nearest", (1, 3, 5, 7), (9, 11), True, i1),
}
"""What no target resamples in rows."""


@pytest.mark.parametrize("style", STYLES)
def test_images_are_resampled(style: str) -> None:
    name, options = STYLES[style]
    target = target_named(name, options)
    kernels = KERNELS if name == "rvv" else {**KERNELS, **BY_ITEMS}
    check(every_schedule(kernels, "interpolate", target), name, target)


def check(
    cases: list[tuple[str, KernelOp, KernelCode]], name: str, target: Target
) -> None:
    arguments = arguments_of([(code.label, kernel) for _, kernel, code in cases])
    for title, _, code in cases:
        if title.startswith("twice"):  # whose places are exact in f32
            arguments[f"{code.label}_a0"].flat[[5, 117]] = np.nan, np.inf
    with available_runner(name) as runner:
        program = program_of([code for _, _, code in cases], target)
        outcome = runner.run(program, arguments)
    assert isinstance(outcome, Completed), outcome
    for title, kernel, code in cases:
        given = [arguments[f"{code.label}_a0"]]
        found = [outcome.outputs[f"{code.label}_r0"]]
        verdict = compare(expected_results(kernel, given), found)
        assert isinstance(verdict, Agreement), f"{title}: {verdict}"
