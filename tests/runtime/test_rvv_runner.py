"""RVV programs under the emulator: right ones pass, wrong ones say how they fail."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import numpy.typing as npt
import pytest

from mbc.codegen.program import Buffer, Launch, Program, Role
from mbc.runtime.outcome import (
    Completed,
    EmitOnly,
    Failed,
    Fidelity,
    Measured,
    NotMeasured,
)
from mbc.runtime.rvv.runner import RvvRunner
from mbc.runtime.toolchain import Found, find_qemu_riscv64
from mbc.runtime.trial import Trial
from tests.runtime.trials import judged, summed, unjudged

N = 33

Floats = dict[str, npt.NDArray[np.float32]]

ADD = """
#include <riscv_vector.h>
void add(const float *x, const float *y, float *z) {
  for (unsigned long n = 33, vl; n; n -= vl, x += vl, y += vl, z += vl) {
    vl = __riscv_vsetvl_e32m4(n);
    vfloat32m4_t a = __riscv_vle32_v_f32m4(x, vl), b = __riscv_vle32_v_f32m4(y, vl);
    __riscv_vse32_v_f32m4(z, __riscv_vfadd_vv_f32m4(a, b, vl), vl);
  }
}
"""

SUM = """
#include <riscv_vector.h>
void sum(const float *x, float *z) {
  unsigned long vl, full = __riscv_vsetvlmax_e32m1();
  vfloat32m1_t s = __riscv_vfmv_v_f_f32m1(0.f, full);
  for (unsigned long n = 33; n; n -= vl, x += vl) {
    vl = __riscv_vsetvl_e32m1(n);
    s = __riscv_vfadd_vv_f32m1_tu(s, s, __riscv_vle32_v_f32m1(x, vl), vl);
  }
  vfloat32m1_t zero = __riscv_vfmv_v_f_f32m1(0.f, 1);
  *z = __riscv_vfmv_f_s_f32m1_f32(__riscv_vfredusum_vs_f32m1_f32m1(s, zero, full));
}
"""
SUM_WITHOUT_TU = SUM.replace("_tu(s, s,", "(s,")


@pytest.fixture(scope="module")
def runner(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RvvRunner]:
    available = RvvRunner().availability()
    if isinstance(available, EmitOnly):
        pytest.skip(f"{available.reason}; install: {available.install}")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("MBC_CACHE_DIR", str(tmp_path_factory.mktemp("cache")))
        yield RvvRunner()


@pytest.fixture
def vectors() -> Floats:
    x, y = np.random.default_rng(0).standard_normal((2, N)).astype(np.float32)
    return {"x": x, "y": y}


def vector(name: str, role: Role, size: int = N) -> Buffer:
    return Buffer(name, "f32", (size,), role)


def program(
    source: str, outputs: int = N, inputs: str = "xy", vlen: str = "256"
) -> Program:
    buffers = (*(vector(n, "input") for n in inputs), vector("z", "output", outputs))
    name = source.split("void ", 1)[1].split("(", 1)[0]
    launch = Launch(name, tuple(b.name for b in buffers))
    return Program("rvv", source, buffers, (launch,), options=(("vlen", vlen),))


def body(text: str) -> str:
    return f"void f(const float *x, const float *y, float *z) {{ {text} }}"


def test_right_kernel(runner: RvvRunner, vectors: Floats) -> None:
    outcome = runner.run(program(ADD), vectors)
    assert isinstance(outcome, Completed), outcome
    np.testing.assert_array_equal(outcome.outputs["z"], vectors["x"] + vectors["y"])


@pytest.mark.parametrize("vlen", ["128", "1024"])
def test_vlen_option(runner: RvvRunner, vectors: Floats, vlen: str) -> None:
    outcome = runner.run(program(ADD, vlen=vlen), vectors)
    assert isinstance(outcome, Completed), outcome


def test_tail_undisturbed_accumulator(runner: RvvRunner, vectors: Floats) -> None:
    outcome = runner.run(program(SUM, 1, "x"), vectors)
    assert isinstance(outcome, Completed), outcome
    assert outcome.outputs["z"] == pytest.approx(vectors["x"].sum(), rel=1e-5)


def test_poison_exposes_a_forgotten_tail_policy(
    runner: RvvRunner, vectors: Floats
) -> None:
    outcome = runner.run(program(SUM_WITHOUT_TU, 1, "x"), vectors)
    right = isinstance(outcome, Completed) and np.isfinite(outcome.outputs["z"]).all()
    assert not right


def test_dependence_on_vlen_is_reported(runner: RvvRunner, vectors: Floats) -> None:
    source = "#include <riscv_vector.h>\n" + body("z[0] = __riscv_vsetvlmax_e32m1();")
    outcome = runner.run(program(source, 1), vectors)
    assert outcome == Failed("crash", "results differ between VLEN 128 and 256 in 'z'")


def test_unwritten_output_shows(runner: RvvRunner, vectors: Floats) -> None:
    outcome = runner.run(program(body("z[0] = 1;")), vectors)
    assert outcome == Failed("crash", "results differ between VLEN 128 and 256 in 'z'")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("*(volatile int *)8 = 1;", "the program died of SIGSEGV at VLEN 128"),
        ("__builtin_trap();", "the program died of SIGILL at VLEN 128"),
        ("z[33] = 0;", "the kernel wrote outside buffer 'z' at VLEN 128"),
        (
            'register long a0 __asm__("a0") = 0, a7 __asm__("a7") = 93;'
            '__asm__ volatile("ecall" :: "r"(a0), "r"(a7));',
            "the program ended without a result at VLEN 128",
        ),
        ("*(float *)x = 7;", "the kernel wrote to input 'x' at VLEN 128"),
    ],
)
def test_crash(runner: RvvRunner, vectors: Floats, text: str, message: str) -> None:
    outcome = runner.run(program(body(text)), vectors)
    assert isinstance(outcome, Failed)
    assert (outcome.kind, outcome.message) == ("crash", message)


def test_infinite_loop(runner: RvvRunner, vectors: Floats) -> None:
    source = body("for (volatile int k = 0;; k++);")
    outcome = RvvRunner(run_seconds=0.5).run(program(source), vectors)
    message = "the program ran longer than 0.5 s at VLEN 128"
    assert outcome == Failed("timeout", message)


def test_compile_failure(runner: RvvRunner) -> None:
    outcome = runner.compile_check(program(body("z[0] = nothing;")))
    assert isinstance(outcome, Failed)
    assert outcome.kind == "compile_fail"
    assert "undeclared identifier 'nothing'" in outcome.message
    assert outcome.log.startswith("program.c:1:")


def test_steps_run_in_order(runner: RvvRunner, vectors: Floats) -> None:
    source = "void f(float *z, int step) { z[step] = step ? z[step - 1] * 2 : 1; }"
    launch = Launch("f", ("z",), steps=5)
    outcome = runner.run(
        Program("rvv", source, (vector("z", "output", 5),), (launch,)), {}
    )
    assert isinstance(outcome, Completed), outcome
    assert outcome.outputs["z"].tolist() == [1, 2, 4, 8, 16]


def test_a_maximum_over_uninitialised_scratch_shows(runner: RvvRunner) -> None:
    """`fmax` ignores NaN, so this is right wherever memory is only ever NaN."""
    source = """
