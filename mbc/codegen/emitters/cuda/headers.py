"""What stands before the kernels of a CUDA translation unit."""

from __future__ import annotations

from mbc.codegen.render import render
from mbc.codegen.targets.cuda import CUDA


def header_text(names: set[str]) -> str:
    """The prelude and the helper headers called `names`, in order of inclusion."""
    templates = [path for name, path in CUDA.headers.items() if name in names]
    return "\n".join(render(template) for template in (CUDA.prelude, *templates))
