"""Hostile programs cost one structured outcome each, and leave nothing behind."""

from __future__ import annotations

import os
import platform
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from mbc.codegen.program import Buffer, Launch, Program
from mbc.errors import ToolMissing
from mbc.runtime import isolation, toolchain
from mbc.runtime.cuda.emulation import EmulatedCudaRunner
from mbc.runtime.isolation import (
    View,
    isolated,
    isolation_level,
    require_sandbox,
    run_isolated,
)
from mbc.runtime.opencl.runner import OpenclRunner
from mbc.runtime.outcome import Completed, EmitOnly, Failed
from mbc.runtime.process import Exited, Limits, TimedOut
from mbc.runtime.runner import Arrays, Runner
from mbc.runtime.rvv.runner import RvvRunner
from mbc.runtime.seccomp import Processes, is_supported

N = 1024
"""One page of floats, so that both ends of a buffer lie on guards."""
PYTHON = "/usr/bin/python3"
LIMITS = Limits(wall_seconds=20, cpu_seconds=20)

ECALL = (
    "static long ecall(long n, long a, long b, long c) {"
    ' register long a7 __asm__("a7") = n, a0 __asm__("a0") = a;'
    ' register long a1 __asm__("a1") = b, a2 __asm__("a2") = c;'
    ' register long a3 __asm__("a3") = 0, a4 __asm__("a4") = 0;'
    ' __asm__ volatile("ecall" : "+r"(a0) : "r"(a7), "r"(a1), "r"(a2), "r"(a3),'
    ' "r"(a4) : "memory"); return a0; }\n'
)
FORK, OPEN, SOCKET, MMAP, EXIT = "220, 17, 0, 0", "56, -100", "198, 2, 1, 0", 222, 93


@pytest.fixture(autouse=True)
def cache_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MBC_CACHE_DIR", str(tmp_path / "cache"))


