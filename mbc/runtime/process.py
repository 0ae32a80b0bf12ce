"""One command in its own process group, with limits, and nothing left behind.

Limits are set by `sh` before it becomes the command, so that starting processes from
several threads is safe. Output goes to files, which cannot fill up a pipe, and only
its head is read back. A child that leaves the process group (`setsid`) escapes the
kill; where that matters, the command runs in a process namespace of its own.
"""

from __future__ import annotations

import os
import select
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import IO


@dataclass(frozen=True)
class Limits:
    """What one command may use; memory is address space."""

    wall_seconds: float = 30
    cpu_seconds: int = 30
    memory_bytes: int = 4 << 30
    file_bytes: int = 1 << 30
    open_files: int = 256
    output_bytes: int = 64 << 10
    """How much of each of stdout and stderr is kept."""


BYTES_PER_SECOND = 4000
"""Of source that a compiler is given time for: models have hundreds of kernels."""


MOST_SECONDS = 600
"""More than a kernel has; a candidate cannot be padded to keep a compiler busy."""


def build_limits(base: Limits, texts: Iterable[str]) -> Limits:
    """`base` is for one kernel; longer texts have longer."""
    more = min(MOST_SECONDS, sum(map(len, texts)) // BYTES_PER_SECOND)
    wall, cpu = base.wall_seconds + more, base.cpu_seconds + more
    return replace(base, wall_seconds=wall, cpu_seconds=cpu)


@dataclass(frozen=True)
class Exited:
    code: int
    stdout: str
    stderr: str


@dataclass(frozen=True)
class TimedOut:
    seconds: float
    """The limit that was exceeded, of wall or of processor time."""


@dataclass(frozen=True)
class Killed:
    signal: int
    stderr: str


Ended = Exited | TimedOut | Killed

DEFAULT_LIMITS = Limits()
MINIMAL_ENVIRONMENT = {"PATH": "/usr/local/bin:/usr/bin:/bin", "LC_ALL": "C"}


def run_command(
    command: Sequence[str],
    limits: Limits = DEFAULT_LIMITS,
    cwd: Path | None = None,
    env: Mapping[str, str] = MINIMAL_ENVIRONMENT,
    pass_fds: Sequence[int] = (),
) -> Ended:
    """Run `command` to its end or to a limit; its whole group is killed on return."""
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        process = subprocess.Popen(
            [*_limiter(limits), *command],
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=err,
            cwd=cwd,
            env=dict(env),
            pass_fds=pass_fds,
            start_new_session=True,
        )
        try:
            in_time = _wait(process, limits.wall_seconds)
        finally:
            _kill_group(process)
        if not in_time:
            return TimedOut(limits.wall_seconds)
        return _ended(process.returncode, out, err, limits)


def killed_by_shell_convention(ended: Ended) -> Ended:
    """For a command behind a wrapper: exit code 128 + n means killed by signal n."""
    if not isinstance(ended, Exited) or not 128 < ended.code < 128 + signal.NSIG:
        return ended
    return Killed(ended.code - 128, ended.stderr)


def cpu_time_as_timeout(ended: Ended, limits: Limits) -> Ended:
    """A command that the processor time limit stopped has timed out."""
    if isinstance(ended, Killed) and ended.signal == signal.SIGXCPU:
        return TimedOut(limits.cpu_seconds)
    return ended


def _limiter(limits: Limits) -> list[str]:
    # dash counts -f in blocks of 512 bytes and -v in KiB. The hard processor limit
    # lies above the soft one, so that the signal says which limit it was. A limit that
    # cannot be set is one that the system already holds lower.
    script = (
        f"{{ ulimit -c 0; ulimit -f {limits.file_bytes // 512}; "
        f"ulimit -n {limits.open_files}; ulimit -v {limits.memory_bytes // 1024}; "
        f"ulimit -St {limits.cpu_seconds}; ulimit -Ht {limits.cpu_seconds + 2}; "
        f'}} 2>/dev/null; exec {_end_with_parent()}"$@"'
    )
    return ["/bin/sh", "-c", script, "sh"]


@cache
def _end_with_parent() -> str:
    """Commands are waited for by the thread that starts them, so that its end is
    that of their use; where there is no `setpriv`, only a sandbox ends them."""
    return "setpriv --pdeathsig KILL " if shutil.which("setpriv") else ""


def _wait(process: subprocess.Popen[bytes], seconds: float) -> bool:
    """Whether it ended in time. It stays unreaped, so that its group id stays ours."""
    handle = os.pidfd_open(process.pid)
    try:
        poll = select.poll()
        poll.register(handle, select.POLLIN)
        return bool(poll.poll(seconds * 1000))
    finally:
        os.close(handle)


def _kill_group(process: subprocess.Popen[bytes]) -> None:
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass
    process.wait()


def _ended(code: int, out: IO[bytes], err: IO[bytes], limits: Limits) -> Ended:
    stderr = _head(err, limits.output_bytes)
    if code < 0:
        return cpu_time_as_timeout(Killed(-code, stderr), limits)
    return Exited(code, _head(out, limits.output_bytes), stderr)


def _head(file: IO[bytes], size: int) -> str:
    file.seek(0)
    return file.read(size).decode("utf-8", "replace")
