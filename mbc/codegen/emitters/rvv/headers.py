"""The prelude and the helper headers, with only what a translation unit uses.

scalar_math             elementary functions in scalar C
vector_math:exp:m4      one vector function at one LMUL
"""

from __future__ import annotations

from collections.abc import Iterable

from mbc.codegen.emitters.rvv.layout import tidy
from mbc.codegen.program import KernelCode
from mbc.codegen.render import TEMPLATES, render
from mbc.codegen.targets.rvv import RVV

VECTOR_FUNCTIONS: dict[str, tuple[str, ...]] = {
    "exp": (),
    "expm1": (),
    "log": (),
    "quotient": (),
    "rsqrt": (),
    "floor": (),
    "ceil": (),
    "maximum": (),
    "minimum": (),
    "reduce_sum": (),
    "reduce_prod": (),
    "reduce_max": (),
    "reduce_min": (),
    "reduce_maxnum": (),
    "reduce_minnum": (),
    "log1p": ("log", "quotient"),
    "tanh": ("expm1", "quotient"),
    "erf": ("exp",),
}
"""In order of definition: the functions that each one calls."""


def vector_header(function: str, lmul: int) -> str:
    """The name of the header with `mbc_<function>_f32m<lmul>`."""
    return f"vector_math:{function}:m{lmul}"


def header_text(names: Iterable[str]) -> str:
    """What precedes the kernels: the prelude, then `names` and all that they need."""
    wanted = set(names)
    parts = [render(RVV.prelude)]
    if "scalar_math" in wanted:
        parts.append((TEMPLATES / RVV.headers["scalar_math"]).read_text())
    pairs = _closure(name for name in wanted if name != "scalar_math")
    for function in VECTOR_FUNCTIONS:
        for lmul in (1, 2, 4, 8):
            if (function, lmul) in pairs:
                text = render(RVV.headers["vector_math"], function=function, lmul=lmul)
                parts.append(tidy(text))
    return "\n".join(parts)


def _closure(names: Iterable[str]) -> set[tuple[str, int]]:
    pending: list[tuple[str, int]] = []
    for name in names:
        _, function, lmul = name.split(":")
        pending.append((function, int(lmul.removeprefix("m"))))
    found: set[tuple[str, int]] = set()
    while pending:
        function, lmul = pending.pop()
        found.add((function, lmul))
        pending += [(other, lmul) for other in VECTOR_FUNCTIONS[function]]
    return found


def unit_header(kernels: Iterable[KernelCode]) -> str:
    """What precedes the kernels of one translation unit."""
    return header_text({name for kernel in kernels for name in kernel.headers})
