"""Function addresses out of a static 64-bit little-endian ELF file."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

SYMBOL_TABLE = 2
SECTION = struct.Struct("<IIQQQQIIQQ")
SYMBOL = struct.Struct("<IBBHQQ")


@dataclass(frozen=True)
class Section:
    kind: int
    offset: int
    size: int
    link: int
    """Of a symbol table: the index of the section with its names."""


def symbol_addresses(elf: bytes) -> dict[str, int]:
    """Every named symbol; an empty answer if the file was stripped."""
    (headers_at,) = struct.unpack_from("<Q", elf, 0x28)
    size, count = struct.unpack_from("<HH", elf, 0x3A)
    sections = [_section(elf, headers_at + k * size) for k in range(count)]
    tables = [s for s in sections if s.kind == SYMBOL_TABLE]
    return {
        name: address
        for table in tables
        for name, address in _symbols(elf, table, sections[table.link])
    }


def _section(elf: bytes, at: int) -> Section:
    _, kind, _, _, offset, size, link, _, _, _ = SECTION.unpack_from(elf, at)
    return Section(kind, offset, size, link)


def _symbols(elf: bytes, table: Section, names: Section) -> Iterator[tuple[str, int]]:
    for entry in range(table.offset, table.offset + table.size, SYMBOL.size):
        name, _, _, _, address, _ = SYMBOL.unpack_from(elf, entry)
        start = names.offset + name
        if text := elf[start : elf.index(b"\0", start)].decode():
            yield text, address


OPFVV_UNARY = 0x12 << 26 | 1 << 12 | 0x57
"""VFUNARY0 of the OP-V opcode: the vector conversions (RVV 1.0, section 13.17)."""
UNARY_MASK = 0xFC00707F
STATIC_ROUNDING = frozenset({6, 7, 14, 15, 21, 22, 23})
"""Their vs1 field for round-towards-zero and round-to-odd."""


def has_static_rounding(image: bytes) -> bool:
    """Whether an image may hold vector conversions that round by themselves.

    Looks at every even offset, so data can only make it answer yes too often.
    """
    for start in (0, 2):
        words = np.frombuffer(image, "<u4", (len(image) - start) // 4, start)
        conversions = words[(words & UNARY_MASK) == OPFVV_UNARY]
        if any(int(word) >> 15 & 31 in STATIC_ROUNDING for word in conversions):
            return True
    return False
