"""What a compiler says about a candidate, and nothing of other files that it read."""

from __future__ import annotations

import re
from collections.abc import Collection

LONGEST = 16 << 10
LOCATED = re.compile(r"(\S+?):\d+(?::\d+)?: ")


def own_words(log: str, texts: Collection[str], folder: str = "") -> str:
    """`log` without messages about files that are not in `texts`: they quote them."""
    kept: list[str] = []
    keeping = True
    for line in log.replace(f"{folder}/", "").splitlines():
        located = LOCATED.match(line)
        if located:
            keeping = located[1] in texts
        if keeping:
            kept.append(line)
    return "\n".join(kept)[:LONGEST]


def first_error(log: str) -> str:
    for line in log.splitlines():
        if "error: " in line:
            return f"the compiler says: {line.split('error: ', 1)[1].strip()}"
    return "the compiler failed"
