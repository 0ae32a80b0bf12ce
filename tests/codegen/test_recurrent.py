"""Recurrences in every style: every kind, odd extents, every value of every knob."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

import numpy as np
import pytest
import torch
from torch import nn
from xdsl.dialects.builtin import ModuleOp, f32, f64
from xdsl.ir import Attribute, SSAValue

from mbc.codegen.families import FAMILIES, family_named, match_kernel
from mbc.frontend.torch_export import import_model
from mbc.ir.attributes import TARGET
from mbc.ir.context import new_context
from mbc.ir.kernel import kernels
from mbc.ir.ops.recurrent import GATES, RecurrentOp
from mbc.ir.types import Array, tensor
from mbc.passes.pipeline import parse, run
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
from tests.ir.samples import module_of

Extents = tuple[int, int, int]
"""Steps, batch rows, hidden units."""


def recurrence(
    kind: str,
    extents: Extents,
    reverse: bool = False,
    bias: bool = False,
    element: Attribute = f32,
) -> ModuleOp:
    time, batch, hidden = extents
    rows = GATES[kind] * hidden
    shapes = [(time, batch, rows), (hidden, rows), (batch, hidden)]
    shapes += [(batch, hidden)] if kind == "lstm" else []
    shapes += [(hidden,)] if bias else []

    def body(*operands: SSAValue) -> Sequence[SSAValue]:
        return RecurrentOp.of(operands, kind=kind, reverse=reverse).results

    return module_of([tensor(shape, element) for shape in shapes], body)


def case(
    kind: str, extents: Extents, schedules: str = "default", **given: object
) -> Case:
    name = f"{kind} {extents} {given}"
    make = partial(recurrence, kind, extents, **given)  # pyright: ignore[reportArgumentType]
    return Case(name, make, schedules=schedules)


CASES: Sequence[Case] = [
    *(case(kind, (1, 1, 1)) for kind in GATES),
    *(case(kind, (3, 2, 13), reverse=True) for kind in GATES),
    case("gru", (1, 1, 1), bias=True),
    case("lstm", (5, 7, 31)),
    case("gru", (4, 11, 37), bias=True, reverse=True),
    case("tanh", (17, 1, 67)),
    case("relu", (2, 13, 5)),
    case("lstm", (40, 1, 3)),
    case("gru", (2, 5, 128), bias=True),
    case("lstm", (2, 9, 61), "each", reverse=True),
    case("gru", (3, 5, 29), "each", bias=True),
    case("tanh", (2, 3, 50), "each"),
]


@pytest.mark.parametrize("style", STYLES)
def test_results(style: str):
    check_cases(style, "recurrent", CASES)


def some_inputs_are_special(arrays: Sequence[Array]) -> None:
    """Infinities saturate gates; NaN spreads over its row from its step on."""
    arrays[0][1, 0, 0], arrays[0][1, 0, -1] = np.inf, -np.inf
    arrays[0][2, 1, 1] = np.nan
    arrays[0][0, 2, :] = -0.0


def some_states_are_special(arrays: Sequence[Array]) -> None:
    arrays[2][0, 0], arrays[2][1, -1] = np.inf, np.nan
    arrays[1][0, 1] = 0.0


def inputs_are_large(arrays: Sequence[Array]) -> None:
    arrays[0][...] *= 200


SPECIAL: Sequence[Callable[[Sequence[Array]], None]] = [
    some_inputs_are_special,
    some_states_are_special,
    inputs_are_large,
]


@pytest.mark.parametrize("style", STYLES)
def test_special_values(style: str):
    """NaN and infinities are where the reference has them."""
    target, runner = style_target(style), style_runner(style)
    cases = [case(kind, (4, 3, 9)) for kind in GATES for _ in SPECIAL]
    try:
        found = emitted(cases, "recurrent", target)
        for i, one in enumerate(found):
            SPECIAL[i % len(SPECIAL)](one.arrays)
        check(runner, target, found)
    finally:
        runner.close()


@pytest.mark.parametrize("style", STYLES)
def test_what_stays_a_plain_nest(style: str):
    """Other elements, and no steps."""
    target = style_target(style)
    for one in (
        case("lstm", (2, 3, 4), element=f64),
        case("gru", (0, 3, 4)),
    ):
        assert match_kernel(fused_kernel(one, target), target).family == "nest"


def test_a_tile_that_needs_too_many_registers_is_refused():
    target = style_target("rvv")
    kernel = fused_kernel(case("lstm", (2, 12, 64)), target)
    match = match_kernel(kernel, target)
    wide = {"tile": (8,), "vector": 4, "unroll": 1}
    reason = family_named("recurrent").refusal(match, target, wide)
    assert reason == "8 rows at LMUL 4 need over 32 registers"


@pytest.mark.parametrize("style", STYLES)
@pytest.mark.parametrize("layer", [nn.LSTM, nn.GRU, nn.RNN])
def test_no_part_of_a_layer_is_a_plain_nest(
    style: str, layer: Callable[..., nn.Module]
):
    """Batch first, both directions: the inputs' products stay a contraction."""
    model = layer(5, 7, bidirectional=True, batch_first=True).eval()
    module = import_model(model, (torch.zeros(3, 6, 5),)).module
    target = style_target(style)
    module.attributes[TARGET] = target.attribute()
    run(new_context(), module, parse(target.pipeline))
    found = {match_kernel(kernel, target).family for kernel in kernels(module)}
    assert {"contract", "recurrent"} <= found <= {*FAMILIES} - {"nest"}
