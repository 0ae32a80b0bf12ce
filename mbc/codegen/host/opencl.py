"""Host C for OpenCL 1.2: kernels stay in `model.cl`, `model.c` builds and enqueues."""

from __future__ import annotations

from mbc.codegen.host.entries import entries_of
from mbc.codegen.host.layout import areas_of, calls_of
from mbc.codegen.model import ModelCode
from mbc.codegen.program import DTYPE_BYTES
from mbc.codegen.render import render


def files(code: ModelCode) -> dict[str, str]:
    entries, areas = entries_of(code), areas_of(code)
    launches = [launch for entry in entries for launch in entry.launches]
    kernels = {launch.function: None for launch in launches}
    bits = {one.images: sum(1 << at for at in one.images) for one in launches}
    spelled = {"entries": entries, "arena": max(entry.arena for entry in entries)}
    return {
        "model.cl": code.source,
        "model.c": render(
            "opencl/host/model.c.j2",
            kernels=list(kernels),
            itemsize=DTYPE_BYTES,
            bits=bits,
            images=any(launch.images for launch in launches),
            most=max((len(launch.args) for launch in launches), default=0),
            **spelled,
        ),
        "model.h": render("opencl/host/model.h.j2", **spelled),
        "main.c": render(
            "opencl/host/main.c.j2", areas=areas, calls=calls_of(code, areas)
        ),
        "Makefile": render("opencl/host/Makefile.j2"),
    }
