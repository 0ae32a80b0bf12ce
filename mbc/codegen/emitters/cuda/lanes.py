"""Accesses in vectors: how wide they can be, and the statements that make them.

A place holds what one access brings: `x0[4]` where the lanes differ, `x0` where the
whole vector shares one element.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from mbc.codegen.expression import load_text, store_text
from mbc.codegen.loops import Access, index_text

WIDTHS = (4, 2, 1)


def fitting_width(wanted: int, extent: int, accesses: Iterable[Access]) -> int:
    """The widest vector up to `wanted` that tiles the last loop, always aligned."""
    return next(w for w in WIDTHS if w <= wanted and _fits(w, extent, accesses))


def _fits(width: int, extent: int, accesses: Iterable[Access]) -> bool:
    return extent % width == 0 and all(is_aligned(a, width) for a in accesses)


def is_aligned(access: Access, width: int, lane: int = -1) -> bool:
    """Vectors along loop `lane` start at multiples of `width`, if they are vectors."""
    if access.strides[lane] != 1:
        return True
    others = list(access.strides)
    del others[lane]
    return not any(number % width for number in (access.offset, *others))


@dataclass(frozen=True)
class Walk:
    """The loops around an access: index texts, named extents, lanes of the last one."""

    indices: tuple[str, ...]
    extents: Sequence[tuple[str, int]]
    width: int
    lane: int = -1
    """Which loop the lanes run along."""

    def element(self, access: Access) -> str:
        """`a0[i0 * k3_N1 + i1]`."""
        return f"{access.buffer}[{self.offset(access)}]"

    def offset(self, access: Access) -> str:
        return index_text(access, self.indices, self.extents)

    def is_vector(self, access: Access) -> bool:
        """The lanes of this access are different elements."""
        return self.width > 1 and access.strides[self.lane] != 0

    def declare(self, name: str, access: Access) -> str:
        """`x0[4]` or `x0`, for a declaration."""
        return f"{name}[{self.width}]" if self.is_vector(access) else name

    def lane_of(self, place: str, access: Access) -> str:
        """The text of lane e of what `load` put into `place`."""
        return f"{place}[e]" if self.is_vector(access) else place

    def load(self, place: str, access: Access, count: str = "") -> str:
        """The statement that fills `place`; `count` lanes exist, if it is given."""
        if not self.is_vector(access):
            value = load_text(access.dtype, access.buffer, self.offset(access))
            return f"{place} = {value};"
        pointer = f"{access.buffer} + {self.offset(access)}"
        if access.strides[self.lane] == 1:
            if count:
                return f"mbc_load_some<{self.width}>({place}, {pointer}, {count});"
            return f"mbc_load<{self.width}>({place}, {pointer});"
        spread = list(self.indices)
        spread[self.lane] = f"({spread[self.lane]} + e)"
        source = index_text(access, spread, self.extents)
        lanes = f"for (int e = 0; e < {self.width}; ++e)"
        value = load_text(access.dtype, access.buffer, source)
        return f"{lanes} {place}[e] = {value};"

    def store(self, access: Access, place: str, count: str = "") -> str:
        """The statement that writes `place`, whose lanes are neighbours."""
        if self.width == 1:
            offset = self.offset(access)
            return f"{store_text(access.dtype, access.buffer, offset, place)};"
        pointer = f"{access.buffer} + {self.offset(access)}"
        if count:
            return f"mbc_store_some<{self.width}>({pointer}, {place}, {count});"
        return f"mbc_store<{self.width}>({pointer}, {place});"