@pytest.fixture
def nothing_left(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Temporary files go to a folder of the test; processes carry its name."""
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    before = programs_running(tmp_path)
    yield
    assert list(folder.iterdir()) == []
    assert before == []
    assert all_ended(tmp_path)


def all_ended(folder: Path, seconds: float = 5) -> bool:
    """A name space ends a moment after the process that made it."""
    deadline = time.monotonic() + seconds
    while programs_running(folder):
        if time.monotonic() > deadline:
            return False
        time.sleep(0.02)
    return True


def programs_running(folder: Path) -> list[str]:
    """Command lines of processes that name `folder`."""
    found: list[str] = []
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            line = (entry / "cmdline").read_bytes().replace(b"\0", b" ").decode()
        except OSError:
            continue
        if str(folder) in line and int(entry.name) != os.getpid():
            found.append(line)
    return found


@pytest.fixture
def rvv() -> RvvRunner:
    runner = RvvRunner(run_seconds=2)
    available = runner.availability()
    if isinstance(available, EmitOnly):
        pytest.skip(f"{available.reason}; install: {available.install}")
    return runner


def inputs() -> dict[str, np.ndarray[tuple[int], np.dtype[np.float32]]]:
    return {"x": np.arange(N, dtype=np.float32)}


def program(target: str, source: str, block: int = 1) -> Program:
    buffers = (Buffer("x", "f32", (N,), "input"), Buffer("z", "f32", (N,), "output"))
    launch = Launch("f", ("x", "z"), block=(block, 1, 1))
    return Program(target, source, buffers, (launch,))


def host(text: str) -> Program:
    return program("rvv", f"{ECALL}void f(const float *x, float *z) {{ {text} }}")


def outcome_of(runner: Runner, what: Program, arrays: Arrays) -> tuple[str, str]:
    outcome = runner.run(what, arrays)
    if isinstance(outcome, Completed):
        return "completed", ""
    return outcome.kind, outcome.message


@pytest.mark.usefixtures("nothing_left")
@pytest.mark.parametrize(
    ("text", "kind", "message"),
    [
        ("__builtin_trap();", "crash", "died of SIGILL"),
        ("*(volatile int *)8 = 1;", "crash", "died of SIGSEGV"),
        ("for (volatile int k = 0;; k++);", "timeout", "ran longer than 2 s"),
        (f"z[{N}] = 1;", "crash", "wrote outside buffer 'z' at VLEN 128"),
        (f"z[0] = x[{N}];", "crash", "read outside buffer 'x' at VLEN 128"),
        ("z[-1] = 1;", "crash", "wrote outside buffer 'z'"),
        ("z[0] = x[-1];", "crash", "read outside buffer 'x'"),
        ("((float *)x)[5] = 1;", "crash", "wrote to input 'x' at VLEN 128"),
        (
            "char room[512]; volatile char *p = room; for (;; p -= 512) *p = 1;",
            "crash",
            "died of SIG",
        ),
        (f"ecall({EXIT}, 0, 0, 0);", "crash", "without a result"),
        (
            f"for (;;) if (ecall({MMAP}, 0, 1 << 28, 3) < 0) __builtin_trap();",
            "crash",
            "died of SIG",
        ),
    ],
)
def test_hostile_rvv(rvv: RvvRunner, text: str, kind: str, message: str) -> None:
    got_kind, got = outcome_of(rvv, host(text), inputs())
    assert got_kind == kind, got
    assert message in got


@pytest.mark.usefixtures("nothing_left")
@pytest.mark.parametrize(
    "call",
    [
        f"ecall({FORK})",
        f"ecall({SOCKET})",
        f'ecall({OPEN}, (long)"/etc/passwd", 0)',
        f'ecall({OPEN}, (long)"/home", 0)',
        f'ecall({OPEN}, (long)"/usr/own", 0101)',
    ],
    ids=["fork", "socket", "file", "home", "write"],
)
def test_refused_system_calls(rvv: RvvRunner, call: str) -> None:
    if isolation_level() != "namespaces":
        pytest.skip("only limits protect here")
    text = f"long r = {call}; for (int i = 0; i < {N}; i++) z[i] = r < 0;"
    outcome = rvv.run(host(text), inputs())
    assert isinstance(outcome, Completed), outcome
    assert outcome.outputs["z"].all()


@pytest.mark.usefixtures("nothing_left")
def test_fork_bomb_ends(rvv: RvvRunner) -> None:
    """At most a few dozen processes, if nothing refused to start them."""
    text = f"for (int i = 0; i < 5; i++) ecall({FORK}); for (;;);"
    assert outcome_of(rvv, host(text), inputs())[0] == "timeout"


def test_included_file_is_one_failure(rvv: RvvRunner) -> None:
    outcome = rvv.run(program("rvv", '#include "/etc/passwd"\n'), inputs())
    assert isinstance(outcome, Failed)
    assert outcome.kind == "compile_fail"
    assert "root:" not in outcome.message + outcome.log


def test_unwritten_integers_are_named(rvv: RvvRunner) -> None:
    buffers = (Buffer("z", "i32", (4,), "output"),)
    source = "void f(int *z) { z[0] = 1; }"
    outcome = rvv.run(Program("rvv", source, buffers, (Launch("f", ("z",)),)), {})
    assert outcome == Failed("crash", "the kernel leaves a part of 'z' unwritten")


@pytest.fixture(scope="module")
def emulated() -> EmulatedCudaRunner:
    available = EmulatedCudaRunner().availability()
    if isinstance(available, EmitOnly):
        pytest.skip(f"{available.reason}; install: {available.install}")
    return EmulatedCudaRunner()


def cuda(text: str) -> Program:
    head = 'extern "C" __global__ void f(const float *x, float *z)'
    return program("cuda", f"#include <unistd.h>\n{head} {{ {text} }}")


@pytest.mark.usefixtures("nothing_left")
def test_system_calls_of_emulated_kernels(emulated: EmulatedCudaRunner) -> None:
    text = (
        'const bool open = fopen("/etc/passwd", "r") || fopen("job.bin", "r");'
        "const bool forked = fork() >= 0;"
        f"for (int i = 0; i < {N}; ++i) z[i] = open ? 1 : forked ? 2 : 3;"
    )
    outcome = emulated.run(cuda(text), inputs())
    assert isinstance(outcome, Completed), outcome
    if isolation_level() == "namespaces":
        assert (outcome.outputs["z"] == 3).all()


@pytest.mark.usefixtures("nothing_left")
@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("*(volatile int *)8 = 1;", "crash"),
        ("z[-1] = 1;", "crash"),
        ("z[0] = x[1024];", "crash"),
        ("_exit(0);", "crash"),
        ("__builtin_trap();", "crash"),
    ],
)
def test_hostile_emulated(emulated: EmulatedCudaRunner, text: str, kind: str) -> None:
    assert outcome_of(emulated, cuda(text), inputs())[0] == kind


@pytest.fixture
def opencl() -> Iterator[OpenclRunner]:
    runner = OpenclRunner(run_seconds=10)
    available = runner.availability()
    if isinstance(available, EmitOnly):
        pytest.skip(f"{available.reason}; install: {available.install}")
    yield runner
    runner.close()


def opencl_program(text: str) -> Program:
    head = "__kernel void f(__global const float *x, __global float *z)"
    return program("opencl", f"{head} {{ {text} }}")


def test_hostile_opencl(opencl: OpenclRunner, tmp_path: Path) -> None:
    """A crash, a hang and a stray write each cost one outcome and no process."""
    good = opencl_program(f"for (int i = 0; i < {N}; ++i) z[i] = 2 * x[i];")
    bad = {
        "*(volatile __global int *)8 = 1; z[0] = 1;": ("crash", "compile_fail"),
        "z[1025] = 1;": ("crash",),
        "((__global float *)x)[3] = 7;": ("crash",),
        "for (volatile int k = 0; ; ++k) z[0] = k;": ("timeout",),
    }
    opencl.run_seconds = 5
    for text, kinds in bad.items():
        assert outcome_of(opencl, opencl_program(text), inputs())[0] in kinds
    assert isinstance(opencl.run(good, inputs()), Completed)
    opencl.close()
    assert all_ended(tmp_path)


def test_no_tool_no_sandbox(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Without bubblewrap on the path, limits remain, and the level says so."""
    monkeypatch.setenv("PATH", str(tmp_path))
    toolchain.find_bwrap.cache_clear()
    try:
        assert isolation_level() == "limits"
        with pytest.raises(ToolMissing, match="no bubblewrap; install: apt-get"):
            require_sandbox()
        with isolated(["/bin/true"], View()) as (line, handles):
            assert (line, handles) == (["/bin/true"], ())
        sleeping = ["/bin/sleep", "5"]
        ended = run_isolated(sleeping, tmp_path, Limits(wall_seconds=0.3))
        assert ended == TimedOut(0.3)
    finally:
        toolchain.find_bwrap.cache_clear()


def test_only_the_folder_is_writable(tmp_path: Path) -> None:
    if isolation_level() != "namespaces":
        pytest.skip("only limits protect here")
    require_sandbox()
    outside = tmp_path / "outside"
    folder = tmp_path / "inside"
    folder.mkdir()
    script = f"echo > here; echo > {outside}; echo > /usr/x; cat /etc/passwd; id -u"
    ended = run_isolated(["/bin/sh", "-c", script], folder, LIMITS)
    assert isinstance(ended, Exited)
    assert "root:" not in ended.stdout
    assert [p.name for p in folder.iterdir()] == ["here"]
    assert not outside.exists()


def test_processes_may_be_forbidden(tmp_path: Path) -> None:
    if isolation_level() != "namespaces":
        pytest.skip("only limits protect here")
    command = ["/bin/sh", "-c", "/bin/true; /bin/echo started"]
    allowed = run_isolated(command, tmp_path, LIMITS)
    refused = run_isolated(command, tmp_path, LIMITS, processes="none")
    assert isinstance(allowed, Exited)
    assert allowed.stdout == "started\n"
    assert isinstance(refused, Exited)
    assert refused.stdout == ""


BOMBS = {
    "fork": "os.fork()",
    "vfork": "libc.syscall(58)",
    "clone": "libc.syscall(56, 17, 0, 0, 0, 0)",
    "clone3": "libc.syscall(435, 0, 0)",
}


@pytest.mark.usefixtures("nothing_left")
@pytest.mark.parametrize("bomb", BOMBS)
@pytest.mark.parametrize("processes", ["none", "programs"])
def test_fork_bombs_start_nothing(
    bomb: str, processes: Processes, tmp_path: Path
) -> None:
    """Beneath the gates: whatever a candidate's code may call."""
    if isolation_level() != "namespaces" or not is_supported():
        pytest.skip("only limits protect here")
    script = (
        "import ctypes, os\nlibc = ctypes.CDLL(None)\nrefused = 0\n"
        "for _ in range(8):\n"
        f"    try: refused += {BOMBS[bomb]} < 0\n"
        "    except OSError: refused += 1\n"
        "running = sum(name.isdigit() for name in os.listdir('/proc'))\n"
        "print(refused, running)\n"
    )
    folder = tmp_path / "inside"
    folder.mkdir()
    command = [PYTHON, "-c", script]
    ended = run_isolated(command, folder, LIMITS, processes=processes)
    assert isinstance(ended, Exited), ended
    # Process 1 of the sandbox is bubblewrap's own.
    assert ended.stdout == "8 2\n", ended.stderr


def test_a_runtime_may_start_its_linker(tmp_path: Path) -> None:
    script = "import subprocess; print(subprocess.run(['/bin/true']).returncode)"
    command = [PYTHON, "-c", script.replace("run(", "run(close_fds=False, args=")]
    ended = run_isolated(command, tmp_path, LIMITS, processes="programs")
    assert isinstance(ended, Exited)
    assert ended.stdout == "0\n", ended.stderr


@pytest.mark.usefixtures("nothing_left")
@pytest.mark.parametrize("text", ["syscall", "call fork"])
def test_fork_bombs_of_opencl(opencl: OpenclRunner, text: str, tmp_path: Path) -> None:
    """Assembler, which no gate lets through, in the process of the runtime."""
    if isolation_level() != "namespaces" or platform.machine() != "x86_64":
        pytest.skip("only limits protect here")
    body = (
        "long got = 57;"
        f' for (int k = 0; k < 8; ++k) {{ got = 57; __asm__ volatile("{text}" :'
        ' "+a"(got) : : "rcx", "r11", "rdi", "rsi", "rdx", "r8", "r9", "r10",'
        f' "memory"); }} for (int i = 0; i < {N}; ++i) z[i] = (int)got < 0;'
    )
    good = opencl_program(f"for (int i = 0; i < {N}; ++i) z[i] = x[i];")
    assert isinstance(opencl.run(good, inputs()), Completed)
    before = living_in(tmp_path)
    outcome = opencl.run(opencl_program(body), inputs())
    assert len(living_in(tmp_path)) <= len(before)
    if isinstance(outcome, Completed):
        assert outcome.outputs["z"].all(), "a process was started"
    opencl.close()
    assert all_ended(tmp_path)
    assert living_in(tmp_path) == []


def living_in(folder: Path) -> list[int]:
    """Processes whose environment names `folder`: a worker, and what it forked."""
    found: list[int] = []
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            environment = (entry / "environ").read_bytes()
        except OSError:
            continue
        if str(folder).encode() in environment and int(entry.name) != os.getpid():
            found.append(int(entry.name))
    return found


def test_gpu_devices_are_those_that_exist(tmp_path: Path) -> None:
    for name in ("nvidia0", "nvidiactl", "null"):
        (tmp_path / name).touch()
    assert [p.name for p in isolation.gpu_devices(tmp_path)] == ["nvidia0", "nvidiactl"]
