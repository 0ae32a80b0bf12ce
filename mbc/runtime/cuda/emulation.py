"""CUDA programs on the CPU: checks what kernels compute, never how fast.

The program is compiled as C++ behind a header that says what CUDA's own words mean;
`emulate.h` describes how. Accesses out of bounds, undefined behaviour and barriers that
not all threads reach end the run.
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Sequence
from functools import cache
from itertools import count
from pathlib import Path

from mbc.codegen.program import Buffer, Launch, Program
from mbc.runtime.build_cache import build_key, cached_build
from mbc.runtime.compiler_log import first_error, own_words
from mbc.runtime.cuda.nvcc import compile_check
from mbc.runtime.isolation import IsolationLevel, isolation_level, run_isolated
from mbc.runtime.outcome import (
    Availability,
    Available,
    Completed,
    EmitOnly,
    Failed,
    Measurement,
    NotMeasured,
    RunOutcome,
)
from mbc.runtime.process import (
    Exited,
    Killed,
    Limits,
    TimedOut,
    build_limits,
    run_command,
)
from mbc.runtime.runner import Arrays
from mbc.runtime.rvv.dispatch import separate_buffers, storage_of
from mbc.runtime.rvv.job import Damage, make_job
from mbc.runtime.sanitizer import Clean, Sanitized, Unchecked
from mbc.runtime.scratch import scratch_folder
from mbc.runtime.toolchain import Found, Missing, Tool
from mbc.runtime.trial import Trial

# AddressSanitizer reserves terabytes of addresses, so only time limits a run.
ADDRESSES = 1 << 47
BUILD_LIMITS = Limits(wall_seconds=180, cpu_seconds=120)
CALLS = count()
"""Every run poisons what it does not give in another way."""
HEADERS = ("emulate.h", "emulate_matrix.h", "harness.h")
RUN_LIMITS = Limits(wall_seconds=120, cpu_seconds=120, memory_bytes=ADDRESSES)
FLAGS = (
    "-x c++ -std=c++17 -O1 -w -fwrapv -ffp-contract=off -fno-exceptions -fno-rtti "
    "-fno-sanitize-recover=all"
).split()
SANITIZERS = ("-fsanitize=address,undefined", "-fno-sanitize=vptr,shift")
EXECUTABLE, OBJECT = "program", "program.o"
TEXTS = ("program.cu", "emulated.cpp", "dispatch.cu")
EMPTY = """extern "C" const char *__asan_default_options() { return "detect_leaks=0"; }
int main() { return 0; }
"""
SENTENCES = {
    "ERROR: AddressSanitizer": "a kernel reads or writes outside its buffers",
    "runtime error: ": "a kernel does what C++ leaves undefined",
}
"""What stands in a log, and what that means."""
NO_RACES = "races show as results that differ, not as such"
OWN_WORDS = "emulation: "
UNDEFINED = re.compile(r"program\.cu:(\d+):\d+: runtime error: (.+)")


class EmulatedCudaRunner:
    """Runs programs on the CPU; `measure` never yields a number."""

    def availability(self) -> Availability:
        compiler = find_cxx()
        if isinstance(compiler, Missing):
            return EmitOnly(compiler.reason, compiler.install)
        return Available(f"emulated on the CPU with {compiler}: checks only")

    def emulates(self) -> bool:
        return True

    def device(self) -> str:
        return f"SIMT emulation on the CPU, {find_cxx()}"

    def isolation(self) -> IsolationLevel:
        return isolation_level()

    def run(self, program: Program, inputs: Arrays) -> RunOutcome:
        built = build_emulated(program)
        if isinstance(built, Failed):
            return built
        job = make_job(program, inputs, warm_calls=0, call=next(CALLS))
        result = _execute(built, job.image)
        if isinstance(result, Failed):
            return result
        outputs = job.outputs(result)
        if isinstance(outputs, Damage):
            return Failed("crash", outputs.message)
        return Completed(outputs)

    def compile_check(self, program: Program) -> RunOutcome:
        return compile_check(program)

    def measure(self, trials: Sequence[Trial], rounds: int) -> list[Measurement]:
        reason = "no NVIDIA GPU here: the emulation on the CPU has no clock"
        return [NotMeasured(reason) for _ in trials]

    def close(self) -> None:
        """Nothing outlives a call."""


@cache
def find_cxx() -> Tool:
    for name in ("g++", "clang++"):
        path = shutil.which(name)
        if path is None:
            continue
        match run_command((path, "-dumpfullversion", "-dumpversion")):
            case Exited(code=0, stdout=text):
                return Found(Path(path).resolve(), text.split()[0], name)
            case _:
                continue
    return Missing("no C++ compiler to emulate CUDA with", "apt-get install g++")


@cache
def _sanitizers(compiler: Found) -> tuple[str, ...]:
    """The flags, where the compiler has the libraries and they run here."""
    with scratch_folder() as folder:
        (folder / "empty.cpp").write_text(EMPTY)
        command = [str(compiler.path), *SANITIZERS, "empty.cpp", "-o", EXECUTABLE]
        built = run_isolated(command, folder, BUILD_LIMITS)
        if not isinstance(built, Exited) or built.code:
            return ()
        ran = run_isolated([f"./{EXECUTABLE}"], folder, RUN_LIMITS)
        return SANITIZERS if isinstance(ran, Exited) and not ran.code else ()


def built_in_checks() -> Sanitized:
    """What every run of the emulation looks for."""
    compiler = find_cxx()
    if isinstance(compiler, Missing):
        return Unchecked(f"{compiler.reason}; install: {compiler.install}")
    if not _sanitizers(compiler):
        return Unchecked(f"{compiler} has no sanitizers that run here")
    return Clean(
        f"emulation by {compiler}", ("bounds", "undefined", "barrier"), NO_RACES
    )


def emulation_source(program: Program) -> str:
    """One C++ file: what CUDA's words mean, the program, its launches, the harness."""
    own = separate_buffers(program)
    sizes = ", ".join(str(buffer.nbytes) for buffer in own) or "0"
    calls = "".join(f"  {_call(program, launch)}\n" for launch in program.launches)
    included = "\n".join(f'#include "{name}"' for name in HEADERS)
    return (
        f"{included}\n"
        f'#line 1 "program.cu"\n{program.source}\n'
        f'#line 1 "dispatch.cu"\nconst uint64_t buffer_bytes[] = {{{sizes}}};\n'
        f"static void mbc_run(char **buffers, char *arena) {{\n{calls}}}\n"
    )


