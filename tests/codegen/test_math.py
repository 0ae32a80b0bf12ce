"""Math functions of every target keep what MATH_ACCURACY states, over all floats."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from mbc.codegen.emitters.rvv.vector_body import CALLS, PAIRS, SIMPLE
from mbc.codegen.expression import FUNCTIONS
from mbc.codegen.families.vectors import VECTOR_OPS
from mbc.codegen.math_accuracy import MATH_ACCURACY
from mbc.runtime.cuda.emulation import EmulatedCudaRunner
from mbc.runtime.outcome import EmitOnly
from mbc.runtime.runner import Runner, runner_for
from tools.math_error import (
    REFERENCES,
    Run,
    allowed,
    partners,
    run_at_vlen_256,
    sample,
    worst_errors,
)

NAMES = list(REFERENCES)
TABLE = Path(__file__).parents[2] / "docs" / "math.md"


def needs(runner: Runner) -> Runner:
    available = runner.availability()
    if isinstance(available, EmitOnly):
        pytest.skip(f"{available.reason}; install: {available.install}")
    return runner


def check(run: Run, kind: str, count: int, lmul: int = 4) -> None:
    x = sample(count)
    found = worst_errors(run, kind, NAMES, x, partners(x), lmul)
    assert [worst for worst in found if worst.error > allowed(kind, worst.name)] == []


def test_rvv_vectors():
    needs(runner_for("rvv"))
    check(run_at_vlen_256, "rvv", 1 << 19)


@pytest.mark.parametrize("lmul", [1, 2, 8])
def test_rvv_vectors_of_other_lengths(lmul: int):
    check(needs(runner_for("rvv")).run, "rvv", 1 << 9, lmul)


def test_rvv_scalars():
    needs(runner_for("rvv"))
    check(run_at_vlen_256, "rvv scalar", 1 << 13)


def test_opencl():
    runner = needs(runner_for("opencl"))
    check(runner.run, "opencl", 1 << 20)
    runner.close()


def test_cuda_calls_the_functions_that_are_meant():
    """Emulated with the host's library: names and arguments, not the device."""
    check(needs(EmulatedCudaRunner()).run, "cuda", 1 << 12)


def test_every_function_of_bodies_is_stated():
    assert {*FUNCTIONS.values(), "rsqrt"} - {"fma"} == set(MATH_ACCURACY) == set(NAMES)


def test_no_function_of_a_float_loop_is_scalar_on_rvv():
    vectors = {*CALLS, *PAIRS, *SIMPLE, "math.fma"}
    assert {op for op in VECTOR_OPS if op.startswith("math.")} - vectors == set()


def test_the_documented_table_is_the_stated_one():
    rows = re.findall(
        r"^\| `(\w+)` \| (\S+) \| (\S+) \| (\S+) \|", TABLE.read_text(), re.M
    )
    stated = {
        name: tuple(f"{ulp:g}" for ulp in (a.rvv, a.opencl, a.cuda))
        for name, a in MATH_ACCURACY.items()
    }
    assert {name: tuple(ulps) for name, *ulps in rows} == stated
