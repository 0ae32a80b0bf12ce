"""One run of a program on the GPU under each tool of compute-sanitizer.

The program gets a host part of its own, in which every buffer is one allocation of
exactly its size, so that the tools know where each ends and what was never written.
Nothing is compared: values are for the worker's run.
"""

from __future__ import annotations

import re
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt

from mbc.codegen.program import Buffer, Launch, Program
from mbc.runtime.build_cache import build_key, cached_build
from mbc.runtime.compiler_log import first_error
from mbc.runtime.cuda.nvcc import LIMITS, arch_of
from mbc.runtime.isolation import View, gpu_devices, isolated, run_isolated
from mbc.runtime.process import (
    MINIMAL_ENVIRONMENT,
    Ended,
    Exited,
    Killed,
    Limits,
    TimedOut,
    run_command,
)
from mbc.runtime.rvv.dispatch import storage_of
from mbc.runtime.sanitizer import Clean, Finding, Sanitized, Unchecked
from mbc.runtime.toolchain import (
    Found,
    Missing,
    find_compute_sanitizer,
    find_nvcc,
)

TOOLS = {
    "memcheck": "bounds",
    "racecheck": "race",
    "initcheck": "uninitialized",
    "synccheck": "barrier",
}
"""And the class of fault that each looks for."""
FOUND = 9
"""The exit code that stands for a finding."""
RUN_LIMITS = Limits(
    wall_seconds=120, cpu_seconds=120, memory_bytes=1 << 47, output_bytes=256 << 10
)
SOURCE, HOST, EXECUTABLE, DATA = "program.cu", "host.cu", "program", "inputs.bin"
PATTERNS = (
    (r"Misaligned .*|.*misaligned address.*", "alignment"),
    (r"Invalid __\w+__ .*|Invalid .* of size \d+.*", "bounds"),
    (r"(?:Error|Warning|ERROR|WARN\w*): .*[Rr]ace reported .*", "race"),
    (r"Uninitialized .*", "uninitialized"),
    (r"Barrier error detected.*", "barrier"),
)
LINE = re.compile(r"program\.cu:(\d+)")
PREFIX = "========="
LOG_BYTES = 2000
READER = """#include <cstdio>
#include <cstdlib>

// Takes whatever type of pointer a kernel has.
struct Pointer {
  char *at;
  template <class T>
  operator T *() const { return (T *)at; }
};

static char *allocated(size_t bytes, FILE *data) {
  char *device = nullptr;
  if (cudaMalloc(&device, bytes ? bytes : 1) != cudaSuccess) exit(3);
  if (!data || !bytes) return device;
  char *host = (char *)malloc(bytes);
  if (!host || fread(host, 1, bytes, data) != bytes) exit(4);
  if (cudaMemcpy(device, host, bytes, cudaMemcpyHostToDevice) != cudaSuccess) exit(5);
  free(host);
  return device;
}
"""


def sanitized(
    program: Program, inputs: Mapping[str, npt.NDArray[np.generic]]
) -> Sanitized:
    """What the first tool that finds something says, or that none does."""
    tool, nvcc = find_compute_sanitizer(), find_nvcc()
    for needed in (tool, nvcc):
        if isinstance(needed, Missing):
            return Unchecked(f"{needed.reason}; install: {needed.install}")
    assert isinstance(tool, Found)
    assert isinstance(nvcc, Found)
    folder = _built(program, nvcc)
    if isinstance(folder, Unchecked):
        return folder
    arrays = (np.ascontiguousarray(inputs[b.name]) for b in program.inputs)
    data = b"".join(array.tobytes() for array in arrays)
    for name in TOOLS:
        outcome = _outcome(name, _watched(name, tool, folder / EXECUTABLE, data))
        if outcome is not None:
            return outcome
    return Clean(f"compute-sanitizer {tool.version}", tuple(TOOLS.values()))


def host_source(program: Program) -> str:
    """Allocations, launches in order and nothing else."""
    roots = _roots(program)
    given = {buffer.name for buffer in program.inputs}
    buffers = [
        f"  char *b{i} = allocated({root.nbytes}, "
        f"{'data' if root.name in given else 'nullptr'});\n"
        for i, root in enumerate(roots)
    ]
    launches = [f"  {_launch(program, roots, launch)}\n" for launch in program.launches]
    return (
        f'#include "{SOURCE}"\n{READER}\nint main(int, char **arguments) {{\n'
        '  FILE *data = fopen(arguments[1], "rb");\n  if (!data) return 2;\n'
        f"{''.join(buffers)}{''.join(launches)}"
        "  return cudaDeviceSynchronize() == cudaSuccess ? 0 : 6;\n}\n"
    )


