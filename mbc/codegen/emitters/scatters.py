"""What scatters say alike in all languages: how an element takes an update."""

from __future__ import annotations

from functools import partial

from mbc.codegen.expression import UNSIGNED, load_text, local_type, store_text
from mbc.codegen.families.move import MoveMatch
from mbc.codegen.families.movements import Scatter
from mbc.codegen.targets import Target
from mbc.ir.types import element_of, is_float


def scatter_context(
    match: MoveMatch, scatter: Scatter, target: Target
) -> dict[str, object]:
    """Texts over `held` and `given`, locals of `local`, and the loads of both."""
    dtype, element = match.dtype, element_of(match.kernel.terminator.values[0])
    return {
        "kind": scatter.kind,
        "local": local_type(element, target),
        "combined": _combined(match, scatter, is_float(element)),
        "load_index": load_text(scatter.index_dtype, "a1", "p"),
        "load": partial(load_text, dtype),
        "store": partial(store_text, dtype),
    }


def _combined(match: MoveMatch, scatter: Scatter, floating: bool) -> str:
    """`held` with `given`; storing it rounds to the type of the elements."""
    if scatter.kind == "set":
        return "given"
    if scatter.kind in ("max", "min"):
        sign = ">" if scatter.kind == "max" else "<"
        propagating = f"mbc_{scatter.kind}imum(held, given)"
        return propagating if floating else f"held {sign} given ? held : given"
    sign = "+" if scatter.kind == "add" else "*"
    if floating:
        return f"held {sign} given"
    unsigned = UNSIGNED[match.dtype]
    return f"({unsigned})held {sign} ({unsigned})given"
