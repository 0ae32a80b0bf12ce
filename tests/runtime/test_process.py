"""Commands end within their limits and leave no process behind."""

from __future__ import annotations

import signal
import sys
import time
from pathlib import Path

import pytest

from mbc.runtime.process import (
    DEFAULT_LIMITS,
    Ended,
    Exited,
    Killed,
    Limits,
    TimedOut,
    run_command,
)


def python(
    script: str, limits: Limits = DEFAULT_LIMITS, cwd: Path | None = None
) -> Ended:
    return run_command([sys.executable, "-c", script], limits, cwd)


def has_died(pid: int) -> bool:
    """Soon: a kill takes effect after it returns."""
    deadline = time.monotonic() + 5
    while is_running(pid) and time.monotonic() < deadline:
        time.sleep(0.01)
    return not is_running(pid)


def is_running(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0]
    except (FileNotFoundError, ProcessLookupError):
        return False
    # Without an init process a dead grandchild stays a zombie.
    return state not in "ZX"


def test_exit_code_and_output() -> None:
    script = "import sys; print('out'); print('err', file=sys.stderr); sys.exit(3)"
    assert python(script) == Exited(3, "out\n", "err\n")


def test_timeout_kills_grandchildren(tmp_path: Path) -> None:
    script = (
        "import subprocess, pathlib, time\n"
        "child = subprocess.Popen(['sleep', '60'])\n"
        "pathlib.Path('pid').write_text(str(child.pid))\n"
        "time.sleep(60)\n"
    )
    assert python(script, Limits(wall_seconds=1), tmp_path) == TimedOut(1)
    assert has_died(int((tmp_path / "pid").read_text()))


def test_a_child_that_outlives_its_parent_is_killed(tmp_path: Path) -> None:
    command = ["sh", "-c", "sleep 60 & echo $! > pid"]
    assert run_command(command, cwd=tmp_path) == Exited(0, "", "")
    assert has_died(int((tmp_path / "pid").read_text()))


def test_memory_limit() -> None:
    ended = python("x = bytearray(1 << 30)", Limits(memory_bytes=256 << 20))
    assert isinstance(ended, Exited)
    assert "MemoryError" in ended.stderr


def test_processor_time_limit_is_a_timeout() -> None:
    assert python("while True: pass", Limits(cpu_seconds=1)) == TimedOut(1)


def test_output_is_bounded() -> None:
    ended = python("print('x' * 10_000_000)", Limits(output_bytes=1000))
    assert ended == Exited(0, "x" * 1000, "")


def test_file_size_limit() -> None:
    ended = run_command(["yes"], Limits(file_bytes=1 << 20))
    assert ended == Killed(signal.SIGXFSZ, "")


def test_signal_is_reported() -> None:
    script = "import os; os.kill(os.getpid(), 11)"
    assert python(script) == Killed(signal.SIGSEGV, "")


def test_environment_is_not_inherited(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MBC_TEST_SECRET", "1")
    ended = run_command(["env"])
    assert isinstance(ended, Exited)
    assert "MBC_TEST_SECRET" not in ended.stdout
