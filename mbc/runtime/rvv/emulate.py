"""One run of an executable on one job under qemu-riscv64, isolated and limited."""

from __future__ import annotations

import json
import math
import signal
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import cast

from mbc.runtime.outcome import Failed
from mbc.runtime.process import Ended, Exited, Killed, Limits, TimedOut
from mbc.runtime.rvv.build import Executable
from mbc.runtime.rvv.isolation import run_isolated
from mbc.runtime.rvv.job import Job
from mbc.runtime.toolchain import Found

BAD_JOB, NO_MEMORY, NO_RESULT = 71, 72, 73
"""Exit codes of the harness itself."""

EMULATOR_BYTES = 2 << 30
"""Address space that the emulator needs besides the program's own."""

PROGRAM_BYTES = 64 << 20
"""The program's code, stack and page rounding."""


@dataclass(frozen=True)
class Machine:
    """The modelled vector unit; `mlen` bits a cycle reach memory."""

    vlen: int
    dlen: int

    @property
    def mlen(self) -> int:
        return self.dlen // 2

    def __str__(self) -> str:
        return f"vlen{self.vlen} dlen{self.dlen} mlen{self.mlen}"


@dataclass(frozen=True)
class Emulator:
    qemu: Found
    run_seconds: float

    def run(self, executable: Executable, job: Job, vlen: int) -> bytes | Failed:
        """What the harness wrote."""
        with tempfile.TemporaryDirectory(prefix="mbc-") as name:
            folder = Path(name)
            ended = self._start([], executable, job, vlen, folder)
            return self._failure(ended) or (folder / "result.bin").read_bytes()

    def cost(
        self, executable: Executable, job: Job, machine: Machine, plugin: Path
    ) -> dict[str, float] | Failed:
        """The plugin's numbers for the job's last call."""
        with tempfile.TemporaryDirectory(prefix="mbc-") as name:
            folder = Path(name)
            options = [
                str(plugin),
                f"begin={executable.roi_begin:x}",
                f"end={executable.roi_end:x}",
                "out=cost.json",
                f"vlen={machine.vlen}",
                f"dlen={machine.dlen}",
                f"mlen={machine.mlen}",
            ]
            extra = ["-plugin", ",".join(options)]
            ended = self._start(extra, executable, job, machine.vlen, folder, plugin)
            failure = self._failure(ended)
            return failure or _numbers((folder / "cost.json").read_text())

    def _start(
        self,
        options: list[str],
        executable: Executable,
        job: Job,
        vlen: int,
        folder: Path,
        *readable: Path,
    ) -> Ended:
        (folder / "job.bin").write_bytes(job.image)
        command = [str(self.qemu.path), "-cpu", _cpu(vlen), *options]
        command += [str(executable.path), "job.bin", "result.bin"]
        return run_isolated(
            command, folder, self._limits(job), (executable.path, *readable)
        )

    def _limits(self, job: Job) -> Limits:
        own = 2 * len(job.image) + job.program.arena_bytes + PROGRAM_BYTES
        return Limits(
            wall_seconds=self.run_seconds,
            cpu_seconds=math.ceil(self.run_seconds),
            memory_bytes=EMULATOR_BYTES + own,
            file_bytes=own,
        )

    def _failure(self, ended: Ended) -> Failed | None:
        match ended:
            case Exited(code=0):
                return None
            case Exited(code=code, stderr=log) if code in (BAD_JOB, NO_RESULT):
                return Failed(
                    "blocked", "the harness cannot read or write its job", log
                )
            case Exited(code=code, stderr=log) if code == NO_MEMORY:
                return Failed("blocked", "the program's buffers do not fit memory", log)
            case Exited(code=code, stderr=log):
                return Failed("crash", f"the program exited with code {code}", log)
            case TimedOut(seconds=seconds):
                return Failed("timeout", f"the program ran longer than {seconds:g} s")
            case Killed(signal=number, stderr=log):
                return Failed("crash", f"the program died of {_signal(number)}", log)


def _cpu(vlen: int) -> str:
    # Agnostic lanes full of ones: the default hides reads of undefined lanes.
    return (
        f"rv64,v=true,vext_spec=v1.0,vlen={vlen},Zfh=true,"
        "rvv_ta_all_1s=true,rvv_ma_all_1s=true"
    )


def _signal(number: int) -> str:
    known = {s.value for s in signal.Signals}
    return signal.Signals(number).name if number in known else f"signal {number}"


def _numbers(report: str) -> dict[str, float]:
    parsed = cast(dict[str, object], json.loads(report))
    return {k: float(v) for k, v in parsed.items() if isinstance(v, int | float)}
