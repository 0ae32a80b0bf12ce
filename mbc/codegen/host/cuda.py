"""CUDA C++: `model.cu` with kernels and entries on device pointers and a stream."""

from __future__ import annotations

from mbc.codegen.host import with_entries
from mbc.codegen.host.entries import entries_of
from mbc.codegen.host.layout import areas_of, calls_of
from mbc.codegen.model import ModelCode
from mbc.codegen.render import render

HEADER_OF = {"f16": "cuda_fp16.h", "bf16": "cuda_bf16.h"}
"""What declares an element type that C++ does not have."""


def files(code: ModelCode) -> dict[str, str]:
    entries, areas = entries_of(code), areas_of(code)
    passed = {p.dtype for e in entries for p in (*e.inputs, *e.outputs)}
    spelled = {"entries": entries, "types": code.target.types}
    return {
        "model.cu": with_entries(
            code.source, render("cuda/host/entry.cu.j2", **spelled)
        ),
        "model.h": render(
            "cuda/host/model.h.j2",
            headers=[HEADER_OF[dtype] for dtype in sorted(passed & HEADER_OF.keys())],
            **spelled,
        ),
        "main.cu": render(
            "cuda/host/main.cu.j2",
            areas=areas,
            calls=calls_of(code, areas),
            arena=max(entry.arena for entry in entries),
        ),
        "Makefile": render("cuda/host/Makefile.j2", arch=code.target.text("arch")),
    }
