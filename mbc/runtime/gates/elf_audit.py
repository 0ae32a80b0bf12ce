"""What a compiled kernel consists of: symbols, sections and instructions.

Reads RISC-V objects (64-bit, little-endian, relocatable). A kernel needs code,
constants and at most the memory functions of the harness: whatever else it brings
along, it could use to keep something between calls, to run before or after them, or to
leave them.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import dataclass

LARGEST_OBJECT = 32 << 20
LARGEST_CODE = 2 << 20
LARGEST_CONSTANTS = 8 << 20
SECTION = struct.Struct("<IIQQQQIIQQ")
SYMBOL = struct.Struct("<IBBHQQ")
SYMBOL_TABLE, NOBITS, INIT_ARRAYS = 2, 8, (14, 15, 16)
WRITE, ALLOC, EXECUTE, THREAD_LOCAL = 1, 2, 4, 0x400
UNDEFINED, COMMON = 0, 0xFFF2
IFUNC = 10
STARTERS = (".init", ".fini", ".ctors", ".dtors", ".preinit")
CONSTANT_POINTERS = ".data.rel.ro"

UNREADABLE = (struct.error, ValueError, IndexError, OverflowError)
"""What reading a damaged object can raise."""

PROVIDED = frozenset({"memcpy", "memset", "memmove", "memcmp"})
HARNESS = PROVIDED | {"_start", "roi_begin", "roi_end"}

SYSTEM_OPCODE = 0x73
UNIMPLEMENTED = 0xC0001073
COMPRESSED_BREAK = 0x9002
STATUS_REGISTERS = frozenset(
    {0x001, 0x002, 0x003, 0x008, 0x009, 0x00A, 0x00F, 0xC20, 0xC21, 0xC22}
)
"""Rounding and exceptions of floats and of fixed point; vl, vtype and vlenb."""
CLOCKS = frozenset({*range(0xC00, 0xC20), *range(0xB00, 0xB20)})


@dataclass(frozen=True)
class Finding:
    rule: str
    reason: str


@dataclass(frozen=True)
class Section:
    name: str
    kind: int
    flags: int
    offset: int
    size: int
    link: int


@dataclass(frozen=True)
class Symbol:
    name: str
    kind: int
    binding: int
    section: int


@dataclass(frozen=True)
class Audit:
    finding: Finding | None
    checks: int
    """Symbols, sections and instructions that were looked at."""
    undefined: tuple[str, ...]
    code_bytes: int


def audit_object(image: bytes) -> Audit:
    """The first thing in `image` that a kernel may not have, if there is one."""
    if len(image) > LARGEST_OBJECT:
        return Audit(Finding("size", "the object is over 32 MiB"), 1, (), 0)
    try:
        sections = list(sections_of(image))
        symbols = list(symbols_of(image, sections))
    except UNREADABLE:
        return Audit(Finding("object", "the object cannot be read"), 1, (), 0)
    code = [s for s in sections if s.flags & EXECUTE and s.size]
    instructions = [i for s in code for i in _instructions(_content(image, s))]
    undefined = tuple(s.name for s in symbols if s.section == UNDEFINED and s.name)
    finding = (
        _symbol_finding(symbols, undefined)
        or _section_finding(sections)
        or _instruction_finding(instructions)
    )
    checks = len(sections) + len(symbols) + len(instructions)
    return Audit(finding, checks, undefined, sum(s.size for s in code))


def _symbol_finding(
    symbols: list[Symbol], undefined: tuple[str, ...]
) -> Finding | None:
    for name in undefined:
        if name not in PROVIDED:
            return Finding("symbol", f"the object needs '{name}' from outside")
    for symbol in symbols:
        if symbol.kind == IFUNC:
            return Finding("ifunc", f"'{symbol.name}' is chosen when it is loaded")
        if symbol.section == COMMON:
            return Finding("static data", f"'{symbol.name}' is writable static data")
        if symbol.name in HARNESS and symbol.section != UNDEFINED and symbol.binding:
            return Finding("symbol", f"the object defines '{symbol.name}'")
    return None


def _section_finding(sections: list[Section]) -> Finding | None:
    for section in sections:
        starts = section.kind in INIT_ARRAYS or section.name.startswith(STARTERS)
        if starts and section.size:
            return Finding("constructor", f"section '{section.name}' runs by itself")
        constant = section.name.startswith(CONSTANT_POINTERS)
        if section.flags & WRITE and section.size and not constant:
            sort = "thread-local" if section.flags & THREAD_LOCAL else "writable static"
            return Finding("static data", f"section '{section.name}' is {sort} data")
        if section.flags & WRITE and section.flags & EXECUTE:
            return Finding("section", f"section '{section.name}' is writable code")
    loaded = [s for s in sections if s.flags & ALLOC]
    if sum(s.size for s in loaded if s.flags & EXECUTE) > LARGEST_CODE:
        return Finding("size", f"the code is over {LARGEST_CODE >> 20} MiB")
    if sum(s.size for s in loaded if not s.flags & EXECUTE) > LARGEST_CONSTANTS:
        return Finding("size", f"the constants are over {LARGEST_CONSTANTS >> 20} MiB")
    return None


def _instruction_finding(instructions: list[int]) -> Finding | None:
    for instruction in instructions:
        if instruction == COMPRESSED_BREAK:
            return Finding("instruction", "the code has an ebreak")
        if instruction & 0x7F != SYSTEM_OPCODE or instruction == UNIMPLEMENTED:
            continue
        if instruction >> 12 & 7 == 0:
            name = {0: "ecall", 1: "ebreak"}.get(
                instruction >> 20, "system instruction"
            )
            return Finding("instruction", f"the code has an {name}")
        register = instruction >> 20
        if register in CLOCKS:
            return Finding("clock", "the code reads a counter")
        if register not in STATUS_REGISTERS:
            return Finding(
                "instruction", f"the code uses status register {register:#x}"
            )
    return None


def _instructions(code: bytes) -> Iterator[int]:
    """In order from the start: compilers put no data into code."""
    at = 0
    while at + 2 <= len(code):
        low = int.from_bytes(code[at : at + 2], "little")
        if low & 3 != 3:
            yield low
            at += 2
            continue
        yield int.from_bytes(code[at : at + 4], "little")
        at += 4


def _content(image: bytes, section: Section) -> bytes:
    return b"" if section.kind == NOBITS else image[section.offset :][: section.size]


def sections_of(image: bytes) -> Iterator[Section]:
    if image[:6] != b"\x7fELF\x02\x01":
        raise ValueError("not a 64-bit little-endian ELF file")
    (headers_at,) = struct.unpack_from("<Q", image, 0x28)
    size, count, names_index = struct.unpack_from("<HHH", image, 0x3A)
    rows = [SECTION.unpack_from(image, headers_at + k * size) for k in range(count)]
    names_at = rows[names_index][4]
    for name, kind, flags, _, offset, length, link, *_ in rows:
        yield Section(_text(image, names_at + name), kind, flags, offset, length, link)


def symbols_of(image: bytes, sections: list[Section]) -> Iterator[Symbol]:
    for table in sections:
        if table.kind != SYMBOL_TABLE:
            continue
        names_at = sections[table.link].offset
        for entry in range(table.offset, table.offset + table.size, SYMBOL.size):
            name, info, _, section, _, _ = SYMBOL.unpack_from(image, entry)
            text = _text(image, names_at + name)
            yield Symbol(text, info & 15, info >> 4, section)


def _text(image: bytes, at: int) -> str:
    return image[at : image.index(b"\0", at)].decode()
