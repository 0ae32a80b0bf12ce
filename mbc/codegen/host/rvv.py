"""Freestanding C: `model.c` with kernels and entry points, and a `main` on Linux
system calls."""

from __future__ import annotations

from mbc.codegen.host import with_entries
from mbc.codegen.host.entries import entries_of
from mbc.codegen.host.layout import areas_of, calls_of
from mbc.codegen.model import ModelCode
from mbc.codegen.render import render


def files(code: ModelCode) -> dict[str, str]:
    entries, areas = entries_of(code), areas_of(code)
    spelled = {"entries": entries, "types": code.target.types}
    compiler, _, flags = code.target.build_notes.partition(" ")
    return {
        "model.c": with_entries(code.source, render("rvv/host/entry.c.j2", **spelled)),
        "model.h": render("rvv/host/model.h.j2", **spelled),
        "main.c": render(
            "rvv/host/main.c.j2",
            areas=areas,
            calls=calls_of(code, areas),
            arena=max(entry.arena for entry in entries),
        ),
        "Makefile": render(
            "rvv/host/Makefile.j2",
            compiler=compiler,
            flags=flags,
            vlen=code.target.option("vlen"),
        ),
    }
