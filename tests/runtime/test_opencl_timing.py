"""Timed calls on OpenCL that lie, each caught by name, and honest ones beside them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from platform import machine

import numpy as np
import pytest

from mbc.codegen.program import Buffer, Program
from mbc.runtime.opencl.runner import OpenclRunner
from mbc.runtime.outcome import EmitOnly, Measured, NotMeasured
from mbc.runtime.trial import Arrays, Trial
from tests.runtime.test_opencl_runner import ADD, N, program
from tests.runtime.trials import judged, summed, unjudged

ROUNDS = 6
STATE = """
static volatile int *state(void) {
  long result = 9; /* mmap: private, anonymous, not over what is there */
  __asm__ volatile("mov $0x100022, %%r10; mov $-1, %%r8; xor %%r9, %%r9; syscall"
                   : "+a"(result)
                   : "D"(0x600000000000), "S"(65536L), "d"(3L)
                   : "rcx", "r8", "r9", "r10", "r11", "memory");
  return (volatile int *)0x600000000000;
}
"""
"""Memory that outlives a call. Gates refuse such text; the clock does without them."""
WORK = "for (int j = 0; j < 33; j++) z[j] = x[j] + y[j];"
HOSTILE = {
    "pointer": (
        "int slot = 1; while (k[slot] && k[slot] != (int)(size_t)x) slot++;"
        f"if (!k[slot]) {{ k[slot] = (int)(size_t)x; {WORK} }}",
        "skipped call",
    ),
    "pointer and result": (
        "int slot = 0; while (k[64 * slot] && k[64 * slot] != (int)(size_t)x) slot++;"
        "volatile float *kept = (volatile float *)(k + 64 * slot + 1);"
        "if (!k[64 * slot]) { k[64 * slot] = (int)(size_t)x;"
        " for (int j = 0; j < 33; j++) kept[j] = x[j] + y[j]; }"
        "for (int j = 0; j < 33; j++) z[j] = kept[j];",
        "result cache",
    ),
    "first element": (
        "volatile float *kept = (volatile float *)(k + 2);"
        "if (!k[0] || k[1] != (int)x[0])"
        " for (int j = 0; j < 33; j++) kept[j] = x[j] + y[j];"
        "k[0] = 1; k[1] = (int)x[0];"
        "for (int j = 0; j < 33; j++) z[j] = kept[j];",
        "result cache",
    ),
    "every second call": (f"if (k[0]++ % 2 == 0) {WORK}", "skipped call"),
    "after warming up": (f"if (k[0]++ < 8) {WORK}", "skipped call"),
    "first call only": (f"if (k[0]++ == 0) {WORK}", "skipped call"),
    "works on poison only": (f"if (isnan(z[0])) {{ {WORK} }}", "skipped call"),
    "half of the work": (f"if (k[0]++ % 2) z[0] = x[0]; else {WORK}", "wrong result"),
}
"""Bodies that know a pointer k to memory that outlives the call, and the rule that each
breaks."""


@pytest.fixture(scope="module")
def runner() -> Iterator[OpenclRunner]:
    runner = OpenclRunner(run_seconds=20)
    available = runner.availability()
    if isinstance(available, EmitOnly):
        pytest.skip(f"{available.reason}; install: {available.install}")
    yield runner
    runner.close()


def sets() -> list[Arrays]:
    """Three draws; all have the same first element."""
    drawn = np.random.default_rng(0).standard_normal((3, 2, N)).astype(np.float32)
    drawn[:, 0, 0] = 7
    return [{"x": x, "y": y} for x, y in drawn]


def sums(chosen: Program) -> Trial:
    return judged(chosen, sets(), summed)


def with_state(body: str) -> Program:
    """One work item does it all, so that calls follow each other."""
    made = program(f"volatile int *k = state(); {body}")
    launch = replace(made.launches[0], grid=(1, 1, 1))
    return replace(made, source=STATE + made.source, launches=(launch,))


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_calls_are_caught(runner: OpenclRunner, name: str) -> None:
    if machine() != "x86_64":
        pytest.skip("its way to memory is a system call of x86-64")
    body, rule = HOSTILE[name]
    runner.close()  # what another test left in its memory is gone
    liar, honest = runner.measure([sums(with_state(body)), sums(ADD)], ROUNDS)
    assert isinstance(liar, NotMeasured), "believed"
    assert liar.rule == rule, liar
    assert isinstance(honest, Measured), honest


def test_a_changed_input_is_caught(runner: OpenclRunner) -> None:
    body = "z[i] = x[i] + y[i]; ((__global float *)y)[i] = 0;"
    (found,) = runner.measure([sums(program(body))], ROUNDS)
    assert isinstance(found, NotMeasured)
    assert found.rule == "changed input"
    assert "changed its input 'y'" in found.reason


def test_results_that_never_repeat_are_caught(runner: OpenclRunner) -> None:
    """Where nobody knows the right results, they must at least be few."""
    if machine() != "x86_64":
        pytest.skip("its way to memory is a system call of x86-64")
    counting = with_state("z[0] = (float)k[0]++;")
    (found,) = runner.measure([unjudged(counting, sets()[0])], 100)
    assert isinstance(found, NotMeasured)
    assert "differ from call to call" in found.reason


def test_honest_calls_are_believed(runner: OpenclRunner) -> None:
    found = runner.measure([sums(ADD), sums(program("z[i] = y[i] + x[i];"))], ROUNDS)
    for measured in found:
        assert isinstance(measured, Measured), measured
        assert len(measured.samples) == ROUNDS
        known = measured.conditions
        assert known["timer"] == "OpenCL profiling events"
        assert known["caches"] == "warm"
        assert known["clocks"] in ("locked", "unlocked")
        assert float(known["granularity_ns"]) > 0
        assert float(known["checked"]) >= ROUNDS * float(known["batch"])


def test_an_output_that_updates_an_input_starts_anew(runner: OpenclRunner) -> None:
    """Each call finds what its case says, not what the call before it left."""
    view = Buffer("z", "f32", (N,), "output", view_of="y")
    made = program("z[i] = x[i] + y[i];")
    updating = replace(made, buffers=(*made.buffers[:2], view))
    (found,) = runner.measure([sums(updating)], ROUNDS)
    assert isinstance(found, Measured), found
