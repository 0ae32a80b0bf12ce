"""Emitters: from a match and a schedule to source, one file per family and target.

A family's file on a target computes what its template needs (names, extents, printed
expressions) and renders it; the text of the kernel is in the template.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module

from mbc.codegen.families import Match, Schedule, match_kernel, schedule_of
from mbc.codegen.program import KernelCode
from mbc.codegen.targets import Target
from mbc.ir.kernel import KernelOp

EMITTERS = {
    "rvv": {
        "map": "mbc.codegen.emitters.rvv.map:emit",
        "contract": "mbc.codegen.emitters.rvv.contract:emit",
        "reduce": "mbc.codegen.emitters.rvv.reduce:emit",
        "rowwise": "mbc.codegen.emitters.rvv.rowwise:emit",
        "nest": "mbc.codegen.emitters.nest:emit_host",
    },
    "opencl": {
        "map": "mbc.codegen.emitters.opencl.map:emit",
        "contract": "mbc.codegen.emitters.opencl.contract:emit",
        "reduce": "mbc.codegen.emitters.opencl.reduce:emit",
        "rowwise": "mbc.codegen.emitters.opencl.rowwise:emit",
        "nest": "mbc.codegen.emitters.nest:emit_simt",
    },
    "cuda": {
        "map": "mbc.codegen.emitters.cuda.map:emit",
        "contract": "mbc.codegen.emitters.cuda.contract:emit",
        "reduce": "mbc.codegen.emitters.cuda.reduce:emit",
        "rowwise": "mbc.codegen.emitters.cuda.rowwise:emit",
        "nest": "mbc.codegen.emitters.nest:emit_simt",
    },
}

Emit = Callable[[Match, Schedule, Target], KernelCode]


def emitter(target: Target, family: str) -> Emit:
    module, function = EMITTERS[target.name][family].split(":")
    return getattr(import_module(module), function)


def emit_kernel(kernel: KernelOp, target: Target) -> KernelCode:
    """The source of one kernel on a target, under its own schedule."""
    match = match_kernel(kernel, target)
    return emitter(target, match.family)(match, schedule_of(match, target), target)