def _roots(program: Program) -> list[Buffer]:
    """Buffers with storage of their own, inputs in the order of their bytes."""
    found = [storage_of(program, buffer)[0] for buffer in program.buffers]
    return list({root.name: root for root in (*program.inputs, *found)}.values())


def _launch(program: Program, roots: Sequence[Buffer], launch: Launch) -> str:
    places = {root.name: index for index, root in enumerate(roots)}
    arguments: list[str] = []
    for name in launch.args:
        root, start = storage_of(program, program.by_name[name])
        arguments.append(f"Pointer{{b{places[root.name]} + {start}}}")
    if launch.steps > 1:
        arguments.append("step")
    grid, block = (", ".join(map(str, size)) for size in (launch.grid, launch.block))
    call = (
        f"{launch.function}<<<dim3({grid}), dim3({block})>>>({', '.join(arguments)});"
    )
    if launch.steps == 1:
        return call
    return f"for (int step = 0; step < {launch.steps}; ++step) {call}"


def _built(program: Program, nvcc: Found) -> Path | Unchecked:
    flags = ["-std=c++17", f"-arch={arch_of(program)}", "-lineinfo"]
    command = [str(nvcc.path), *flags, HOST, "-o", EXECUTABLE]
    texts = {SOURCE: program.source, HOST: host_source(program)}
    key = build_key({**texts, "command": " ".join(command), "nvcc": str(nvcc)})

    def build(folder: Path) -> Unchecked | None:
        for name, text in texts.items():
            (folder / name).write_text(text)
        env = {**MINIMAL_ENVIRONMENT, "TMPDIR": str(folder)}
        match run_isolated(command, folder, LIMITS, nvcc.folders, env):
            case Exited(code=0):
                return None
            case TimedOut(seconds=seconds):
                return Unchecked(f"nvcc ran longer than {seconds:g} s")
            case Exited(stderr=log) | Killed(stderr=log):
                return Unchecked(f"nvcc cannot build it: {first_error(log)}")

    return cached_build(key, build)


def _watched(name: str, tool: Found, executable: Path, data: bytes) -> Ended:
    options = ["--tool", name, "--error-exitcode", str(FOUND), "--print-limit", "5"]
    command = [str(tool.path), *options, str(executable), DATA]
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        (folder / DATA).write_bytes(data)
        seen = (executable.parent, *tool.folders, Path("/sys"))
        view = View(seen, (folder,), gpu_devices())
        env = {**MINIMAL_ENVIRONMENT, "TMPDIR": str(folder)}
        with isolated(command, view, env, folder) as (line, handles):
            return run_command(line, RUN_LIMITS, folder, env, handles)


def _outcome(name: str, ended: Ended) -> Finding | Unchecked | None:
    """None where the tool ran and found nothing."""
    match ended:
        case TimedOut(seconds=seconds):
            return Unchecked(f"{name} ran longer than {seconds:g} s")
        case Killed(signal=number):
            return Unchecked(f"{name} was ended by signal {number}")
        case Exited(code=0):
            return None
        case Exited(stdout=out, stderr=log):
            said = [
                line.strip() for line in f"{out}\n{log}".splitlines() if line.strip()
            ]
            last = said[-1].removeprefix(PREFIX).strip() if said else "no message"
            return finding_in(out) or Unchecked(f"{name} cannot run it: {last}")


def finding_in(log: str) -> Finding | None:
    """The first report of a log; the lines behind its head say where."""
    lines = [line.removeprefix(PREFIX).strip() for line in log.splitlines()]
    for index, head in enumerate(lines):
        rule = next((r for p, r in PATTERNS if re.fullmatch(p, head)), None)
        if rule is None:
            continue
        report = "\n".join(lines[index : index + 8])
        line, address = LINE.search(report), re.search(r"Address (0x\w+)", report)
        return Finding(
            rule,
            head[0].lower() + head[1:],
            int(line[1]) if line else 0,
            address[1] if address else "",
            report[:LOG_BYTES],
        )
    return None
