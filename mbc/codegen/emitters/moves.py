"""What moves say alike in all languages: indices of spans, and bits of a fill."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from mbc.codegen.families.movements import Transposition
from mbc.codegen.loops import Access
from mbc.ir.types import NUMPY_DTYPES


def loop_text(access: Access, loops: int, names: Sequence[str] = ()) -> str:
    """The element where a span starts: `i0 * 40 + i1 * 8 + 3`."""
    terms = [
        name if stride == 1 else f"{name} * {stride}"
        for name, stride in zip(names or loop_names(loops), access.strides[:loops])
        if stride
    ]
    text = " + ".join(terms)
    if access.offset or not text:
        sign = "-" if access.offset < 0 else "+"
        return f"{text} {sign} {abs(access.offset)}" if text else str(access.offset)
    return text


def loop_names(loops: int) -> list[str]:
    return [f"i{loop}" for loop in range(loops)]


def fill_bits(value: float, dtype: str) -> str:
    """A value as the bits of its type: 1.5 in f32 is 0x3fc00000."""
    kind = NUMPY_DTYPES[dtype]
    number = value if kind.kind in "fV" else int(value)
    bits = np.asarray(number).astype(kind).view(f"u{kind.itemsize}")
    return f"0x{int(bits):0{2 * kind.itemsize}x}" + (
        "ul" if kind.itemsize == 8 else "u"
    )


def stride_text(access: Access, loop: int, extents: Sequence[tuple[str, int]]) -> str:
    """The stride of a loop as the product of the named extents that lie inside it."""
    stride = access.strides[loop]
    inside = sorted(
        (loops for loops in range(len(extents)) if access.strides[loops] < stride),
        key=lambda other: -access.strides[other],
    )
    if not inside or math.prod(extents[other][1] for other in inside) != stride:
        return str(stride)
    return " * ".join(extents[other][0] for other in inside)


def start_text(
    access: Access, loops: Sequence[int], extents: Sequence[tuple[str, int]]
) -> str:
    """The element where `loops` are at i0, i1, ... and all others at 0."""
    terms = [f"i{loop} * {stride_text(access, loop, extents)}" for loop in loops]
    if access.offset:
        terms.append(str(access.offset))
    return " + ".join(terms)


def matrix_bounds(
    matrix: Transposition, constants: Sequence[tuple[str, int]]
) -> dict[str, str]:
    """Rows and columns that hold elements; rows up to `filled` are written as zeros.

    `lanes` is how many of them a ragged matrix has, given the index of its panel.
    """
    rows, columns = constants[-1][0], constants[matrix.column][0]
    ragged = matrix.ragged
    if ragged is None:
        return {"rows": rows, "columns": columns, "lanes": "", "filled": ""}
    tile = rows if ragged.packs else columns
    left = f"{ragged.size} - i{ragged.panel} * {tile}"
    lanes = f"{left} < {tile} ? {left} : {tile}"
    if ragged.packs:
        return {"rows": "lanes", "columns": columns, "lanes": lanes, "filled": rows}
    return {"rows": rows, "columns": "lanes", "lanes": lanes, "filled": ""}


def matrix_indices(
    loops: Sequence[int], constants: Sequence[tuple[str, int]]
) -> list[tuple[str, str]]:
    """The indices of the loops around a matrix from its number."""
    found: list[tuple[str, str]] = []
    below: list[str] = []
    for position, loop in reversed(list(enumerate(loops))):
        product = " * ".join(below)
        divided = f"matrix / ({product})" if len(below) > 1 else f"matrix / {product}"
        text = divided if below else "matrix"
        name = constants[loop][0]
        found.append((f"i{loop}", f"{text} % {name}" if position else text))
        below.insert(0, name)
    return found[::-1]
