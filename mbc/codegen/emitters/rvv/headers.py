"""The prelude and the helper headers, with only what a translation unit uses.

scalar_math             elementary functions in scalar C
vector_math:exp:m4      one vector function at one LMUL
moves:copy:32:4         one way to move elements of 32 bits at one LMUL
"""

from __future__ import annotations

from collections.abc import Iterable

from mbc.codegen.emitters.rvv.layout import tidy
from mbc.codegen.math_accuracy import MATH_ACCURACY
from mbc.codegen.program import KernelCode
from mbc.codegen.render import TEMPLATES, render
from mbc.codegen.targets.rvv import RVV

GROUPS: dict[str, dict[str, tuple[str, ...]]] = {
    "fold": {
        "quotient": (),
        "rsqrt": (),
        "maximum": (),
        "minimum": (),
        "reduce_sum": (),
        "reduce_prod": (),
        "reduce_max": (),
        "reduce_min": (),
        "reduce_maxnum": (),
        "reduce_minnum": (),
    },
    "short": {"bf16_bits": ()},
    "rounding": {name: () for name in ("floor", "ceil", "trunc", "rint", "round")},
    "exponential": {
        "exp": (),
        "exp2": (),
        "expm1_of_normal": (),
        "expm1": ("expm1_of_normal",),
        "tanh": ("expm1_of_normal", "quotient"),
    },
    "error": {"erf": ("exp",)},
    "logarithm": {"log": (), "log2": (), "log10": (), "log1p": ("log", "quotient")},
    "circular": {
        "reduce_large": (),
        "reduce": ("reduce_large",),
        "sin": ("reduce",),
        "cos": ("reduce",),
        "tan": ("reduce", "quotient"),
    },
    "wide": {
        "wide_exp": (),
        "wide_expm1": (),
        "wide_log": (),
        "wide_atan": (),
        **{name: ("wide_atan",) for name in ("acos", "asin", "atan", "atan2")},
        **{name: ("wide_log",) for name in ("acosh", "asinh", "atanh")},
        "cosh": ("wide_exp",),
        "sinh": ("wide_expm1",),
        "pow": ("wide_log", "wide_exp"),
        "fmod": (),
    },
}
"""By template, in order of definition: the functions that each one calls."""

WIDEST = 2
"""The largest LMUL at which a function can compute in f64, of twice that LMUL."""

VECTOR_FUNCTIONS = {
    name: (group, needs)
    for group, names in GROUPS.items()
    for name, needs in names.items()
}


def vector_header(function: str, lmul: int) -> str:
    """The name of the header with `mbc_<function>_f32m<lmul>`."""
    return f"vector_math:{function}:m{lmul}"


def header_text(names: Iterable[str]) -> str:
    """What precedes the kernels: the prelude, then `names` and all that they need."""
    wanted = set(names)
    parts = [render(RVV.prelude)]
    if "scalar_math" in wanted:
        paths = (RVV.headers[name] for name in ("scalar_math", "scalar_inverse"))
        parts += [(TEMPLATES / path).read_text() for path in paths]
    for name in sorted(name for name in wanted if name.startswith("moves:")):
        _, function, bits, size = name.split(":")
        path, numbers = RVV.headers["moves"], {"bits": int(bits), "size": int(size)}
        parts.append(tidy(render(path, function=function, **numbers)))
    pairs = _closure(name for name in wanted if name.startswith("vector_math:"))
    for function in VECTOR_FUNCTIONS:
        for lmul in (1, 2, 4, 8):
            if (function, lmul) in pairs:
                parts.append(_vector_function(function, lmul))
    return "\n".join(parts)


def _vector_function(function: str, lmul: int) -> str:
    """One function at one LMUL, in the words that its template is written in."""
    accuracy = MATH_ACCURACY.get(function)
    text = render(
        f"{RVV.headers['vector_math']}/{VECTOR_FUNCTIONS[function][0]}.h.j2",
        function=function,
        lmul=lmul,
        ulp=accuracy and f"{accuracy.rvv:g}",
        vector=f"vfloat32m{lmul}_t",
        integers=f"vint32m{lmul}_t",
        unsigned=f"vuint32m{lmul}_t",
        mask=f"vbool{32 // lmul}_t",
        short=f"vuint16{f'm{lmul // 2}' if lmul > 1 else 'mf2'}_t",
        wide=f"vfloat64m{2 * lmul}_t",
        wide_integers=f"vint64m{2 * lmul}_t",
        m=f"f32m{lmul}",
        i=f"i32m{lmul}",
        u=f"u32m{lmul}",
        d=f"f64m{2 * lmul}",
        wi=f"i64m{2 * lmul}",
    )
    return tidy(text)


def _needs(function: str, lmul: int) -> list[tuple[str, int]]:
    group, names = VECTOR_FUNCTIONS[function]
    if group == "wide" and lmul > WIDEST:
        return [(function, lmul // 2)]
    return [(name, lmul) for name in names]


def _closure(names: Iterable[str]) -> set[tuple[str, int]]:
    pending: list[tuple[str, int]] = []
    for name in names:
        _, function, lmul = name.split(":")
        pending.append((function, int(lmul.removeprefix("m"))))
    found: set[tuple[str, int]] = set()
    while pending:
        function, lmul = pending.pop()
        found.add((function, lmul))
        pending += _needs(function, lmul)
    return found


def unit_header(kernels: Iterable[KernelCode]) -> str:
    """What precedes the kernels of one translation unit."""
    return header_text({name for kernel in kernels for name in kernel.headers})
