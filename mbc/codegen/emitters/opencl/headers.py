"""The text in front of OpenCL kernels: the helpers that they use and no others."""

from __future__ import annotations

import re
from collections.abc import Iterable

from mbc.codegen.program import KernelCode
from mbc.codegen.render import render

HELPER = re.compile(r"\b(?:mbc_\w+|MBC_\w+|double)\b")

NEEDS = {
    "mbc_max": {"mbc_maximum"},
    "mbc_min": {"mbc_minimum"},
    "mbc_scan_max": {"mbc_maximum", "MBC_INF"},
    "mbc_scan_min": {"mbc_minimum", "MBC_INF"},
    "mbc_scan_back_max": {"mbc_maximum", "MBC_INF"},
    "mbc_scan_back_min": {"mbc_minimum", "MBC_INF"},
    "mbc_group_scan_max": {"mbc_maximum", "MBC_INF"},
    "mbc_group_scan_min": {"mbc_minimum", "MBC_INF"},
    "mbc_group_max": {"mbc_maximum"},
    "mbc_group_min": {"mbc_minimum"},
    "mbc_erf": {"mbc_fma"},
    "mbc_round_bf16": {"mbc_bits_bf16"},
    "mbc_store_bf16": {"mbc_bits_bf16"},
    **{
        f"mbc_{name}{width}_{dtype}": {f"mbc_{one}_{dtype}", "mbc_bits_bf16"}
        for name, one in {
            "load": "load",
            "gather": "load",
            "store": "store",
            "scatter": "store",
        }.items()
        for width in (2, 4, 8, 16)
        for dtype in ("f16", "bf16")
    },
}
"""Helpers that are written in terms of others, without a width at the end."""


def helpers_used(source: str) -> set[str]:
    """Names in `source` that the prelude may have to define."""
    return set(HELPER.findall(source))


def header_text(names: Iterable[str]) -> str:
    """Definitions of the helpers in `names`, each once; other names are ignored.

    Put it in front of a translation unit: `header_text(helpers_used(source))`.
    """
    wanted = set(names)
    for name in list(wanted):
        wanted |= NEEDS.get(name, set()) | NEEDS.get(name.rstrip("0123456789"), set())
    return render("opencl/prelude.h.j2", names=wanted)


def unit_header(kernels: Iterable[KernelCode]) -> str:
    """What precedes the kernels of one translation unit."""
    return header_text({n for kernel in kernels for n in helpers_used(kernel.source)})
