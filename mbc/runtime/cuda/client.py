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
from mbc.runtime.outcome import Failed

MODULE = "mbc.runtime.cuda.worker"
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
            path = os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")])
            self.process = subprocess.Popen(
                [sys.executable, "-m", MODULE],
                bufsize=0,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=self.log,
                env={**os.environ, "PYTHONPATH": path.rstrip(os.pathsep)},
                start_new_session=True,
            )
        return self.process

    def _lost(self) -> Failed:
        self.close()
        self.log.seek(0)
        text = self.log.read()[-LOG_BYTES:].decode(errors="replace")
        return Failed("crash", f"the process on the GPU ended: {_reason(text)}", text)


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
