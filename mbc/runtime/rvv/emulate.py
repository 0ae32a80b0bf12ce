"""One run of an executable on one job under qemu-riscv64, isolated and limited."""

from __future__ import annotations

import json
import math
import re
import signal
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import cast

from mbc.runtime.isolation import run_isolated
from mbc.runtime.outcome import Failed
from mbc.runtime.process import Ended, Exited, Killed, Limits, TimedOut
from mbc.runtime.rvv.build import Executable
from mbc.runtime.rvv.job import Damage, Job
from mbc.runtime.scratch import scratch_folder
from mbc.runtime.toolchain import Found

HARNESS_TROUBLE = {
    71: "the harness cannot read its job",
    72: "the program's buffers do not fit memory",
    73: "the harness cannot write its result",
}
"""By the exit code of harness.c."""

RESULT = "result.bin"
TRACE_LINE = re.compile(r"Trace \d+: \S+ \[[0-9a-f]+/([0-9a-f]+)/")

EMULATOR_BYTES = 2 << 30
"""Address space that the emulator needs besides the program's own."""

TRACE = "trace.log"
TRACE_BYTES = 2 << 30
"""About 20 million instructions."""

PROGRAM_BYTES = 64 << 20
"""The program's code and stack."""

GUARD_BYTES = 4 * 4096
"""Pages without access around a buffer, and its rounding to pages."""


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

    def run(
        self, executable: Executable, job: Job, vlen: int
    ) -> bytes | Damage | Failed:
        """What the harness wrote, or which guard the program has hit."""
        with scratch_folder() as folder:
            failure = self._start([], executable, job, vlen, folder)
            if failure is not None:
                return job.hit(failure.log) or failure
            return (folder / RESULT).read_bytes()

    def cost(
        self, executable: Executable, job: Job, machine: Machine, plugin: Path
    ) -> tuple[dict[str, float], bytes] | Failed:
        """The plugin's numbers for the job's last call, and what the harness wrote."""
        with scratch_folder() as folder:
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
            vlen = machine.vlen
            failure = self._start(extra, executable, job, vlen, folder, plugin)
            if failure is not None:
                return failure
            numbers = _numbers((folder / "cost.json").read_text())
            return numbers, (folder / RESULT).read_bytes()

    def count(
        self, executable: Executable, job: Job, vlen: int
    ) -> tuple[int, bytes] | Failed:
        """Instructions of the job's last call, from a trace of single steps."""
        step = "-singlestep" if self.qemu.major < 8 else "-one-insn-per-tb"
        extra = [step, "-d", "exec,nochain", "-D", TRACE]
        with scratch_folder() as folder:
            failure = self._start(extra, executable, job, vlen, folder)
            if failure is not None:
                return failure
            with (folder / TRACE).open(encoding="ascii", errors="replace") as trace:
                begin, end = executable.roi_begin, executable.roi_end
                return _steps_between(trace, begin, end), (folder / RESULT).read_bytes()

    def _start(
        self,
        options: list[str],
        executable: Executable,
        job: Job,
        vlen: int,
        folder: Path,
        *readable: Path,
    ) -> Failed | None:
        (folder / "job.bin").write_bytes(job.image)
        command = [str(self.qemu.path), "-cpu", _cpu(vlen), *options]
        command += [str(executable.path), "job.bin", RESULT]
        visible = (*self.qemu.folders, executable.path, *readable)
        ended = run_isolated(
            command, folder, self._limits(job), visible, processes="none"
        )
        failure = _failure(ended)
        if failure is None and not (folder / RESULT).is_file():
            # A kernel that exits by itself must not pass for one that is finished.
            return Failed("crash", "the program ended without a result")
        return failure

    def _limits(self, job: Job) -> Limits:
        own = 3 * len(job.image) + job.program.arena_bytes + PROGRAM_BYTES
        own += GUARD_BYTES * (len(job.offsets) + 1)
        return Limits(
            wall_seconds=self.run_seconds,
            cpu_seconds=math.ceil(self.run_seconds),
            memory_bytes=EMULATOR_BYTES + own,
            file_bytes=max(own, TRACE_BYTES),
        )


def _steps_between(trace: Iterable[str], begin: int, end: int) -> int:
    """Lines after the one at `begin` and before the one at `end`."""
    count, inside = 0, False
    for line in trace:
        found = TRACE_LINE.match(line)
        if found is None:
            continue
        address = int(found[1], 16)
        if address == end:
            return count
        count += inside
        inside = inside or address == begin
    return count


def _failure(ended: Ended) -> Failed | None:
    match ended:
        case Exited(code=0):
            return None
        case Exited(code=code, stderr=log):
            return _bad_exit(code, log)
        case TimedOut(seconds=seconds):
            return Failed("timeout", f"the program ran longer than {seconds:g} s")
        case Killed(signal=number, stderr=log):
            return Failed("crash", f"the program died of {_signal(number)}", log)


def _bad_exit(code: int, log: str) -> Failed:
    if code in HARNESS_TROUBLE:
        return Failed("blocked", HARNESS_TROUBLE[code], log)
    if code == 1 and log.startswith("bwrap: "):
        return Failed("blocked", "the isolated process cannot start", log)
    return Failed("crash", f"the program exited with code {code}", log)


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
