"""Convolutions in both styles, with every knob value."""

from __future__ import annotations

import pytest

from mbc.runtime.opencl.runner import OpenclRunner
from tests.codegen.convolutions import (
    CONVOLUTIONS,
    PACKED,
    PACKED_TRANSPOSED,
    TRANSPOSED,
    Convolution,
)
from tests.codegen.opencl.harness import Case, check
from tests.codegen.opencl.test_emission import sweep


def cases(group: list[Convolution], style: str) -> list[Case]:
    found: list[Case] = []
    for convolution in group:
        swept = sweep(
            "conv", style, convolution.name, convolution.shapes, convolution.body
        )
        found += swept if convolution.swept else swept[:1]
    return found


@pytest.mark.parametrize("style", ["cpu", "gpu"])
def test_results(style: str, runner: OpenclRunner):
    check(runner, cases(CONVOLUTIONS, style), style)


@pytest.mark.parametrize("style", ["cpu", "gpu"])
def test_transposed_results(style: str, runner: OpenclRunner):
    check(runner, cases(TRANSPOSED, style), style)


def test_packed_results(runner: OpenclRunner):
    check(runner, cases([*PACKED, *PACKED_TRANSPOSED], "cpu"), "cpu")
