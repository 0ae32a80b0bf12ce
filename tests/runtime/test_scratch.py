"""Temporary folders and helpers of processes that were killed."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from mbc.runtime.scratch import LOCK, SCRATCH, scratch_folder

HOLDS_A_FOLDER = """
import sys
from mbc.runtime.scratch import scratch_folder
with scratch_folder() as folder:
    (folder / "large").write_text("x")
    print(folder, flush=True)
    sys.stdin.read()
"""
RUNS_A_COMMAND = """
from mbc.runtime.process import run_command
run_command(["/bin/sh", "-c", "echo $$ > pid; exec sleep 60"])
"""
WORKS_ON = """
import sys, time
from mbc.runtime.orphan import end_with_parent
end_with_parent(0)
print("started", flush=True)
while True:
    time.sleep(0.01)
"""


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("MBC_CACHE_DIR", str(tmp_path / "cache"))
    return tmp_path / "cache"


def started(program: str, folder: Path) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", program],
        cwd=folder,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )


def is_alive(pid: int) -> bool:
    """A process that only waits to be reaped is dead."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False


def assert_ends(pid: int) -> None:
    deadline = time.monotonic() + 10
    while is_alive(pid) and time.monotonic() < deadline:
        time.sleep(0.01)
    assert not is_alive(pid)


def test_a_folder_is_empty_and_goes_away(cache: Path) -> None:
    with scratch_folder() as folder:
        assert list(folder.iterdir()) == []
        assert folder.is_relative_to(cache / SCRATCH)
        (folder / "file").write_text("x")
    assert not folder.exists()


def test_what_a_killed_process_left_goes_and_what_a_living_one_has_stays(
    cache: Path, tmp_path: Path
) -> None:
    dead, living = (started(HOLDS_A_FOLDER, tmp_path) for _ in range(2))
    left, held = (Path(p.stdout.readline().strip()) for p in (dead, living) if p.stdout)
    dead.kill()
    dead.wait()
    assert (left / "large").exists()
    with scratch_folder():
        assert not left.parent.exists()
        assert not left.parent.with_suffix(LOCK).exists()
        assert (held / "large").exists()
    living.communicate("")
    assert not held.parent.exists(), "a process that ends by itself cleans up"


def test_a_cache_that_was_emptied_is_made_again(cache: Path) -> None:
    with scratch_folder() as first:
        pass
    first.parent.rmdir()
    with scratch_folder() as folder:
        assert folder.exists()


def test_a_command_dies_with_who_waits_for_it(tmp_path: Path) -> None:
    """Without any sandbox."""
    parent = started(RUNS_A_COMMAND, tmp_path)
    pid = tmp_path / "pid"
    while not (pid.exists() and pid.read_text().strip()):
        time.sleep(0.01)
    command = int(pid.read_text())
    assert is_alive(command)
    os.kill(parent.pid, signal.SIGKILL)
    parent.wait()
    assert_ends(command)


def test_a_worker_ends_with_its_pipe_in_the_middle_of_its_work(tmp_path: Path) -> None:
    worker = started(WORKS_ON, tmp_path)
    assert worker.stdin is not None
    assert worker.stdout is not None
    assert worker.stdout.readline() == "started\n"
    worker.stdin.write("a question that nobody reads")
    worker.stdin.flush()
    assert worker.poll() is None
    worker.stdin.close()
    assert worker.wait(timeout=10) == 1
