"""G1 on emulated CUDA: an object holds what the emulation holds, code and constants."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest

from mbc.codegen.program import Buffer, Launch, Program
from mbc.runtime.cuda.emulation import (
    OBJECT,
    EmulatedCudaRunner,
    build_emulated,
    find_cxx,
)
from mbc.runtime.gates.elf_audit import Audit
from mbc.runtime.gates.emulated_audit import NOTHING, audit_emulated
from mbc.runtime.outcome import Completed, Failed
from mbc.runtime.toolchain import Missing

HEAD = 'extern "C" __global__ void f(float *z)'


def program(before: str, text: str) -> Program:
    buffers = (Buffer("z", "f32", (8,), "output"),)
    launch = Launch("f", ("z",), block=(8, 1, 1))
    return Program("cuda", f"{before}\n{HEAD} {{ {text} }}", buffers, (launch,))


@cache
def empty_object() -> bytes:
    return object_of(NOTHING)


def object_of(what: Program) -> bytes:
    compiler = find_cxx()
    if isinstance(compiler, Missing):
        pytest.skip(f"{compiler.reason}; install: {compiler.install}")
    built = build_emulated(what)
    assert isinstance(built, Path), built
    return (built.parent / OBJECT).read_bytes()


def audited(before: str, text: str) -> Audit:
    return audit_emulated(object_of(program(before, text)), empty_object())


@pytest.fixture(autouse=True)
def cache_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MBC_CACHE_DIR", str(tmp_path))


@pytest.mark.parametrize(
    ("before", "text", "rule"),
    [
        ("static int calls;", "z[0] = calls++;", "static data"),
        ("", "static int calls = 3; z[0] = calls++;", "static data"),
        ("thread_local int calls;", "z[0] = calls++;", "static data"),
        (
            "static float start() { return sinf(3); } const float x = start();",
            "z[0] = x;",
            "static data",
        ),
        (
            '__attribute__((constructor)) static void run() { __asm__(""); }',
            "z[0] = 1;",
            "constructor",
        ),
        ('extern "C" int system(const char *);', 'z[0] = system("id");', "symbol"),
        ("#include <unistd.h>", "z[0] = fork();", "symbol"),
    ],
)
def test_what_else_an_object_brings_along(before: str, text: str, rule: str) -> None:
    audit = audited(before, text)
    assert audit.finding is not None, audit.undefined
    assert audit.finding.rule == rule, audit.finding


def test_kernels_pass() -> None:
    text = (
        "__shared__ float t[8]; __shared__ int n; const int i = threadIdx.x;"
        " t[i] = expf(i) + table[i]; if (i == 0) n = 2; __syncthreads();"
        " z[i] = t[7 - i] + n + erff(t[i]) + (float)((__int128)i * n / 3);"
    )
    audit = audited("const float table[8] = {1, 2, 3};", text)
    assert audit.finding is None, audit.finding
    assert audit.checks > 20
    assert audit_emulated(empty_object(), empty_object()).finding is None


def test_a_damaged_object_is_a_finding() -> None:
    for image in (b"", b"\x7fELF\x02\x01" + bytes(20), empty_object()[:400]):
        finding = audit_emulated(image, empty_object()).finding
        assert finding is not None
        assert finding.rule == "object"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("volatile int n = 0; z[0] = 5 / n;", "division by zero, line 2"),
        ("float t[4] = {}; z[0] = t[(int)blockDim.x];", "out of bounds"),
    ],
)
def test_undefined_behaviour_is_named(text: str, words: str) -> None:
    outcome = EmulatedCudaRunner().run(program("", text), {})
    assert not isinstance(outcome, Completed)
    assert isinstance(outcome, Failed)
    assert outcome.kind == "crash"
    assert words in outcome.message, outcome
