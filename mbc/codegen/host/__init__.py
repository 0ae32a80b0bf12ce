"""Host code: what a person needs, beside the kernels, to build and call a model.

Every target gets entry points with a plain C interface, a header, a `main` that runs
the model on files, and a Makefile; `weights.bin` and `inputs.bin` are what it reads.
One file per target here says which files those are and prepares their templates.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module

from mbc.codegen.host.layout import Area, areas_of
from mbc.codegen.model import ModelCode
from mbc.ir.types import Array

ENTRY_MARK = "// ---- Entry points ----"
"""Between the kernels and the entry points where one file has both."""

HOSTS = {
    "cuda": "mbc.codegen.host.cuda:files",
    "opencl": "mbc.codegen.host.opencl:files",
    "rvv": "mbc.codegen.host.rvv:files",
}

Files = Callable[[ModelCode], dict[str, str]]


def source_files(code: ModelCode) -> dict[str, str]:
    """File name to text, the translation unit of the kernels first."""
    module, name = HOSTS[code.target.name].split(":")
    files: Files = getattr(import_module(module), name)
    return files(code)


def with_entries(kernels: str, entries: str) -> str:
    """One source file of kernels and the entry points that call them."""
    return f"{kernels}\n{ENTRY_MARK}\n{entries}"


def kernels_of(text: str) -> str:
    """The translation unit of kernels out of a saved source file."""
    return text.partition(f"\n{ENTRY_MARK}\n")[0]


def data_files(code: ModelCode, parameters: Mapping[str, Array]) -> dict[str, bytes]:
    """What `main` reads: the weights where they are known, and zero inputs."""
    areas = areas_of(code)
    files = {"inputs.bin": bytes(areas["inputs"].nbytes)}
    if areas["weights"].pieces.keys() <= parameters.keys():
        files["weights.bin"] = _packed(areas["weights"], parameters)
    return files


def _packed(area: Area, arrays: Mapping[str, Array]) -> bytes:
    packed = bytearray(area.nbytes)
    for name, piece in area.pieces.items():
        packed[piece.offset : piece.offset + piece.nbytes] = arrays[name].tobytes()
    return bytes(packed)
