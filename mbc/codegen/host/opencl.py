"""Host C for OpenCL 1.2: kernels stay in `model.cl`, `model.c` builds and enqueues."""

from __future__ import annotations

from mbc.codegen.host.entries import entries_of
from mbc.codegen.host.layout import areas_of, calls_of
from mbc.codegen.model import ModelCode
from mbc.codegen.program import DTYPE_BYTES
from mbc.codegen.render import render


def files(code: ModelCode) -> dict[str, str]:
    entries, areas = entries_of(code), areas_of(code)
    kernels = {launch.function: None for e in entries for launch in e.launches}
    spelled = {"entries": entries, "arena": max(entry.arena for entry in entries)}
    return {
        "model.cl": code.source,
        "model.c": render(
            "opencl/host/model.c.j2",
            kernels=list(kernels),
            itemsize=DTYPE_BYTES,
            **spelled,
        ),
        "model.h": render("opencl/host/model.h.j2", **spelled),
        "main.c": render(
            "opencl/host/main.c.j2", areas=areas, calls=calls_of(code, areas)
        ),
        "Makefile": render("opencl/host/Makefile.j2"),
    }
