"""Sums of neighbours in a column, in scalar C: what GPUs do with few filters."""

from __future__ import annotations

from mbc.codegen.emitters.conv_index import ConvIndex
from mbc.codegen.emitters.conv_text import row_readers, scaled, total


def column_steps(index: ConvIndex, rows: int, sums: str) -> list[str]:
    """All taps of y at one of z and x: each input row is read once for all results."""
    y = index.axes[1].axis
    lines: list[str] = []
    for at, pairs in row_readers(y, rows):
        lines += _read(index, total([scaled("y0", y.stride), str(at)]))
        for row, element in pairs:
            factor = f"w[{index.weight_at(str(element))}]"
            lines.append(f"  {sums}[{row}] += {factor} * value;")
        lines.append("}")
    return lines


def own_steps(index: ConvIndex, rows: int, sums: str) -> list[str]:
    """One tap: every result reads its own element."""
    y = index.axes[1]
    lines: list[str] = []
    for row in range(rows):
        lines += _read(index, y.input(f"(y0 + {row})" if row else "y0"))
        factor = f"w[{index.weight_at(y.window())}]"
        lines += [f"  {sums}[{row}] += {factor} * value;", "}"]
    return lines


def _read(index: ConvIndex, row: str) -> list[str]:
    """Opens a block with the input at (z, row, x) as `value`."""
    z, _, x = index.axes
    places, inside, at = index.checked([z.input("z"), row, x.input("x")])
    read = f"in[{at}]"
    value = f"{inside} ? {read} : 0.0f" if inside else read
    return ["{", *(f"  {line}" for line in places), f"  const float value = {value};"]
