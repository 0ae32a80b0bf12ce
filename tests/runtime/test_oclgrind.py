"""OpenCL under Oclgrind: each class of fault is found once, with its line; right
kernels are clean, and what cannot be checked says why."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from mbc.codegen.program import Buffer, Launch, Program
from mbc.runtime import toolchain
from mbc.runtime.gates.sanitize import line_in_text
from mbc.runtime.opencl.oclgrind import finding_in
from mbc.runtime.opencl.runner import OpenclRunner
from mbc.runtime.sanitizer import Clean, Finding, Unchecked
from mbc.runtime.toolchain import Missing

N, GROUP = 64, 16
HEAD = "__kernel void f(__global const float *x, __global float *z) {\n"
HERE = "const int i = get_global_id(0), l = get_local_id(0);\n"
INPUTS = {"x": np.arange(N, dtype=np.float32)}


def program(text: str) -> Program:
    """The text begins at line 3."""
    buffers = (Buffer("x", "f32", (N,), "input"), Buffer("z", "f32", (N,), "output"))
    launch = Launch("f", ("x", "z"), (N // GROUP, 1, 1), (GROUP, 1, 1))
    return Program("opencl", f"{HEAD}{HERE}{text}\n}}\n", buffers, (launch,))


@pytest.fixture(scope="module")
def runner() -> Iterator[OpenclRunner]:
    tool = toolchain.find_oclgrind()
    if isinstance(tool, Missing):
        pytest.skip(f"{tool.reason}; install: {tool.install}")
    made = OpenclRunner()
    yield made
    made.close()


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        ("z[i] = x[i] + x[i + 1] * 0;", "bounds"),
        ("z[i] = x[i];\nif (i == 3) z[64] = 1;", "bounds"),
        ("z[i] = x[i];\n((__global float *)x)[i] = 1;", "access"),
        ("__local float t[8];\nt[l] = x[i];\nz[i] = x[i];", "bounds"),
        ("z[i] = x[i];\nz[0] = x[i];", "race"),
        (
            "__local float t[16];\nt[l] = x[i];\nz[i] = t[15 - l];",
            "race",
        ),
        ("z[i] += x[i];", "uninitialized"),
        ("__local float t[16];\nz[i] = t[l];", "uninitialized"),
        ("float t[4];\nif (x[i] > 5) t[1] = 0;\nz[i] = t[1];", "uninitialized"),
        ("z[i] = x[i];\nif (l < 3) barrier(CLK_LOCAL_MEM_FENCE);", "barrier"),
        ("z[i] = x[i];\nif (i == 5) __builtin_trap();", "trap"),
    ],
)
def test_faults(runner: OpenclRunner, text: str, rule: str) -> None:
    found = runner.sanitize(program(text), INPUTS)
    assert isinstance(found, Finding), found
    assert found.rule == rule
    assert found.message
    if rule not in ("barrier", "trap"):
        assert 3 <= found.line <= 3 + text.count("\n")
    if rule == "race":
        assert found.address.startswith("0x")


def test_right_kernels_are_clean_after_wrong_ones(runner: OpenclRunner) -> None:
    runner.sanitize(program("z[i] = x[i + N];".replace("N", "64")), INPUTS)
    tree = (
        "__local float t[16];\nt[l] = x[i];\nbarrier(CLK_LOCAL_MEM_FENCE);\n"
        "z[i] = t[15 - l];"
    )
    clean = runner.sanitize(program(tree), INPUTS)
    assert isinstance(clean, Clean), clean
    assert clean.checks == ("bounds", "race", "barrier", "uninitialized")
    assert clean.note == ""


def test_padding_may_be_copied_and_sixteen_lanes_are_not_tracked(
    runner: OpenclRunner,
) -> None:
    padding = (
        "__local float t[16];\nfloat p[2];\np[0] = x[i];\nt[l] = l < 8 ? p[0] : p[1];\n"
        "z[i] = x[i];"
    )
    assert isinstance(runner.sanitize(program(padding), INPUTS), Clean)
    lanes = "float16 v = vload16(0, x);\nz[i] = v.hi.hi.hi.y;"
    clean = runner.sanitize(program(lanes), INPUTS)
    assert isinstance(clean, Clean), clean
    assert "uninitialized" not in clean.checks
    assert "16-lane" in clean.note


def test_what_does_not_build_there_is_no_pass(runner: OpenclRunner) -> None:
    outcome = runner.sanitize(program("z[i] = nothing;"), INPUTS)
    assert isinstance(outcome, Unchecked)
    assert "Oclgrind cannot run it" in outcome.reason


def test_without_the_tool(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    toolchain.find_oclgrind.cache_clear()
    try:
        outcome = OpenclRunner().sanitize(program("z[i] = x[i];"), INPUTS)
    finally:
        toolchain.find_oclgrind.cache_clear()
    reason = "Oclgrind is not installed; install: apt-get install oclgrind"
    assert outcome == Unchecked(reason)


def test_the_most_telling_message_is_kept() -> None:
    log = (
        "\nControlflow depends on uninitialized value\n\tKernel: f\n"
        "\tAt line 9 (column 3) of input.cl:\n\t  x\n\t\n"
        "\nInvalid read of size 4 at global memory address 0x10\n\tKernel: f\n"
        "\tAt line 4 (column 1) of input.cl:\n\t  y\n\t\n"
    )
    found = finding_in(log)
    assert isinstance(found, Finding)
    assert (found.rule, found.line, found.address) == ("bounds", 4, "0x10")
    assert found.message == "invalid read of size 4 in global memory"
    assert finding_in("nothing to say\n") is None


def test_lines_are_those_of_the_text() -> None:
    assert line_in_text("#define N 4\nint a;\nint b;\n", "int a;\nint b;\n", 3) == 2
    assert line_in_text("int a;\nint b;\n", "", 2) == 2
    assert line_in_text("prelude\nint a;\n", "int a;\n", 1) == 1
