"""The runner's end of the worker: started on demand, replaced when it is lost."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import IO

from mbc.runtime.cuda.wire import Ended, Message, Silent, receive_within, send
from mbc.runtime.isolation import View, gpu_devices, isolated, python_folders
from mbc.runtime.outcome import Failed
from mbc.runtime.process import MINIMAL_ENVIRONMENT

MODULE = "mbc.runtime.cuda.worker"
PASSED_ON = ("CUDA_", "NVIDIA_", "LD_LIBRARY_PATH")
SEEN = ("/sys", "/opt/cuda", "/etc/nvidia")
LOG_BYTES = 16 << 10
ROOT = Path(__file__).resolve().parents[3]


class WorkerClient:
    """One worker at a time. Its death or silence is one `Failed`, and it is gone."""

    def __init__(self) -> None:
        self.process: subprocess.Popen[bytes] | None = None
        self.log: IO[bytes] = tempfile.TemporaryFile()

    def ask(
        self, header: Mapping[str, object], blobs: Sequence[bytes], seconds: float
    ) -> Message | Failed:
        process = self._running()
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            send(process.stdin, header, blobs)
            reply = receive_within(process.stdout, seconds)
        except (Ended, BrokenPipeError):
            return self._lost()
        except Silent:
            self.close()
            return Failed("timeout", f"no result from the GPU within {seconds:g} s")
        if "failed" not in reply.header:
            return reply
        kind = reply.header["failed"]
        return Failed(kind, str(reply.header["message"]), str(reply.header["log"]))

    def close(self) -> None:
        process, self.process = self.process, None
        if process is None:
            return
        try:
            os.killpg(process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        process.wait()
        for stream in (process.stdin, process.stdout):
            if stream is not None:
                _close_quietly(stream)

    def _running(self) -> subprocess.Popen[bytes]:
        if self.process is None:
            self.log.seek(0)
            self.log.truncate()
            environment = _environment()
            command = [sys.executable, "-m", MODULE]
            with isolated(command, _view(environment), environment) as (line, handles):
                self.process = subprocess.Popen(
                    line,
                    bufsize=0,
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    stderr=self.log,
                    env=environment,
                    pass_fds=handles,
                    start_new_session=True,
                )
        return self.process

    def _lost(self) -> Failed:
        self.close()
        self.log.seek(0)
        text = self.log.read()[-LOG_BYTES:].decode(errors="replace")
        return Failed("crash", f"the process on the GPU ended: {_reason(text)}", text)


def _environment() -> dict[str, str]:
    path = os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")])
    passed = {k: v for k, v in os.environ.items() if k.startswith(PASSED_ON)}
    return {
        **MINIMAL_ENVIRONMENT,
        **passed,
        "HOME": "/tmp",
        "PYTHONPATH": path.rstrip(os.pathsep),
    }


def _view(environment: Mapping[str, str]) -> View:
    """Python, the toolkit, the driver and its device files; nothing to write to."""
    named = (environment.get(name, "") for name in ("LD_LIBRARY_PATH", "CUDA_HOME"))
    listed = [Path(part) for value in named for part in value.split(os.pathsep) if part]
    readable = [ROOT, *python_folders(), *listed, *map(Path, SEEN)]
    return View(
        tuple(path for path in dict.fromkeys(readable) if path.exists()),
        (),
        gpu_devices(),
        outlives_call=True,
    )


def _reason(text: str) -> str:
    """The last exception in what a process printed, or else its last line."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    raised = [line for line in lines if re.match(r"[\w.]*(Error|Exception):", line)]
    return (raised or lines or ["it left no message"])[-1]


def _close_quietly(stream: IO[bytes]) -> None:
    try:
        stream.close()
    except BrokenPipeError:
        pass
