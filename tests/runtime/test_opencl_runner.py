"""OpenCL programs in the worker: right ones pass, wrong ones say how they fail."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt
import pytest

from mbc.codegen.program import Buffer, Launch, Program, Role
from mbc.runtime.opencl.runner import OpenclRunner
from mbc.runtime.outcome import (
    Completed,
    EmitOnly,
    Failed,
    Fidelity,
    Measured,
    NotMeasured,
)
from tests.runtime.trials import unjudged

N = 33
Floats = dict[str, npt.NDArray[np.float32]]


@pytest.fixture(scope="module")
def runner() -> Iterator[OpenclRunner]:
    runner = OpenclRunner(run_seconds=20)
    available = runner.availability()
    if isinstance(available, EmitOnly):
        pytest.skip(f"{available.reason}; install: {available.install}")
    yield runner
    runner.close()


@pytest.fixture
def vectors() -> Floats:
    x, y = np.random.default_rng(0).standard_normal((2, N)).astype(np.float32)
    return {"x": x, "y": y}


def buffer(name: str, role: Role, size: int = N) -> Buffer:
    return Buffer(name, "f32", (size,), role)


def program(body: str, parameters: str = "", steps: int = 1) -> Program:
    """A kernel over x, y and z, of which z is written; one work item per element."""
    source = f"""