def _call(program: Program, launch: Launch) -> str:
    args = [_pointer(program, program.by_name[name]) for name in launch.args]
    grid, block = (", ".join(map(str, size)) for size in (launch.grid, launch.block))
    if launch.steps > 1:
        args.append("step")
    call = f"{launch.function}({', '.join(args)});"
    text = f"mbc_launch({{{grid}}}, {{{block}}}, [&] {{ {call} }});"
    if launch.steps == 1:
        return text
    return f"for (int step = 0; step < {launch.steps}; ++step) {text}"


def _pointer(program: Program, buffer: Buffer) -> str:
    root, start = storage_of(program, buffer)
    if root.role == "scratch":
        return f"Pointer{{arena + {root.offset + start}}}"
    index = separate_buffers(program).index(root)
    return f"Pointer{{buffers[{index}] + {start}}}"


def build_emulated(program: Program) -> Path | Failed:
    """The executable that runs `program` on the CPU; `OBJECT` lies beside it."""
    compiler = find_cxx()
    if isinstance(compiler, Missing):
        return Failed("blocked", f"{compiler.reason}; install: {compiler.install}")
    here = Path(__file__).parent
    texts = {name: (here / name).read_text() for name in HEADERS}
    # The types of these headers are in emulate.h.
    texts |= {"cuda_fp16.h": "", "cuda_bf16.h": ""}
    texts["emulated.cpp"] = emulation_source(program)
    flags = [*FLAGS, *_sanitizers(compiler), "-I."]
    start = [str(compiler.path), *flags]
    compiling = [*start, "-c", "emulated.cpp", "-o", OBJECT]
    # The language of the flags is that of texts.
    linking = [*start, "-x", "none", OBJECT, "-o", EXECUTABLE]
    key = build_key({**texts, "command": " ".join(compiling), "cxx": str(compiler)})
    limits = build_limits(BUILD_LIMITS, texts.values())

    def build(folder: Path) -> Failed | None:
        for name, text in texts.items():
            (folder / name).write_text(text)
        failure = _compiled(compiling, folder, compiler, limits)
        return failure or _compiled(linking, folder, compiler, limits)

    folder = cached_build(key, build)
    return folder if isinstance(folder, Failed) else folder / EXECUTABLE


def _compiled(
    command: Sequence[str], folder: Path, compiler: Found, limits: Limits
) -> Failed | None:
    match run_isolated(command, folder, limits, compiler.folders):
        case Exited(code=0):
            return None
        case TimedOut(seconds=seconds):
            return Failed("timeout", f"the compiler ran longer than {seconds:g} s")
        case Exited(stderr=log) | Killed(stderr=log):
            own = own_words(log, TEXTS, str(folder))
            return Failed("compile_fail", first_error(own), own)


def _execute(executable: Path, image: bytes) -> bytes | Failed:
    with scratch_folder() as folder:
        (folder / "job.bin").write_bytes(image)
        command = [str(executable), "job.bin", "result.bin"]
        seen = [executable.parent]
        match run_isolated(command, folder, RUN_LIMITS, seen, processes="none"):
            case Exited(code=0) if (folder / "result.bin").is_file():
                return (folder / "result.bin").read_bytes()
            case Exited(code=0):
                return Failed("crash", "the emulation ended without a result")
            case TimedOut(seconds=seconds):
                return Failed("timeout", f"the emulation ran longer than {seconds:g} s")
            case Exited(stderr=log):
                return Failed("crash", _explanation(log), log)
            case Killed(signal=number, stderr=log):
                return Failed("crash", f"ended by signal {number}", log)


def _explanation(log: str) -> str:
    undefined = UNDEFINED.search(log)
    if undefined:
        line, what = undefined.groups()
        return f"a kernel does what C++ leaves undefined: {what}, line {line}"
    for mark, sentence in SENTENCES.items():
        if mark in log:
            return sentence
    if OWN_WORDS in log:
        return log.split(OWN_WORDS, 1)[1].splitlines()[0]
    return "the emulation failed"
