"""Which programs are here, in which version, and what installs those that are not.

Each probe runs once per process. Only the search path is consulted.
"""

from __future__ import annotations

import re
import shutil
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
from pathlib import Path

from mbc.runtime.process import Exited, Limits, run_command

OLDEST_CLANG = 19
NEWEST_CLANG = 29
PROBE_LIMITS = Limits(wall_seconds=20, cpu_seconds=10)


@dataclass(frozen=True)
class Found:
    path: Path
    """Without symbolic links: where it is installed."""
    version: str
    kind: str
    """What sort of program it is: "clang", "zig", "gcc", "plugins", "plain" ..."""

    @property
    def major(self) -> int:
        return int(self.version.split(".")[0])

    @property
    def folders(self) -> tuple[Path, ...]:
        """What it needs to see of a file system that has only the system's folders."""
        if self.path.is_relative_to("/usr"):
            return ()
        in_bin = self.path.parent.name == "bin"
        return (self.path.parent.parent if in_bin else self.path.parent,)

    def __str__(self) -> str:
        return f"{self.kind} {self.version}"


@dataclass(frozen=True)
class Missing:
    reason: str
    install: str

    def __str__(self) -> str:
        return self.reason


Tool = Found | Missing

INSTALL_RVV = "apt-get install qemu-user clang-19 lld-19"
INSTALL_ZIG = "pip install ziglang"


@cache
def find_rvv_compiler() -> Tool:
    """clang with its own lld, the tested version first; else zig's clang."""
    for name in (*(f"clang-{n}" for n in range(OLDEST_CLANG, NEWEST_CLANG)), "clang"):
        found = _probe(name, "clang", r"clang version (\d+\.\d+\.\d+)")
        if found is None or found.major < OLDEST_CLANG:
            continue
        if _has_riscv(found) and lld_flag(found.major) is not None:
            return found
    zig = _find_zig()
    if zig is not None:
        return zig
    return Missing(
        f"no clang {OLDEST_CLANG} or newer with its lld, and no ziglang package",
        f"{INSTALL_RVV}, or {INSTALL_ZIG}",
    )


@cache
def lld_flag(clang_major: int) -> str | None:
    """How clang names the lld of its own version, or None where there is none."""
    if shutil.which(f"ld.lld-{clang_major}"):
        return f"-fuse-ld=lld-{clang_major}"
    plain = _probe("ld.lld", "lld", r"LLD (\d+\.\d+\.\d+)")
    return "-fuse-ld=lld" if plain is not None and plain.major == clang_major else None


@cache
def find_qemu_riscv64() -> Tool:
    """Kind "plugins" for the one build that can run the cost plugin, else "plain"."""
    missing = Missing("no qemu-riscv64", "apt-get install qemu-user")
    for name in ("qemu-riscv64", "qemu-riscv64-static"):
        found = _probe(name, "plain", r"version (\d+\.\d+\.\d+)")
        if found is None:
            continue
        takes_plugins = "-plugin" in _output(str(found.path), "--help")
        # The plugin reads registers through what this release happens to export.
        if takes_plugins and found.version.startswith("7.2."):
            return Found(found.path, found.version, "plugins")
        return found
    return missing


@cache
def find_host_compiler() -> Tool:
    for name, pattern in (
        ("gcc", r"(\d+\.\d+\.\d+)\s*$"),
        ("clang", r"version (\d+\.\d+\.\d+)"),
        *((f"clang-{n}", r"version (\d+\.\d+\.\d+)") for n in range(19, NEWEST_CLANG)),
    ):
        found = _probe(name, name.split("-")[0], pattern)
        if found is not None:
            return found
    return Missing("no host C compiler", "apt-get install gcc")


@cache
def find_nvcc() -> Tool:
    found = _probe("nvcc", "nvcc", r"release \S+, V(\d+\.\d+\.\d+)")
    return found or Missing("no nvcc", "install the CUDA toolkit")


@cache
def find_bwrap() -> Tool:
    """bubblewrap, if this system lets it make namespaces."""
    missing = Missing("no bubblewrap", "apt-get install bubblewrap")
    found = _probe("bwrap", "bwrap", r"(\d+\.\d+\.\d+)")
    if found is None:
        return missing
    trial = [str(found.path), "--unshare-all", "--ro-bind", "/", "/", "true"]
    match run_command(trial, PROBE_LIMITS):
        case Exited(code=0):
            return found
        case _:
            return Missing("bubblewrap cannot make namespaces here", "")


OCLGRIND_LIBRARY = "liboclgrind-rt-icd.so"


@cache
def find_oclgrind() -> Tool:
    """The simulator's library, which OpenCL's loader takes for a runtime."""
    missing = Missing("Oclgrind is not installed", "apt-get install oclgrind")
    found = _probe("oclgrind", "oclgrind", r"Oclgrind (\d+\.\d+)")
    if found is None:
        return missing
    root = found.path.parent.parent
    for folder in ("lib/oclgrind", "lib", "lib64", "lib/*/oclgrind", "lib/*"):
        for library in sorted(root.glob(f"{folder}/{OCLGRIND_LIBRARY}")):
            return Found(library, found.version, found.kind)
    return missing


@cache
def find_compute_sanitizer() -> Tool:
    found = _probe("compute-sanitizer", "compute-sanitizer", r"(\d+\.\d+\.\d+)")
    return found or Missing(
        "compute-sanitizer is not installed", "install the CUDA toolkit"
    )


def _find_zig() -> Found | None:
    spec = find_spec("ziglang")
    if spec is None or spec.origin is None:
        return None
    # The program that `python -m ziglang` runs, without a Python in between.
    zig = Path(spec.origin).parent / "zig"
    version = _output(str(zig), "version").strip()
    return Found(zig, version, "zig") if re.match(r"\d+\.\d+", version) else None


def _has_riscv(clang: Found) -> bool:
    return "riscv64" in _output(str(clang.path), "--print-targets")


def _probe(name: str, kind: str, pattern: str) -> Found | None:
    path = shutil.which(name)
    if path is None:
        return None
    match = re.search(pattern, _output(path, "--version"), re.MULTILINE)
    return Found(Path(path).resolve(), match[1], kind) if match else None


def _output(*command: str) -> str:
    match run_command(command, PROBE_LIMITS):
        case Exited(code=0, stdout=text):
            return text
        case _:
            return ""
