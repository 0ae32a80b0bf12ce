"""Compiling CUDA programs without running them, with nvcc or with NVRTC."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from mbc.codegen.program import Program
from mbc.runtime.build_cache import build_key, cached_build
from mbc.runtime.compiler_log import first_error
from mbc.runtime.cuda.nvrtc import INSTALL
from mbc.runtime.isolation import run_isolated
from mbc.runtime.outcome import Completed, Failed, RunOutcome
from mbc.runtime.process import (
    MINIMAL_ENVIRONMENT,
    Exited,
    Killed,
    Limits,
    TimedOut,
    build_limits,
)
from mbc.runtime.toolchain import Found, Missing, find_nvcc

LIMITS = Limits(wall_seconds=300, cpu_seconds=240, memory_bytes=16 << 30)
SOURCE, CUBIN = "program.cu", "program.cubin"
DEFAULT_ARCH = "sm_90"


def arch_of(program: Program) -> str:
    return dict(program.options).get("arch", DEFAULT_ARCH)


def compile_check(program: Program) -> RunOutcome:
    """`Completed({})`, or `Failed` with the compiler's words."""
    nvcc = find_nvcc()
    if isinstance(nvcc, Missing):
        return Failed("blocked", f"no nvcc and no NVRTC; install: {INSTALL}")
    flags = ["-std=c++17", f"-arch={arch_of(program)}", "-cubin"]
    command = [str(nvcc.path), *flags, SOURCE, "-o", CUBIN]
    key = build_key(
        {SOURCE: program.source, "flags": " ".join(flags), "nvcc": str(nvcc)}
    )

    def build(folder: Path) -> Failed | None:
        (folder / SOURCE).write_text(program.source)
        limits = build_limits(LIMITS, [program.source])
        return _run_compiler(command, folder, nvcc, limits)

    built = cached_build(key, build)
    return built if isinstance(built, Failed) else Completed({})


def _run_compiler(
    command: Sequence[str], folder: Path, nvcc: Found, limits: Limits
) -> Failed | None:
    # nvcc keeps intermediate files in TMPDIR.
    env = {**MINIMAL_ENVIRONMENT, "TMPDIR": str(folder)}
    match run_isolated(command, folder, limits, nvcc.folders, env):
        case Exited(code=0):
            return None
        case TimedOut(seconds=seconds):
            return Failed("timeout", f"the compiler ran longer than {seconds:g} s")
        case Exited(stderr=log) | Killed(stderr=log):
            return Failed("compile_fail", first_error(log), log)
