"""The worker process as seen by the runner: ask it something, within a time limit.

A worker that crashes, hangs or talks nonsense is killed with its process group; the
next question starts a fresh one.
"""

from __future__ import annotations

import os
import select
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any

from mbc.runtime.isolation import View, gpu_devices, isolated, python_folders
from mbc.runtime.opencl.wire import BadMessage, Message, decode, encode
from mbc.runtime.process import MINIMAL_ENVIRONMENT
from mbc.runtime.scratch import cache_root
from mbc.runtime.seccomp import Processes

VENDORS = "OCL_ICD_VENDORS"
PASSED_ON = ("HOME", "LD_LIBRARY_PATH", VENDORS, "PYOPENCL_HOME")
SEEN = ("/etc/OpenCL", "/etc/pocl", "/opt/rocm", "/opt/intel")
"""Where runtimes and their lists are, besides the system's folders."""
PACKAGE_ROOT = Path(__file__).resolve().parents[3]
LOG_BYTES = 16 << 10
MOST_SAID = 1 << 20


@dataclass(frozen=True)
class Lost:
    """The worker is gone: it took too long, or it ended by itself."""

    timed_out: bool
    message: str
    log: str = ""


class _Gone(Exception):
    """The other end of a pipe is closed."""


class _Late(Exception):
    """The time limit has passed."""


@dataclass
class Channel:
    device: str
    """Substring of the device's description, or empty for the best one."""
    memory_bytes: int
    settings: Mapping[str, str] = field(default_factory=dict[str, str])
    """Of the worker's environment, besides what every worker gets."""
    processes: Processes = "programs"
    """Runtimes start a linker."""
    process: subprocess.Popen[bytes] | None = None
    errors: IO[bytes] = field(default_factory=tempfile.TemporaryFile)

    def ask(
        self, body: dict[str, Any], blobs: Sequence[bytes], seconds: float
    ) -> Message | Lost:
        process = self._started()
        deadline = time.monotonic() + seconds
        try:
            _write(process, encode(body, blobs), deadline)
            return decode(lambda size: _read(process, size, deadline))
        except _Late:
            self.close()
            return Lost(True, f"no answer within {seconds:g} seconds")
        except (_Gone, BadMessage) as problem:
            self.close()
            return Lost(False, self._obituary(process, problem), self._log())

    def close(self) -> None:
        process, self.process = self.process, None
        if process is None:
            return
        try:
            os.killpg(process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        for pipe in (process.stdin, process.stdout):
            assert pipe is not None
            pipe.close()
        process.wait()

    def is_running(self) -> bool:
        return self.process is not None

    def log_size(self) -> int:
        """How much the worker has said besides its answers, in bytes."""
        # A fresh worker starts a fresh log.
        return os.fstat(self.errors.fileno()).st_size if self.process else 0

    def log_since(self, start: int) -> str:
        # The worker writes where this file's position is, so it must not move.
        said = os.pread(self.errors.fileno(), MOST_SAID, start)
        return said.decode("utf-8", "replace")

    def _started(self) -> subprocess.Popen[bytes]:
        if self.process is None:
            self.errors.seek(0)
            self.errors.truncate()
            environment = {**_environment(), **self.settings}
            command = [sys.executable, "-m", "mbc.runtime.opencl.worker"]
            command += [str(self.memory_bytes), self.device]
            view = _view(environment, self.processes)
            with isolated(command, view, environment) as (line, handles):
                self.process = subprocess.Popen(
                    line,
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    stderr=self.errors,
                    env=environment,
                    bufsize=0,
                    pass_fds=handles,
                    start_new_session=True,
                )
            for pipe in (self.process.stdin, self.process.stdout):
                assert pipe is not None
                os.set_blocking(pipe.fileno(), False)
        return self.process

    def _obituary(self, process: subprocess.Popen[bytes], problem: Exception) -> str:
        if isinstance(problem, BadMessage):
            return "the worker broke its protocol"
        code = process.returncode
        if code == -signal.SIGKILL:
            return "the worker closed its pipe"
        if code < 0:
            return f"the worker was ended by {signal.Signals(-code).name}"
        return f"the worker ended with exit code {code}"

    def _log(self) -> str:
        size = self.errors.seek(0, os.SEEK_END)
        self.errors.seek(max(0, size - LOG_BYTES))
        return self.errors.read().decode("utf-8", "replace")


def _environment() -> dict[str, str]:
    kernels = cache_root() / "pocl"
    kernels.mkdir(parents=True, exist_ok=True)
    passed = {name: os.environ[name] for name in PASSED_ON if name in os.environ}
    return {
        **MINIMAL_ENVIRONMENT,
        **passed,
        "PYTHONPATH": str(PACKAGE_ROOT),
        "POCL_CACHE_DIR": str(kernels),
        "PYOPENCL_NO_CACHE": "1",
    }


def _view(environment: Mapping[str, str], processes: Processes) -> View:
    """Python, the installed runtimes, the device files of GPUs, the kernel cache."""
    named = (environment.get(name, "") for name in ("LD_LIBRARY_PATH", VENDORS))
    listed = [Path(part) for value in named for part in value.split(os.pathsep) if part]
    readable = [PACKAGE_ROOT, *python_folders(), *map(Path, SEEN), *listed]
    devices = gpu_devices()
    readable += [Path("/sys")] if devices else [Path("/sys/devices/system")]
    return View(
        tuple(path for path in dict.fromkeys(readable) if path.exists()),
        (Path(environment["POCL_CACHE_DIR"]),),
        devices,
        processes,
        outlives_call=True,
    )


def _write(process: subprocess.Popen[bytes], data: bytes, deadline: float) -> None:
    assert process.stdin is not None
    handle, rest = process.stdin.fileno(), memoryview(data)
    while rest:
        remaining = deadline - time.monotonic()
        if remaining <= 0 or not select.select([], [handle], [], remaining)[1]:
            raise _Late
        try:
            rest = rest[os.write(handle, rest[: 1 << 20]) :]
        except BrokenPipeError as error:
            _settle(process)
            raise _Gone from error


def _read(process: subprocess.Popen[bytes], size: int, deadline: float) -> bytes:
    assert process.stdout is not None
    handle, parts, missing = process.stdout.fileno(), list[bytes](), size
    while missing:
        remaining = deadline - time.monotonic()
        if remaining <= 0 or not select.select([handle], [], [], remaining)[0]:
            raise _Late
        part = os.read(handle, min(missing, 1 << 20))
        if not part:
            _settle(process)
            raise _Gone
        parts.append(part)
        missing -= len(part)
    return b"".join(parts)


def _settle(process: subprocess.Popen[bytes]) -> None:
    """A closed pipe comes a moment before the exit code that explains it."""
    try:
        process.wait(timeout=2)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
