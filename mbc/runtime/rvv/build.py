"""Programs to static RISC-V executables, and the cost plugin to a shared library.

A program's source, its dispatch and the harness become one freestanding executable
that runs at every VLEN. Both builds are cached and run isolated.
"""

from __future__ import annotations

import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from mbc.codegen.program import Program
from mbc.runtime.build_cache import build_key, cached_build
from mbc.runtime.compiler_log import first_error, own_words
from mbc.runtime.isolation import run_isolated
from mbc.runtime.outcome import Failed
from mbc.runtime.process import (
    MINIMAL_ENVIRONMENT,
    Exited,
    Killed,
    Limits,
    TimedOut,
    build_limits,
)
from mbc.runtime.resources import resource_dir
from mbc.runtime.rvv.dispatch import dispatch_source
from mbc.runtime.rvv.elf import has_static_rounding, symbol_addresses
from mbc.runtime.toolchain import (
    Found,
    Missing,
    find_host_compiler,
    find_rvv_compiler,
    lld_flag,
)

BUILD_LIMITS = Limits(wall_seconds=180, cpu_seconds=120, file_bytes=256 << 20)
COMMON_FLAGS = (
    "-mcmodel=medany -nostdlib -ffreestanding -static -O3 -fno-math-errno "
    "-ffp-contract=off"
).split()
CLANG_FLAGS = (
    "--target=riscv64-unknown-elf -march=rv64gcv_zvfh_zfh_zba_zbb -mabi=lp64d"
).split()
ZIG_FLAGS = (
    "cc -target riscv64-freestanding-none "
    "-mcpu=generic_rv64+m+a+f+d+c+v+zvfh+zfh+zba+zbb -fno-sanitize=all"
).split()
SCALAR_FLAGS = ("-fno-vectorize", "-fno-slp-vectorize")
"""QEMU 7.2 aborts on vector conversions with a static rounding mode, which compilers
make of casts in loops that they vectorize; such a program is built without."""
PLUGIN_FLAGS = "-std=c11 -D_DEFAULT_SOURCE -O2 -shared -fPIC".split()
EXECUTABLE, OBJECT, HARNESS = "program", "program.o", "harness.o"
TEXTS = ("program.c", "harness.c")
PLUGIN = "librvvcost.so"
ZIG_CACHE = ".zig"


@dataclass(frozen=True)
class Executable:
    path: Path
    object: Path
    """The program's part of it, before it is linked with the harness."""
    roi_begin: int
    roi_end: int
    """Addresses of the functions around the measured call."""


def build_program(program: Program) -> Executable | Failed:
    """The executable of `program`; `Failed` with the compiler's words."""
    compiler = find_rvv_compiler()
    if isinstance(compiler, Missing):
        return Failed("blocked", f"{compiler.reason}; install: {compiler.install}")
    harness = _build_harness(compiler)
    if isinstance(harness, Failed):
        return Failed("blocked", f"the harness cannot be built: {harness.message}")
    # No blank line in between, so that the compiler's line numbers stay the source's.
    texts = {"program.c": program.source + dispatch_source(program)}
    built = _build_linked(texts, (), harness, compiler)
    if not isinstance(built, Failed) and has_static_rounding(_image(built)):
        built = _build_linked(texts, SCALAR_FLAGS, harness, compiler)
    if isinstance(built, Failed):
        return built
    path = built / EXECUTABLE
    symbols = symbol_addresses(path.read_bytes())
    begin, end = symbols["roi_begin"], symbols["roi_end"]
    return Executable(path, built / OBJECT, begin, end)


def _build_harness(compiler: Found) -> Path | Failed:
    """The harness as an object, built once for all programs."""
    text = Path(__file__).with_name("harness.c").read_text()
    command = [*_cross_compiler(compiler), "-c", "harness.c", "-o", HARNESS]
    built = _build({"harness.c": text}, [command], compiler)
    return built if isinstance(built, Failed) else built / HARNESS


def _build_linked(
    texts: Mapping[str, str], flags: Sequence[str], harness: Path, compiler: Found
) -> Path | Failed:
    cross = [*_cross_compiler(compiler), *flags]
    compilation = [*cross, "-c", "program.c", "-o", OBJECT]
    link = [*cross, *_linker(compiler), OBJECT, str(harness), "-o", EXECUTABLE]
    return _build(texts, [compilation, link], compiler, (harness,))


def _image(built: Path) -> bytes:
    return (built / EXECUTABLE).read_bytes()


def build_plugin() -> Path | Failed:
    """The cost plugin as a shared library for the emulator that is here."""
    compiler = find_host_compiler()
    if isinstance(compiler, Missing):
        return Failed("blocked", f"{compiler.reason}; install: {compiler.install}")
    files = sorted(resource_dir("rvvcost").glob("*.[ch]"))
    texts = {file.name: file.read_text() for file in files}
    sources = [name for name in texts if name.endswith(".c")]
    command = [str(compiler.path), *PLUGIN_FLAGS, *sources, "-o", PLUGIN]
    built = _build(texts, [command], compiler)
    return built if isinstance(built, Failed) else built / PLUGIN


def _cross_compiler(compiler: Found) -> list[str]:
    if compiler.kind == "zig":
        return [str(compiler.path), *ZIG_FLAGS, *COMMON_FLAGS]
    return [str(compiler.path), *CLANG_FLAGS, *COMMON_FLAGS]


def _linker(compiler: Found) -> list[str]:
    if compiler.kind == "zig":
        return []
    return [lld_flag(compiler.major) or "-fuse-ld=lld"]


def _build(
    texts: Mapping[str, str],
    commands: Sequence[Sequence[str]],
    compiler: Found,
    readable: Sequence[Path] = (),
) -> Path | Failed:
    lines = "\n".join(" ".join(command) for command in commands)
    key = build_key({**texts, "command": lines, "compiler": str(compiler)})
    visible = (*compiler.folders, *readable)
    limits = build_limits(BUILD_LIMITS, texts.values())

    def build(folder: Path) -> Failed | None:
        for name, text in texts.items():
            (folder / name).write_text(text)
        failures = (_compile(folder, c, visible, limits) for c in commands)
        failure = next((f for f in failures if f is not None), None)
        shutil.rmtree(folder / ZIG_CACHE, ignore_errors=True)
        return failure

    return cached_build(key, build)


def _compile(
    folder: Path, command: Sequence[str], visible: Sequence[Path], limits: Limits
) -> Failed | None:
    # A cache of zig's own would re-use objects whose `.incbin` data has changed.
    private = {f"ZIG_{which}_CACHE_DIR": ZIG_CACHE for which in ("GLOBAL", "LOCAL")}
    env = {**MINIMAL_ENVIRONMENT, **private}
    match run_isolated(command, folder, limits, visible, env):
        case Exited(code=0):
            return None
        case TimedOut(seconds=seconds):
            return Failed("timeout", f"the compiler ran longer than {seconds:g} s")
        case Exited(stderr=log):
            own = own_words(log, TEXTS, str(folder))
            return Failed("compile_fail", first_error(own), own)
        case Killed(signal=number, stderr=log):
            message = f"the compiler was ended by signal {number}"
            own = own_words(log, TEXTS, str(folder))
            return Failed("compile_fail", message, own)
