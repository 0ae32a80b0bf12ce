"""Resampled images, larger and smaller, within the bound of their case."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from xdsl.dialects.builtin import f32, i32
from xdsl.ir import Attribute

from mbc.codegen.targets import target_named
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


@pytest.mark.parametrize("style", ["rvv", "opencl-cpu"])
def test_rows_are_resampled(style: str) -> None:
    name, options = STYLES[style]
    target = target_named(name, options)
    cases = every_schedule(KERNELS, "interpolate", target)
    arguments = arguments_of([(code.label, kernel) for _, kernel, code in cases])
    with available_runner(name) as runner:
        program = program_of([code for _, _, code in cases], target)
        outcome = runner.run(program, arguments)
    assert isinstance(outcome, Completed), outcome
    for title, kernel, code in cases:
        given = [arguments[f"{code.label}_a0"]]
        found = [outcome.outputs[f"{code.label}_r0"]]
        verdict = compare(expected_results(kernel, given), found)
        assert isinstance(verdict, Agreement), f"{title}: {verdict}"
