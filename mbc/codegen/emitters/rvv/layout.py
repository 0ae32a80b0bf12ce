"""The layout of emitted C: indentation from braces, lines broken at 88 columns."""

from __future__ import annotations

WIDTH = 88
STEP = "  "
BREAKS = (", ", " = ", " ")
"""Where a long line is broken: behind the last of the first kind that it has."""


def tidy(text: str) -> str:
    """Statements and comments on lines of their own, laid out by nesting."""
    lines: list[str] = []
    depth = 0
    for line in (raw.strip() for raw in text.splitlines()):
        closing = line.startswith("}")
        indent = STEP * (depth - closing)
        if line.startswith("#") or not line:
            lines.append(line)
        elif line.startswith("*"):
            lines.append(f"{indent} {line}")
        else:
            lines += _broken(line, indent)
        depth += line.count("{") - line.count("}")
    return "\n".join(lines) + "\n"


def _broken(line: str, indent: str) -> list[str]:
    """One statement as lines; what follows the first is indented further."""
    continuation = indent + ("   " if line.startswith("/*") else STEP * 2)
    lines: list[str] = []
    while len(indent) + len(line) > WIDTH and (at := _break(line, WIDTH - len(indent))):
        lines.append(indent + line[:at].rstrip())
        indent, line = continuation, line[at:]
    return [*lines, indent + line]


def _break(line: str, room: int) -> int:
    """The length of the first part, at most `room`; 0 where there is no good place."""
    for mark in BREAKS:
        at = line.rfind(mark, 0, room)
        if at > 0:
            return at + len(mark)
    return 0
