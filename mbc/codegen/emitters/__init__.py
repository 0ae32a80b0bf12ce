"""Emitters: from a match and a schedule to source, one file per family and target.

A family's file on a target computes what its template needs (names, extents, printed
expressions) and renders it; the text of the kernel is in the template.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from importlib import import_module

from mbc.codegen.families import Match, Schedule, match_kernel, schedule_of
from mbc.codegen.program import KernelCode
from mbc.codegen.targets import Target
from mbc.ir.kernel import KernelOp

EMITTERS = {
    "rvv": {
        "move": "mbc.codegen.emitters.rvv.move:emit",
        "map": "mbc.codegen.emitters.rvv.map:emit",
        "pointwise": "mbc.codegen.emitters.rvv.pointwise:emit",
        "contract": "mbc.codegen.emitters.rvv.contract:emit",
        "conv": "mbc.codegen.emitters.rvv.conv:emit",
        "attention": "mbc.codegen.emitters.rvv.attention:emit",
        "recurrent": "mbc.codegen.emitters.rvv.recurrent:emit",
        "reduce": "mbc.codegen.emitters.rvv.reduce:emit",
        "rowwise": "mbc.codegen.emitters.rvv.rowwise:emit",
        "window": "mbc.codegen.emitters.rvv.window:emit",
        "scan": "mbc.codegen.emitters.rvv.scan:emit",
        "arg_reduce": "mbc.codegen.emitters.rvv.arg_reduce:emit",
        "interpolate": "mbc.codegen.emitters.rvv.interpolate:emit",
        "sort": "mbc.codegen.emitters.rvv.sort:emit",
        "random": "mbc.codegen.emitters.rvv.random:emit",
        "nest": "mbc.codegen.emitters.nest:emit_host",
    },
    "opencl": {
        "move": "mbc.codegen.emitters.opencl.move:emit",
        "map": "mbc.codegen.emitters.opencl.map:emit",
        "pointwise": "mbc.codegen.emitters.opencl.pointwise:emit",
        "contract": "mbc.codegen.emitters.opencl.contract:emit",
        "conv": "mbc.codegen.emitters.opencl.conv:emit",
        "attention": "mbc.codegen.emitters.opencl.attention:emit",
        "recurrent": "mbc.codegen.emitters.opencl.recurrent:emit",
        "reduce": "mbc.codegen.emitters.opencl.reduce:emit",
        "rowwise": "mbc.codegen.emitters.opencl.rowwise:emit",
        "window": "mbc.codegen.emitters.opencl.window:emit",
        "scan": "mbc.codegen.emitters.opencl.scan:emit",
        "arg_reduce": "mbc.codegen.emitters.opencl.arg_reduce:emit",
        "interpolate": "mbc.codegen.emitters.opencl.interpolate:emit",
        "sort": "mbc.codegen.emitters.opencl.sort:emit",
        "random": "mbc.codegen.emitters.random_simt:emit",
        "nest": "mbc.codegen.emitters.nest:emit_simt",
    },
    "cuda": {
        "move": "mbc.codegen.emitters.cuda.move:emit",
        "map": "mbc.codegen.emitters.cuda.map:emit",
        "pointwise": "mbc.codegen.emitters.cuda.pointwise:emit",
        "contract": "mbc.codegen.emitters.cuda.contract:emit",
        "conv": "mbc.codegen.emitters.cuda.conv:emit",
        "attention": "mbc.codegen.emitters.attention_simt:emit",
        "recurrent": "mbc.codegen.emitters.recurrent_simt:emit",
        "reduce": "mbc.codegen.emitters.cuda.reduce:emit",
        "rowwise": "mbc.codegen.emitters.cuda.rowwise:emit",
        "window": "mbc.codegen.emitters.window_simt:emit",
        "scan": "mbc.codegen.emitters.scan_simt:emit",
        "arg_reduce": "mbc.codegen.emitters.arg_reduce_simt:emit",
        "interpolate": "mbc.codegen.emitters.interpolate_simt:emit",
        "sort": "mbc.codegen.emitters.cuda.sort:emit",
        "random": "mbc.codegen.emitters.random_simt:emit",
        "nest": "mbc.codegen.emitters.nest:emit_simt",
    },
}

HEADERS = {
    "rvv": "mbc.codegen.emitters.rvv.headers:unit_header",
    "opencl": "mbc.codegen.emitters.opencl.headers:unit_header",
    "cuda": "mbc.codegen.emitters.cuda.headers:unit_header",
}
"""What stands in front of the kernels of a translation unit."""

Emit = Callable[[Match, Schedule, Target], KernelCode]


def emitter(target: Target, family: str) -> Emit:
    module, function = EMITTERS[target.name][family].split(":")
    return getattr(import_module(module), function)


def translation_unit(target: Target, kernels: Sequence[KernelCode]) -> str:
    """Prelude and helper headers, each once, then the kernels in order."""
    module, function = HEADERS[target.name].split(":")
    text: str = getattr(import_module(module), function)(kernels)
    return "\n".join([text, *(kernel.source for kernel in kernels)])


def emit_kernel(kernel: KernelOp, target: Target) -> KernelCode:
    """The source of one kernel on a target, under its own schedule."""
    match = match_kernel(kernel, target)
    return emitter(target, match.family)(match, schedule_of(match, target), target)
