"""`kill -9` of `mbc tune`: no process and no folder outlives it for long."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from random import Random

import pytest

from mbc.agent.memory import KnowledgeBase
from mbc.runtime.outcome import Available
from mbc.runtime.runner import runner_for
from tests.agent.test_kills import check_counted, check_whole
from tests.ir.samples import module_of
from tests.runtime.gates.kernels import KERNELS

GRACE = 10
"""Seconds that helpers have to notice; most take a few milliseconds."""
KILLS = {"rvv": 3, "opencl": 1}
LONGEST = 2.5
"""Seconds that a command lives on after its first compiler or worker was seen."""


def environment(folder: Path) -> dict[str, str]:
    return os.environ | {
        "MBC_CACHE_DIR": str(folder / "cache"),
        "TMPDIR": str(folder / "tmp"),
        "MBC_KB": str(folder / "kb.db"),
    }


def start(folder: Path, target: str, measurements: int) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-m", "mbc.cli.main", "tune", "m.mlir"]
    command += ["--target", target, "--budget-measurements", str(measurements)]
    return subprocess.Popen(
        command,
        cwd=folder,
        env=environment(folder),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )


def helpers(folder: Path) -> list[str]:
    """Processes that were started for commands in `folder`, by what they are called."""
    found: list[str] = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            line = (process / "cmdline").read_bytes()
            variables = (process / "environ").read_bytes()
        except OSError:
            continue  # it ended, or it is not ours
        if (
            int(process.name) != os.getpid()
            and str(folder).encode() in line + variables
        ):
            found.append(line.replace(b"\0", b" ").decode(errors="replace"))
    return found


def await_helper(folder: Path, command: subprocess.Popen[bytes]) -> None:
    """Until there is a process besides the command's own."""
    while command.poll() is None and len(helpers(folder)) < 2:
        time.sleep(0.05)


def ended(folder: Path) -> Sequence[str]:
    """Helpers that are left after the grace period."""
    deadline = time.monotonic() + GRACE
    while (left := helpers(folder)) and time.monotonic() < deadline:
        time.sleep(0.05)
    return left


@pytest.mark.parametrize("target", KILLS)
def test_nothing_outlives_a_killed_command(tmp_path: Path, target: str) -> None:
    if not isinstance(runner_for(target).availability(), Available):
        pytest.skip(f"this machine cannot run {target} programs")
    (tmp_path / "tmp").mkdir()
    (tmp_path / "m.mlir").write_text(str(module_of(*KERNELS["contract"])))
    rng = Random(20)
    for _ in range(KILLS[target]):
        command = start(tmp_path, target, 200)
        await_helper(tmp_path, command)
        time.sleep(rng.uniform(0, LONGEST))
        command.kill()
        assert command.wait() == -signal.SIGKILL, "it ended by itself"
        assert ended(tmp_path) == []
        if (tmp_path / "kb.db").exists():
            check_whole(str(tmp_path / "kb.db"))
    assert start(tmp_path, target, 1).wait() == 0
    assert ended(tmp_path) == []
    assert list((tmp_path / "tmp").iterdir()) == []
    assert list((tmp_path / "cache" / "scratch").glob("*")) == []
    check_counted(str(tmp_path / "kb.db"))
    with KnowledgeBase(tmp_path / "kb.db") as knowledge:
        pipelines = [outcome.pipeline for outcome in knowledge.outcomes()]
    assert len(pipelines) == len(set(pipelines)), "something was measured twice"
