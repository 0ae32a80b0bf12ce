"""What an emulated CUDA program consists of, besides the emulation itself.

The object of the candidate is compared with one of a kernel that does nothing, built
with the same flags: what is in both belongs to the emulation and to the compiler's
checks. Read from ELF files of the host; the code's instructions are left to the filter
of system calls that the process runs under.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from mbc.codegen.program import Launch, Program
from mbc.runtime.gates.elf_audit import (
    ALLOC,
    COMMON,
    EXECUTE,
    IFUNC,
    INIT_ARRAYS,
    LARGEST_CODE,
    LARGEST_OBJECT,
    STARTERS,
    UNDEFINED,
    UNREADABLE,
    WRITE,
    Audit,
    Finding,
    Section,
    Symbol,
    sections_of,
    symbols_of,
)
from mbc.runtime.gates.languages import FLOAT_FUNCTIONS

NOTHING = Program(
    "cuda",
    'extern "C" __global__ void nothing() {\n'
    "  __shared__ int all;\n"
    "  all = __shfl_sync(0xffffffff, gridDim.x + blockDim.x + blockIdx.x, 0);\n"
    "  __syncthreads();\n}\n",
    (),
    (Launch("nothing", ()),),
)
"""Everything that the emulation itself can bring along."""
SHARED = "mbc_shared"
OBJECTS = (1, 6)
"""Kinds of symbols that are data: plain and thread-local."""
CODE_FACTOR = 8
"""How much larger the compiler's checks may make the code."""
PROVIDED = re.compile(
    rf"(?:{FLOAT_FUNCTIONS})f?|memcpy|memset|memmove|memcmp|"
    r"__(?:asan|ubsan|sanitizer)_\w+|__stack_chk_fail|_GLOBAL_OFFSET_TABLE_|"
    r"__(?:extend|trunc|fix|float|div|udiv|mod|umod|mul|popcount|clz|ctz|parity|ffs|"
    r"pow)\w*[sdthxbi][fi]\w*"
)
"""The functions of mathematics and of memory, and what compilers call by themselves."""


@dataclass(frozen=True)
class _Contents:
    sections: list[Section]
    symbols: list[Symbol]

    @property
    def undefined(self) -> set[str]:
        return {s.name for s in self.symbols if s.section == UNDEFINED and s.name}

    @property
    def starters(self) -> int:
        """Bytes of what runs by itself."""
        return sum(
            s.size
            for s in self.sections
            if s.kind in INIT_ARRAYS or s.name.startswith(STARTERS)
        )

    @property
    def code_bytes(self) -> int:
        loaded = [s for s in self.sections if s.flags & ALLOC and s.flags & EXECUTE]
        return sum(s.size for s in loaded)

    def writable(self) -> set[str]:
        """Names of data that a call could leave something in for the next one."""
        return {s.name for s in self.symbols if self._is_writable(s)}

    def _is_writable(self, symbol: Symbol) -> bool:
        if symbol.section == COMMON:
            return True
        if symbol.kind not in OBJECTS or not 0 < symbol.section < len(self.sections):
            return False
        section = self.sections[symbol.section]
        return bool(section.flags & WRITE) and section.name != SHARED


def audit_emulated(image: bytes, empty: bytes) -> Audit:
    """The first thing in `image` that neither `empty` has nor a kernel may have."""
    if len(image) > LARGEST_OBJECT:
        return Audit(Finding("size", "the object is over 32 MiB"), 1, (), 0)
    try:
        mine, plain = _read(image), _read(empty)
    except UNREADABLE:
        return Audit(Finding("object", "the object cannot be read"), 1, (), 0)
    checks = len(mine.sections) + len(mine.symbols)
    undefined = tuple(sorted(mine.undefined - plain.undefined))
    return Audit(_finding(mine, plain, undefined), checks, undefined, mine.code_bytes)


def _read(image: bytes) -> _Contents:
    sections = list(sections_of(image))
    return _Contents(sections, list(symbols_of(image, sections)))


def _finding(
    mine: _Contents, plain: _Contents, undefined: tuple[str, ...]
) -> Finding | None:
    for name in undefined:
        if not PROVIDED.fullmatch(name):
            return Finding("symbol", f"the object needs '{name}' from outside")
    for symbol in mine.symbols:
        if symbol.kind == IFUNC:
            return Finding("ifunc", f"'{symbol.name}' is chosen when it is loaded")
    for name in sorted(mine.writable() - plain.writable()):
        return Finding("static data", f"'{name}' is writable static data")
    if mine.starters > plain.starters:
        return Finding("constructor", "the object has code that runs by itself")
    if mine.code_bytes > CODE_FACTOR * LARGEST_CODE:
        return Finding(
            "size", f"the code is over {CODE_FACTOR * LARGEST_CODE >> 20} MiB"
        )
    return None
