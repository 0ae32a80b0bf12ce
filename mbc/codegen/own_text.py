"""Text from outside in place of an emitted kernel: what it is given, how it is called.

In front of the text stand the kernel's free extents, `k3_N0`, `k3_N1`, ..., numbered as
`mbc verify --where` names them; a name that the text defines itself is left to it. A
line of a comment says how the text wants to be launched:

    // launch: grid=ceil(N0/64),N1 block=64
    // launch: once

It then is one function, called as the kernel is, on operands a0, a1, ... and results
r0, r1, ..., whatever its extents. A text without that line is called as the emitted
kernel would be, which depends on its schedule: such a text holds as built.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import replace

from mbc.codegen.emitters import emit_kernel
from mbc.codegen.program import KernelCode, Launch
from mbc.codegen.targets import Target
from mbc.errors import InvalidInput, PassRefused
from mbc.ir.kernel import KernelOp
from mbc.ir.resize import extents

LINE = re.compile(r"^\s*(?://|/?\*)\s*launch:\s*(.*?)\s*(?:\*/)?\s*$", re.MULTILINE)
GEOMETRY = re.compile(r"grid=(\S+)\s+block=(\S+)")
FACTOR = re.compile(r"(\d+)|(N\d+)|ceil\((N\d+)/([1-9]\d*)\)")
ONCE = "once"
Size = tuple[int, int, int]


def own_code(
    kernel: KernelOp, target: Target, text: str, resizable: bool = False
) -> KernelCode:
    """`text` in the place of what would be emitted for `kernel`.

    `resizable` text holds at other extents, so that its launch may not depend on what
    is emitted. Raises `InvalidInput` for a launch line that cannot be read, and
    `PassRefused` where such a text of a grid target has none.
    """
    emitted = emit_kernel(kernel, target)
    free = extents(kernel)
    named = {f"{emitted.label}_{name}": value for name, value in free.items()}
    taken = set(re.findall(r"^[ \t]*#[ \t]*define[ \t]+(\w+)", text, re.MULTILINE))
    lines = [f"#define {n} {v}\n" for n, v in named.items() if n not in taken]
    code = replace(emitted, source="".join(lines) + text, extents=tuple(named.items()))
    found = LINE.search(text)
    if found is None and not resizable:
        return code
    if found is None and target.simt:
        raise PassRefused(
            "text",
            "a text for any extents must say how it is launched, in a line like "
            "'// launch: grid=ceil(N0/64) block=64'",
        )
    grid, block = geometry(ONCE if found is None else found[1], free)
    names = tuple(b.name for b in (*emitted.operands, *emitted.results))
    launch = Launch(emitted.label, names, grid, block)
    return replace(code, scratch=(), launches=(launch,))


def geometry(words: str, free: Mapping[str, int]) -> tuple[Size, Size]:
    """Grid and block at some extents; a grid has at least one group."""
    if words == ONCE:
        return (1, 1, 1), (1, 1, 1)
    found = GEOMETRY.fullmatch(words)
    if found is None:
        raise InvalidInput(
            f"'{words}' is no launch: write it like grid=ceil(N0/64),N1 block=64, "
            "or once"
        )
    return _size(found[1], free), _size(found[2], {})


def _size(words: str, free: Mapping[str, int]) -> Size:
    parts = [_product(part, free) for part in words.split(",")]
    if len(parts) > 3:
        raise InvalidInput(f"'{words}' has more than three dimensions")
    x, y, z = (*parts, 1, 1)[:3]
    return max(1, x), max(1, y), max(1, z)


def _product(words: str, free: Mapping[str, int]) -> int:
    return math.prod(_factor(word, free) for word in words.split("*"))


def _factor(word: str, free: Mapping[str, int]) -> int:
    found = FACTOR.fullmatch(word)
    name = (found[2] or found[3]) if found else None
    if found is None or (name and name not in free):
        known = ", ".join(free) or "none"
        raise InvalidInput(
            f"'{word}' in a launch is no number, extent or ceil(extent/number); "
            f"extents here: {known}"
        )
    if found[1]:
        return int(found[1])
    assert name
    return free[name] if found[2] else -(-free[name] // int(found[4]))
