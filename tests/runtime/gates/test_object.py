"""G1: what builds and holds only code passes; each other thing is named by its rule."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest
from xdsl.dialects.builtin import f32
from xdsl.ir import SSAValue

from mbc.codegen.targets import target_named
from mbc.ir import build
from mbc.ir.arithmetic import add
from mbc.ir.kernel import KernelOp
from mbc.runtime.gates.candidate import Candidate
from mbc.runtime.gates.elf_audit import audit_object
from mbc.runtime.gates.object import LONGEST_LOG, check_object
from mbc.runtime.gates.report import GateResult, Passed, Rejected, Skipped
from mbc.runtime.isolation import isolation_level
from mbc.runtime.outcome import EmitOnly
from mbc.runtime.runner import runner_for
from mbc.runtime.rvv.runner import RvvRunner
from tests.codegen.nest_programs import kernels_of
from tests.ir.samples import SAMPLES, floats, module_of

SECRET = Path("/etc/hostname")


@pytest.fixture(autouse=True)
def cache_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MBC_CACHE_DIR", str(tmp_path))


@pytest.fixture
def rvv() -> RvvRunner:
    available = RvvRunner().availability()
    if isinstance(available, EmitOnly):
        pytest.skip(f"{available.reason}; install: {available.install}")
    return RvvRunner()


@cache
def kernel() -> KernelOp:
    def body(a: SSAValue, b: SSAValue) -> SSAValue:
        return build.elementwise([a, b], (33,), f32, add)

    return kernels_of(module_of(floats((33,), (33,)), body))[0]


def emitted(target: str) -> str:
    return Candidate(kernel(), target_named(target)).code(kernel()).source


def checked(runner: RvvRunner, before: str = "", statement: str = "") -> GateResult:
    head, _, tail = emitted("rvv").rpartition("}")
    text = f"{before}\n{head}{statement}\n}}{tail}"
    return check_object(Candidate(kernel(), target_named("rvv"), text), runner)


def rule_of(result: GateResult) -> str:
    return result.rule if isinstance(result, Rejected) else "passed"


def test_emitted_kernels_pass(rvv: RvvRunner) -> None:
    names = ("mbc.softmax", "mbc.linear", "mbc.gelu", "mbc.layer_norm")
    modules = [SAMPLES[name].module() for name in names if name in SAMPLES]
    found = [kernel(), *(k for module in modules for k in kernels_of(module))]
    for one in found:
        result = check_object(Candidate(one, target_named("rvv")), rvv)
        assert isinstance(result, Passed), result
        assert result.checks > 20
        assert result.detail["isolation"] == isolation_level()


@pytest.mark.parametrize(
    ("before", "statement", "rule"),
    [
        ("float kept[4];", "kept[0] += 1; r0[0] = kept[0];", "static data"),
        ("static int calls;", "r0[0] = calls++;", "static data"),
        ("static _Thread_local int calls;", "r0[0] = calls++;", "static data"),
        ("", '__asm__ volatile("ecall");', "instruction"),
        ("", '__asm__ volatile("ebreak");', "instruction"),
        ("", '__asm__ volatile(".option norvc\\n ebreak");', "instruction"),
        ("", 'long t; __asm__ volatile("rdcycle %0" : "=r"(t)); r0[0] = t;', "clock"),
        ("", 'long t; __asm__ volatile("rdtime %0" : "=r"(t)); r0[0] = t;', "clock"),
        ("", '__asm__ volatile("csrwi 0x5c0, 0");', "instruction"),
        (
            "__attribute__((constructor)) static void early(void) "
            "{ *(volatile int *)64 = 1; }",
            "",
            "constructor",
        ),
        (
            '__attribute__((section(".init_array"))) void *volatile early = 0;',
            "",
            "constructor",
        ),
        ("void roi_begin(void) { }", "", "compiler"),
        ("extern void outside(void);", "outside();", "compiler"),
    ],
)
def test_forbidden_object(
    rvv: RvvRunner, before: str, statement: str, rule: str
) -> None:
    result = checked(rvv, before, statement)
    assert rule_of(result) == rule, result


@pytest.mark.parametrize(
    "before",
    [
        f'#include "{SECRET}"',
        f'#embed "{SECRET}"',
        f'__asm__(".incbin \\"{SECRET}\\"");',
        f'__asm__(".include \\"{SECRET}\\"");',
    ],
)
def test_files_do_not_leak(rvv: RvvRunner, before: str) -> None:
    if isolation_level() != "namespaces":
        pytest.skip("only limits protect here")
    result = checked(rvv, before)
    assert isinstance(result, Rejected)
    said = result.reason + str(result.detail)
    assert SECRET.read_text().strip() not in said
    assert len(result.detail["log"]) <= LONGEST_LOG


def test_long_errors_are_cut(rvv: RvvRunner) -> None:
    result = checked(rvv, "x " * 4000 + "\n" + "\n".join(f"y{i} z;" for i in range(99)))
    assert isinstance(result, Rejected)
    assert len(result.detail["log"]) <= LONGEST_LOG
    assert len(result.reason) <= 300


def test_no_object_is_a_finding() -> None:
    for image in (b"", b"\x7fELF\x02\x01", b"\x7fELF\x02\x01" + b"\xff" * 80):
        finding = audit_object(image).finding
        assert finding is not None
        assert finding.rule == "object"


@pytest.mark.parametrize("target", ["opencl", "cuda"])
def test_other_targets_build(target: str) -> None:
    runner = runner_for(target)
    try:
        own = Candidate(kernel(), target_named(target))
        result = check_object(own, runner)
        if isinstance(result, Skipped):
            pytest.skip(result.reason)
        assert isinstance(result, Passed), result
        broken = Candidate(kernel(), target_named(target), emitted(target) + "\nnone;")
        rejected = check_object(broken, runner)
        assert isinstance(rejected, Rejected)
        assert rejected.verdict == "compile_fail"
    finally:
        runner.close()
