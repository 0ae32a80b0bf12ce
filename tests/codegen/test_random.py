"""Draws of every kind and type, in every style: the reference's words, bit by bit."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from xdsl.dialects.builtin import i64
from xdsl.ir import SSAValue

from mbc.codegen.families import match_kernel
from mbc.codegen.targets import target_named
from mbc.ir.kernel import KernelOp
from mbc.ir.types import Array, Tensor, tensor
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
from tests.codegen.nest_programs import arguments_of, program_of
from tests.ir.samples import named

SEEDS = (0, -1, 0x123456789ABCDEF, 7, -(2**63))


def drawn(
    kind: str, dtype: str, shape: Sequence[int], stream: int = 3
) -> tuple[list[Tensor], Body]:
    def body(seed: SSAValue) -> SSAValue:
        return named("random", seed, kind=kind, stream=stream, shape=shape, dtype=dtype)

    return [tensor((), i64)], body


EXACT = {
    "bits": drawn("bits", "i32", (41,)),
    "long bits": drawn("bits", "i64", (3, 37)),
    "many bits": drawn("bits", "i32", (5003,), 2**32 - 1),
    "one": drawn("bits", "i32", (1,), 0),
    "scalar": drawn("uniform", "f32", ()),
    **{f"uniform {d}": drawn("uniform", d, (7, 31)) for d in ("f32", "f16", "bf16")},
    "uniform f64": drawn("uniform", "f64", (2, 601)),
}

NORMAL = {
    **{f"normal {d}": drawn("normal", d, (11, 13)) for d in ("f32", "f16", "bf16")},
    "many": drawn("normal", "f32", (3001,)),
}
WIDE = {"normal f64": drawn("normal", "f64", (257,))}


def seeded(kernel: KernelOp, arrays: list[Array]) -> list[Array]:
    elements = kernel.result_tensors()[0].element_count()
    return [np.asarray(SEEDS[elements % len(SEEDS)], np.int64)]


@pytest.mark.parametrize("style", STYLES)
def test_words_and_fractions_are_exact(style: str) -> None:
    check_exactly(EXACT, "random", style, seeded)


@pytest.mark.parametrize("style", STYLES)
def test_normal_numbers(style: str) -> None:
    name, options = STYLES[style]
    target = target_named(name, options)
    kernels = {**NORMAL, **WIDE} if target.simt else NORMAL
    cases = every_schedule(kernels, "random", target)
    arguments = arguments_of([(code.label, kernel) for _, kernel, code in cases])
    for number, key in enumerate(arguments):
        arguments[key] = np.asarray(SEEDS[number % len(SEEDS)], np.int64)
    with available_runner(name) as runner:
        program = program_of([code for _, _, code in cases], target)
        outcome = runner.run(program, arguments)
    assert isinstance(outcome, Completed), outcome
    for title, kernel, code in cases:
        given = [arguments[f"{code.label}_a0"]]
        found = [outcome.outputs[f"{code.label}_r0"]]
        verdict = compare(expected_results(kernel, given), found)
        assert isinstance(verdict, Agreement), f"{title}: {verdict}"


def test_what_has_no_template_is_a_nest() -> None:
    rvv = target_named("rvv", {})
    for types, body in (WIDE["normal f64"], drawn("uniform", "f32", (0, 3))):
        assert match_kernel(kernel_of(types, body), rvv).family == "nest"
