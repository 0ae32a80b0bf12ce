"""Tiles of one filter: every vector of input is loaded once for all its rows."""

from __future__ import annotations

from mbc.codegen.emitters.conv_text import plus, row_readers, scaled
from mbc.codegen.emitters.rvv.values import Vectors
from mbc.codegen.families.conv_match import ConvMatch


def row_steps(match: ConvMatch, rows: int, vectors: Vectors, pitch: str) -> list[str]:
    """All taps of y at one of x: by rows of the input, which are `pitch` apart."""
    _, y, x = match.axes
    lines: list[str] = []
    for at, pairs in row_readers(y, rows):
        load = vectors.load("in0", plus("at", scaled(pitch, at)), 1)
        lines.append(f"const {vectors.type} x{at} = {load};")
        for row, element in pairs:
            weight = f"wt[{element * x.window * match.weight.tap}]"
            product = vectors.call("vfmacc", f"s{row}_0", weight, f"x{at}").text
            lines.append(f"s{row}_0 = {product};")
    return lines