static void f(const float *x, float *s, float *z) {
  for (int i = 0; i < 32; i++)
    s[i] = __builtin_fmaxf(s[i], x[i]), z[i] = s[i];
}
"""
    scratch = Buffer("s", "f32", (32,), "scratch")
    buffers = (vector("x", "input", 32), vector("z", "output", 32), scratch)
    launch = Launch("f", ("x", "s", "z"))
    made = Program("rvv", source, buffers, (launch,), arena_bytes=128)
    x = np.linspace(-1, 1, 32, dtype=np.float32)
    outcome = runner.run(made, {"x": x})
    assert outcome == Failed("crash", "results differ between VLEN 128 and 256 in 'z'")


def test_views_and_scratch(runner: RvvRunner) -> None:
    """x doubles into scratch; the view of its second half is copied to z."""
    source = (
        "void twice(const float *x, float *s) {"
        " for (int i = 0; i < 32; i++) s[i] = 2 * x[i]; }\n"
        "void copy(const float *s, float *z) {"
        " for (int i = 0; i < 16; i++) z[i] = s[i]; }\n"
    )
    scratch = Buffer("s", "f32", (32,), "scratch", offset=64)
    half = Buffer("h", "f32", (16,), "scratch", view_of="s", offset=16)
    buffers = (vector("x", "input", 32), vector("z", "output", 16), scratch, half)
    launches = (Launch("twice", ("x", "s")), Launch("copy", ("h", "z")))
    x = np.arange(32, dtype=np.float32)
    outcome = runner.run(
        Program("rvv", source, buffers, launches, arena_bytes=192), {"x": x}
    )
    assert isinstance(outcome, Completed), outcome
    np.testing.assert_array_equal(outcome.outputs["z"], 2 * x[16:])


def test_output_in_the_storage_of_an_input(runner: RvvRunner, vectors: Floats) -> None:
    source = "void f(float *z) { z[1] = 5; }"
    updated = Buffer("z", "f32", (4,), "output", view_of="x", offset=2)
    buffers = (vector("x", "input"), updated)
    outcome = runner.run(
        Program("rvv", source, buffers, (Launch("f", ("z",)),)), vectors
    )
    assert isinstance(outcome, Completed), outcome
    want = vectors["x"][2:6].copy()
    want[1] = 5
    np.testing.assert_array_equal(outcome.outputs["z"], want)


def test_modelled_cycles_are_deterministic(
    runner: RvvRunner, vectors: Floats, monkeypatch: pytest.MonkeyPatch
) -> None:
    (first,) = runner.measure([unjudged(program(ADD), vectors)], rounds=3)
    if isinstance(first, NotMeasured):
        pytest.skip(first.reason)
    monkeypatch.setenv("PADDING", "x" * 5000)
    again = runner.measure([unjudged(program(ADD), vectors)] * 2, rounds=3)
    assert isinstance(first, Measured)
    assert again == [first, first]
    assert first.device.startswith("rvvcost model v1 vlen256 dlen256 mlen128 ")
    assert first.detail["vector_insns"] > 0


def test_without_plugins_instructions_are_counted(
    runner: RvvRunner, vectors: Floats, monkeypatch: pytest.MonkeyPatch
) -> None:
    (modelled,) = runner.measure([unjudged(program(ADD), vectors)], rounds=1)
    if isinstance(modelled, NotMeasured) or modelled.fidelity is not Fidelity.MODELLED:
        pytest.skip("the cost model does not run here")
    qemu = find_qemu_riscv64()
    assert isinstance(qemu, Found)
    plain = replace(qemu, kind="plain")
    monkeypatch.setattr("mbc.runtime.rvv.runner.find_qemu_riscv64", lambda: plain)
    (counted,) = runner.measure([unjudged(program(ADD), vectors)], rounds=1)
    assert isinstance(counted, Measured)
    assert counted.fidelity is Fidelity.COUNTED
    assert (counted.unit, counted.device) == ("instructions", runner.device())
    assert counted.value == modelled.detail["insns"]


def test_unmeasurable_program_says_why(runner: RvvRunner, vectors: Floats) -> None:
    (measurement,) = runner.measure([unjudged(program(body("!")), vectors)], rounds=1)
    assert isinstance(measurement, NotMeasured)


def judged_sum(source: str, vectors: Floats) -> Trial:
    return judged(program(source), [vectors], summed)


def test_a_call_that_works_on_poison_only_has_no_cycles(
    runner: RvvRunner, vectors: Floats
) -> None:
    """Right on the first call, and free on the second, which is the one counted."""
    lazy = ADD.replace("for (", "if (z[0] != z[0]) for (")
    (found,) = runner.measure([judged_sum(lazy, vectors)], rounds=1)
    assert isinstance(found, NotMeasured)
    assert found.rule


def test_cycles_of_a_wrong_result_are_none(runner: RvvRunner, vectors: Floats) -> None:
    wrong = ADD.replace("vfadd", "vfsub")
    (found,) = runner.measure([judged_sum(wrong, vectors)], rounds=1)
    assert isinstance(found, NotMeasured)
    assert found.rule == "wrong result"
    right = runner.measure([judged_sum(ADD, vectors)], rounds=1)[0]
    assert isinstance(right, Measured)
