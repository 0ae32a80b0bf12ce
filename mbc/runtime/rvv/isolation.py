"""Compilers and emulators away from the machine: bubblewrap where it works.

Inside there is no network, no home, no environment, a read-only system and one
writable folder. Without bubblewrap only resource limits protect, and
`isolation_level` says so.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Literal

from mbc.runtime.process import (
    MINIMAL_ENVIRONMENT,
    Ended,
    Limits,
    cpu_time_as_timeout,
    killed_by_shell_convention,
    run_command,
)
from mbc.runtime.toolchain import Found, find_bwrap

IsolationLevel = Literal["namespaces", "limits"]

SYSTEM = ("/usr", "/lib", "/lib64", "/bin", "/sbin", "/etc/alternatives")
SYSTEM_FILES = ("/etc/ld.so.cache",)


def isolation_level() -> IsolationLevel:
    return "namespaces" if isinstance(find_bwrap(), Found) else "limits"


def run_isolated(
    command: Sequence[str],
    folder: Path,
    limits: Limits,
    readable: Sequence[Path] = (),
    env: Mapping[str, str] = MINIMAL_ENVIRONMENT,
) -> Ended:
    """Run in `folder`, the only place that `command` can write to."""
    match find_bwrap():
        case Found(path=bwrap):
            wrapper = _wrapper(bwrap, folder, readable, env)
            ended = run_command([*wrapper, *command], limits, folder)
            return cpu_time_as_timeout(killed_by_shell_convention(ended), limits)
        case _:
            return run_command(command, limits, folder, env)


def _wrapper(
    bwrap: Path, folder: Path, readable: Sequence[Path], env: Mapping[str, str]
) -> list[str]:
    options = ["--unshare-all", "--die-with-parent", "--new-session", "--clearenv"]
    options += ["--cap-drop", "ALL", "--proc", "/proc", "--dev", "/dev"]
    options += ["--tmpfs", "/tmp"]
    for path in map(Path, (*SYSTEM, *SYSTEM_FILES)):
        if path.is_symlink():
            options += ["--symlink", str(path.readlink()), str(path)]
        elif path.exists():
            options += ["--ro-bind", str(path), str(path)]
    for path in readable:
        options += ["--ro-bind", str(path), str(path)]
    options += ["--bind", str(folder), str(folder), "--chdir", str(folder)]
    for name, value in env.items():
        options += ["--setenv", name, value]
    return [str(bwrap), *options, "--"]
