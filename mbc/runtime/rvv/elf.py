"""Function addresses out of a static 64-bit little-endian ELF file."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import dataclass

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
