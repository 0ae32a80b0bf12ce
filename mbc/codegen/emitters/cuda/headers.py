"""What stands before the kernels of a CUDA translation unit."""

from __future__ import annotations

from collections.abc import Iterable

from mbc.codegen.program import KernelCode
from mbc.codegen.render import render
from mbc.codegen.targets.cuda import CUDA


def header_text(names: set[str]) -> str:
    """The prelude and the helper headers called `names`, in order of inclusion."""
    templates = [path for name, path in CUDA.headers.items() if name in names]
    return "\n".join(render(template) for template in (CUDA.prelude, *templates))


def unit_header(kernels: Iterable[KernelCode]) -> str:
    """What precedes the kernels of one translation unit.

    A kernel needs a header whose name ends that of a helper it calls, or whose type
    it takes.
    """
    text = "".join(kernel.source for kernel in kernels)
    taken = {
        n for n in CUDA.headers if n in CUDA.types and f"{CUDA.types[n]} *" in text
    }
    return header_text(taken | {n for n in CUDA.headers if f"_{n}(" in text})
