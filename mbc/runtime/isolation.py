"""Compilers, emulators and workers away from the machine: bubblewrap where it works.

Inside there is no network, no home, no environment, a read-only system and the one or
two folders that a command writes to; a filter takes system calls away. Without
bubblewrap only resource limits protect, and `isolation_level` says so.
"""

from __future__ import annotations

import os
import sys
import tempfile
import threading
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from mbc.errors import ToolMissing
from mbc.runtime.process import (
    MINIMAL_ENVIRONMENT,
    Ended,
    Limits,
    cpu_time_as_timeout,
    killed_by_shell_convention,
    run_command,
)
from mbc.runtime.seccomp import Processes, filter_program, is_supported
from mbc.runtime.toolchain import Found, find_bwrap

IsolationLevel = Literal["namespaces", "limits"]

SYSTEM = ("/usr", "/lib", "/lib64", "/bin", "/sbin", "/etc/alternatives")
SYSTEM_FILES = ("/etc/ld.so.cache",)
PROCESSES, PROCESSES_PER_CORE = 64, 8
"""How many processes and threads a sandbox may hold."""
GPU_NODES = ("nvidia*", "dri", "dxg", "kfd")


@dataclass(frozen=True)
class View:
    """What a command sees of the machine besides the system's own folders."""

    readable: tuple[Path, ...] = ()
    writable: tuple[Path, ...] = ()
    devices: tuple[Path, ...] = ()
    processes: Processes = "any"
    outlives_call: bool = False
    """For workers that are kept, and ended through their process group."""


def isolation_level() -> IsolationLevel:
    return "namespaces" if isinstance(find_bwrap(), Found) else "limits"


def require_sandbox() -> None:
    """For `--require-sandbox`: `ToolMissing` where only limits would protect."""
    bwrap = find_bwrap()
    if not isinstance(bwrap, Found):
        remedy = f"; install: {bwrap.install}" if bwrap.install else ""
        raise ToolMissing(f"no sandbox: {bwrap.reason}{remedy}")


def gpu_devices(root: Path = Path("/dev")) -> tuple[Path, ...]:
    """The device files of GPUs that are here."""
    return tuple(sorted(p for pattern in GPU_NODES for p in root.glob(pattern)))


def run_isolated(
    command: Sequence[str],
    folder: Path,
    limits: Limits,
    readable: Sequence[Path] = (),
    env: Mapping[str, str] = MINIMAL_ENVIRONMENT,
    processes: Processes = "any",
) -> Ended:
    """Run in `folder`, the only place that `command` can write to."""
    view = View(tuple(readable), (folder,), (), processes)
    with isolated(command, view, env, folder) as (wrapped, handles):
        if wrapped == list(command):
            return run_command(command, limits, folder, env)
        ended = run_command(wrapped, limits, folder, pass_fds=handles)
        return cpu_time_as_timeout(killed_by_shell_convention(ended), limits)


@contextmanager
def isolated(
    command: Sequence[str],
    view: View,
    env: Mapping[str, str] = MINIMAL_ENVIRONMENT,
    folder: Path | None = None,
) -> Generator[tuple[list[str], tuple[int, ...]], None, None]:
    """The command in its sandbox, and handles that it must inherit when it starts.

    Without a sandbox it is `command` itself; the caller sets environment and folder.
    """
    bwrap = find_bwrap()
    if not isinstance(bwrap, Found):
        yield list(command), ()
        return
    options = [*_options(view), *_environment(env)]
    if folder is not None:
        options += ["--chdir", str(folder)]
    command = [*_process_limiter(), *command]
    if not is_supported():
        yield [str(bwrap.path), *options, "--", *command], ()
        return
    with tempfile.TemporaryFile() as program:
        program.write(filter_program(view.processes))
        program.seek(0)
        handle = program.fileno()
        options += ["--seccomp", str(handle)]
        yield [str(bwrap.path), *options, "--", *command], (handle,)


def _process_limiter() -> list[str]:
    # Inside, so that only what is inside counts; threads do too. The system exempts its
    # own root, for whom the filter of system calls is all there is.
    most = PROCESSES + PROCESSES_PER_CORE * (os.cpu_count() or 1)
    return ["/bin/sh", "-c", f'ulimit -p {most} 2>/dev/null; exec "$@"', "sh"]


def _options(view: View) -> list[str]:
    options = ["--unshare-all", "--clearenv", "--cap-drop", "ALL"]
    options += ["--proc", "/proc", "--dev", "/dev"]
    # The kernel takes the thread that starts a process for its parent.
    lasting = threading.current_thread() is threading.main_thread()
    if lasting or not view.outlives_call:
        options.append("--die-with-parent")
    if not view.outlives_call:
        options.append("--new-session")
    options += ["--tmpfs", "/tmp"]
    for path in map(Path, (*SYSTEM, *SYSTEM_FILES)):
        if path.is_symlink():
            options += ["--symlink", str(path.readlink()), str(path)]
        elif path.exists():
            options += ["--ro-bind", str(path), str(path)]
    for flag, paths in (
        ("--ro-bind", view.readable),
        ("--dev-bind", view.devices),
        ("--bind", view.writable),
    ):
        for path in paths:
            options += [flag, str(path), str(path)]
    return options


def _environment(env: Mapping[str, str]) -> list[str]:
    return [word for name, value in env.items() for word in ("--setenv", name, value)]


def python_folders() -> tuple[Path, ...]:
    """What this interpreter and its packages need to be seen."""
    searched = [Path(entry) for entry in sys.path if entry]
    roots = [Path(sys.prefix), Path(sys.base_prefix), *searched]
    outside = [r for r in roots if r.is_dir() and not r.is_relative_to("/usr")]
    resolved = [*outside, *(r.resolve() for r in outside)]
    return tuple(dict.fromkeys(r for r in resolved if r != Path(os.sep)))
