"""`dense_resource` constants: their data stands at the end of the text.

MLIR prints large constants as a name, and the bytes behind the module between `{-#`
and `#-}`: an alignment in four bytes, then the elements. Here they become dense
constants, in the place where they are used.
"""

from __future__ import annotations

import re

from mbc.errors import InvalidInput, Location

USE = re.compile(r'dense_resource<\s*("[^"]*"|[\w$.-]+)\s*>')
SECTION = re.compile(r"\{-#.*?#-\}", re.DOTALL)
ENTRY = re.compile(r'("[^"]*"|[\w$.-]+)\s*:\s*"0x([0-9A-Fa-f]*)"')
ALIGNMENT_DIGITS = 8


def inline_resources(text: str, file: str) -> str:
    """The text with the data of resources in place; lines stay where they are.

    `InvalidInput` with its place for a resource whose data is not in the text.
    """
    if "dense_resource" not in text:
        return text
    section = SECTION.search(text)
    blobs = dict(ENTRY.findall(section[0])) if section else {}

    def data(use: re.Match[str]) -> str:
        digits = blobs.get(use[1])
        if digits is None or len(digits) < ALIGNMENT_DIGITS:
            line = text.count("\n", 0, use.start()) + 1
            column = use.start() - text.rfind("\n", 0, use.start())
            raise InvalidInput(
                f"the data of {use[0]} is not in the text: print the module without "
                "--mlir-elide-resource-strings-if-larger",
                Location(file, line, column),
            )
        return f'dense<"0x{digits[ALIGNMENT_DIGITS:]}">'

    body = text if section is None else text[: section.start()] + text[section.end() :]
    return USE.sub(data, body)
