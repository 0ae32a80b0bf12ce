"""NVRTC: CUDA C++ to machine code inside this process, with or without a GPU."""

from __future__ import annotations

import os
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

INSTALL = "pip install cuda-core[cu13]"


@dataclass(frozen=True)
class Rejected:
    """What the compiler said to a source."""

    log: str


def is_installed() -> bool:
    """The Python package is; the library shows when it is loaded."""
    if find_spec("cuda") is None or find_spec("cuda.bindings") is None:
        return False
    return find_spec("cuda.bindings.nvrtc") is not None


def compile_cubin(source: str, arch: str) -> bytes | Rejected:
    nvrtc: Any = import_module("cuda.bindings.nvrtc")
    success = nvrtc.nvrtcResult.NVRTC_SUCCESS
    options = [b"--std=c++17", f"--gpu-architecture={arch}".encode()]
    if "#include" in source:
        options += [f"--include-path={folder}".encode() for folder in _headers()]
    _, program = nvrtc.nvrtcCreateProgram(source.encode(), b"program.cu", 0, [], [])
    (status,) = nvrtc.nvrtcCompileProgram(program, len(options), options)
    if status != success:
        _, size = nvrtc.nvrtcGetProgramLogSize(program)
        log = bytes(size)
        nvrtc.nvrtcGetProgramLog(program, log)
        nvrtc.nvrtcDestroyProgram(program)
        return Rejected(log.decode(errors="replace").rstrip("\0\n"))
    _, size = nvrtc.nvrtcGetCUBINSize(program)
    cubin = bytes(size)
    nvrtc.nvrtcGetCUBIN(program, cubin)
    nvrtc.nvrtcDestroyProgram(program)
    return cubin


def _headers() -> list[Path]:
    """Folders that may hold cuda_fp16.h: a toolkit's, or a package's."""
    roots = [Path(os.environ.get("CUDA_HOME", "/usr/local/cuda"))]
    spec = find_spec("nvidia")
    for place in spec.submodule_search_locations or () if spec else ():
        roots += sorted(Path(place).iterdir())
    return [r / "include" for r in roots if (r / "include/cuda_fp16.h").is_file()]