__kernel void f(__global const float *x, __global const float *y,
                __global float *z{parameters})
{{
  const int i = get_global_id(0);
  {body}
}}
"""
    buffers = (buffer("x", "input"), buffer("y", "input"), buffer("z", "output"))
    launch = Launch("f", ("x", "y", "z"), (N, 1, 1), (1, 1, 1), steps)
    return Program("opencl", source, buffers, (launch,))


ADD = program("z[i] = x[i] + y[i];")


def failed(runner: OpenclRunner, wrong: Program, inputs: Floats) -> Failed:
    outcome = runner.run(wrong, inputs)
    assert isinstance(outcome, Failed)
    return outcome


def test_right_kernel(runner: OpenclRunner, vectors: Floats) -> None:
    outcome = runner.run(ADD, vectors)
    assert isinstance(outcome, Completed)
    np.testing.assert_allclose(outcome.outputs["z"], vectors["x"] + vectors["y"])


def test_device_has_name_and_version(runner: OpenclRunner) -> None:
    assert "OpenCL" in runner.device()


def test_unknown_device_is_emit_only() -> None:
    runner = OpenclRunner("no such device")
    available = runner.availability()
    runner.close()
    assert isinstance(available, EmitOnly)
    assert "no such device" in available.reason


def test_outputs_are_poisoned(runner: OpenclRunner, vectors: Floats) -> None:
    partial = program("if (i > 0) z[i] = x[i];")
    first, again = runner.run(partial, vectors), runner.run(partial, vectors)
    assert isinstance(first, Completed)
    assert isinstance(again, Completed)
    odd = np.isnan(first.outputs["z"]) != np.isnan(again.outputs["z"])
    assert odd.tolist() == [True] + [False] * (N - 1)


def test_wrong_source(runner: OpenclRunner, vectors: Floats) -> None:
    wrong = program("z[i] = undeclared;")
    for outcome in (failed(runner, wrong, vectors), runner.compile_check(wrong)):
        assert isinstance(outcome, Failed)
        assert outcome.kind == "compile_fail"
        assert "kernel.cl:6:" in outcome.log
        assert "undeclared" in outcome.message


def test_missing_kernel(runner: OpenclRunner) -> None:
    launch = Launch("g", ("x", "y", "z"))
    wrong = Program("opencl", ADD.source, ADD.buffers, (launch,))
    outcome = runner.compile_check(wrong)
    assert isinstance(outcome, Failed)
    assert outcome.kind == "compile_fail"


def test_compile_check(runner: OpenclRunner) -> None:
    assert runner.compile_check(ADD) == Completed({})


@pytest.mark.parametrize("index", ["i + 1", "i - 1"])
def test_one_element_outside(runner: OpenclRunner, vectors: Floats, index: str) -> None:
    outcome = failed(runner, program(f"z[i] = 0; z[{index}] = x[i];"), vectors)
    assert outcome.kind == "crash"
    assert "outside of buffer 'z'" in outcome.message


def test_changed_input(runner: OpenclRunner, vectors: Floats) -> None:
    wrong = program("z[i] = x[i]; ((__global float *)y)[i] += 1;")
    outcome = failed(runner, wrong, vectors)
    assert outcome.kind == "crash"
    assert "changed its input 'y'" in outcome.message


def test_crash_costs_one_run(runner: OpenclRunner, vectors: Floats) -> None:
    wild = program("z[((long)i + 1) << 40] = x[i];")
    assert failed(runner, wild, vectors).kind == "crash"
    assert isinstance(runner.run(ADD, vectors), Completed)


def test_hang_times_out(vectors: Floats) -> None:
    runner = OpenclRunner(run_seconds=4)
    endless = program("volatile int go = 1; while (go) {} z[i] = x[i];")
    outcome = runner.run(endless, vectors)
    assert isinstance(outcome, Failed)
    assert outcome.kind == "timeout"
    assert isinstance(runner.run(ADD, vectors), Completed)
    runner.close()


def test_steps_pass_their_index(runner: OpenclRunner, vectors: Floats) -> None:
    body = "z[i] = step == 0 ? 1.0f : z[i] * 10.0f + step;"
    outcome = runner.run(program(body, ", int step", steps=4), vectors)
    assert isinstance(outcome, Completed)
    assert (outcome.outputs["z"] == 1123).all()


def test_views_share_storage(runner: OpenclRunner, vectors: Floats) -> None:
    view = Buffer("v", "f32", (N,), "scratch", view_of="z")
    launch = Launch("f", ("x", "y", "v"), (N, 1, 1))
    shared = Program("opencl", ADD.source, (*ADD.buffers, view), (launch,))
    outcome = runner.run(shared, vectors)
    assert isinstance(outcome, Completed)
    np.testing.assert_allclose(outcome.outputs["z"], vectors["x"] + vectors["y"])


def test_output_may_update_an_input(runner: OpenclRunner, vectors: Floats) -> None:
    view = Buffer("z", "f32", (N,), "output", view_of="y")
    launch = Launch("f", ("x", "x", "z"), (N, 1, 1))
    updating = Program("opencl", ADD.source, (*ADD.buffers[:2], view), (launch,))
    outcome = runner.run(updating, vectors)
    assert isinstance(outcome, Completed)
    np.testing.assert_allclose(outcome.outputs["z"], 2 * vectors["x"])


def test_measure_gives_paired_samples(runner: OpenclRunner, vectors: Floats) -> None:
    slow = program(
        "float t = x[i]; for (int k = 0; k < 2000; ++k) t = sin(t); z[i] = t;"
    )
    broken = program("z[i] = undeclared;")
    found = runner.measure(
        [unjudged(each, vectors) for each in (ADD, broken, slow)], rounds=6
    )
    fast, missing, long = found
    assert isinstance(missing, NotMeasured)
    assert isinstance(fast, Measured)
    assert isinstance(long, Measured)
    assert len(fast.samples) == len(long.samples) == 6
    assert fast.fidelity is Fidelity.HARDWARE
    assert fast.unit == "ns"
    assert fast.device == runner.device()
    assert fast.value < long.value


def test_measure_survives_a_crash(runner: OpenclRunner, vectors: Floats) -> None:
    wild = program("z[((long)i + 1) << 40] = x[i];")
    crashed, fine = runner.measure(
        [unjudged(each, vectors) for each in (wild, ADD)], rounds=5
    )
    assert isinstance(crashed, NotMeasured)
    assert isinstance(fine, Measured)
