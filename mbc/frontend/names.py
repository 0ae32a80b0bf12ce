"""Names of values in text."""

from __future__ import annotations

import re

NUMBERS = re.compile(r"(_\d+)+$")


def name_hint(name: str) -> str:
    """A path or a node's name as an SSA name, which cannot start with a digit.

    Numbers at its end go: the printer puts its own there where names are alike, and
    the parser takes one away, so that text with others would not print as it was read.
    """
    plain = NUMBERS.sub("", re.sub(r"\W", "_", name))
    return plain if plain[:1].isalpha() or plain[:1] == "_" else f"p{plain}"
