"""Tables as plain aligned text, which pipes, logs and terminals show alike."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

NUMBERS = frozenset("0123456789.,x%+-")


def print_rows(header: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    table = [tuple(header), *map(tuple, rows)]
    if len(table) == 1:
        print("nothing yet")
        return
    columns = list(zip(*table, strict=True))
    widths = [max(map(len, column)) for column in columns]
    right = [all(NUMBERS >= set(cell) for cell in column[1:]) for column in columns]
    for row in table:
        cells = zip(row, widths, right, strict=True)
        line = "  ".join(f"{c:>{w}}" if r else f"{c:<{w}}" for c, w, r in cells)
        print(line.rstrip())
