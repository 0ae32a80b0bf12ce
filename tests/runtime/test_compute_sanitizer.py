"""What surrounds compute-sanitizer, which needs a GPU: its host part and reports."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from mbc.codegen.program import Buffer, Launch, Program
from mbc.runtime import toolchain
from mbc.runtime.cuda import emulation
from mbc.runtime.cuda.sanitizer import finding_in, host_source, sanitized
from mbc.runtime.sanitizer import Clean, Unchecked

PROGRAM = Program(
    "cuda",
    'extern "C" __global__ void f(const float *x, float *s, float *z) {}\n',
    (
        Buffer("s", "f32", (5,), "scratch"),
        Buffer("x", "f32", (8,), "input"),
        Buffer("z", "f32", (2,), "output"),
        Buffer("v", "f32", (2,), "input", view_of="x", offset=4),
    ),
    (
        Launch("f", ("x", "s", "z"), (3, 1, 1), (32, 2, 1)),
        Launch("g", ("v",), steps=4),
    ),
)


def test_every_buffer_is_an_allocation_of_its_size() -> None:
    text = host_source(PROGRAM)
    assert "char *b0 = allocated(32, data);" in text
    assert "char *b1 = allocated(20, nullptr);" in text
    assert "char *b2 = allocated(8, nullptr);" in text
    assert "b3" not in text
    call = "f<<<dim3(3, 1, 1), dim3(32, 2, 1)>>>(Pointer{b0 + 0}, Pointer{b1 + 0}"
    assert call in text
    loop = "for (int step = 0; step < 4; ++step) g<<<dim3(1, 1, 1), dim3(1, 1, 1)>>>"
    assert f"{loop}(Pointer{{b0 + 16}}, step);" in text


@pytest.mark.parametrize(
    ("head", "rule"),
    [
        ("Invalid __global__ read of size 4 bytes", "bounds"),
        ("Invalid __shared__ write of size 4 bytes", "bounds"),
        ("Misaligned Shared or Local Address", "alignment"),
        ("Error: Race reported between Write access at 0x110 in f", "race"),
        ("Warning: Race reported between Read access at 0x110 in f", "race"),
        ("Uninitialized __global__ memory read of size 4 bytes", "uninitialized"),
        ("Barrier error detected. Divergent thread(s) in block.", "barrier"),
    ],
)
def test_reports(head: str, rule: str) -> None:
    log = (
        "========= COMPUTE-SANITIZER\n"
        f"========= {head}\n"
        "=========     at f(const float *, float *)+0x1f0 in program.cu:12\n"
        "=========     by thread (0,0,0) in block (0,0,0)\n"
        "=========     Address 0x7f0000000a00 is out of bounds\n"
        "========= ERROR SUMMARY: 1 error\n"
    )
    found = finding_in(log)
    assert found is not None
    assert (found.rule, found.line) == (rule, 12)
    assert found.address == "0x7f0000000a00"
    assert finding_in("========= ERROR SUMMARY: 0 errors\n") is None


def test_without_the_tool(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    toolchain.find_compute_sanitizer.cache_clear()
    try:
        outcome = sanitized(PROGRAM, {"x": np.zeros(8, np.float32)})
    finally:
        toolchain.find_compute_sanitizer.cache_clear()
    assert isinstance(outcome, Unchecked)
    assert outcome.reason.startswith("compute-sanitizer is not installed; install:")


def test_the_emulation_says_what_it_checks() -> None:
    told = emulation.built_in_checks()
    if isinstance(told, Unchecked):
        pytest.skip(told.reason)
    assert isinstance(told, Clean)
    assert "bounds" in told.checks
    assert "race" not in told.checks
    assert told.note
