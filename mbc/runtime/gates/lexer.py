"""C, OpenCL C and CUDA C++ text to tokens, without what hides tokens from a reader.

Trigraphs, digraphs, universal character names, prefixed strings and characters beyond
ASCII are refused, not translated: no kernel needs them. Spliced lines and comments
are undone as a compiler does, so that nothing passes in their shadow.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

Kind = Literal["word", "number", "string", "mark"]

TRIGRAPH = re.compile(r"\?\?[=/'()!<>-]")
DIGRAPHS = frozenset({"<:", ":>", "<%", "%>", "%:"})
SCANNER = re.compile(
    r"""(?P<space>[ \t\f\v]+)
    |(?P<comment>//[^\n]*|/\*.*?\*/)
    |(?P<line>\n)
    |(?P<number>\.?[0-9](?:[eEpP][+-]|[\w.])*)
    |(?P<word>[A-Za-z_]\w*)
    |(?P<string>"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*')
    |(?P<digraph><:|:>|<%|%>|%:)
    |(?P<mark>\.\.\.|<<=|>>=|->\*?|\+\+|--|<<|>>|[<>=!+\-*/%&|^]=|&&|\|\||::|\#\#
      |[-+*/%&|^~!<>=?:;,.()\[\]{}\#])""",
    re.VERBOSE | re.DOTALL | re.ASCII,
)


@dataclass(frozen=True)
class Token:
    kind: Kind
    text: str
    line: int
    glued: bool = False
    """Whether nothing stands between it and the token before it."""


@dataclass(frozen=True)
class Offence:
    """What a text may not have: the rule it breaks, and one sentence."""

    rule: str
    reason: str


class Refused(Exception):
    """Ends the inspection of a text."""

    def __init__(self, rule: str, reason: str):
        super().__init__(reason)
        self.offence = Offence(rule, reason)


def lines_of(text: str) -> Iterator[list[Token]]:
    """The tokens of each line that has any, after splices; `Refused` if it is no C."""
    _refuse_disguises(text)
    tokens: list[Token] = []
    for token in _scan(text.replace("\r\n", "\n").replace("\\\n", "")):
        if token.text != "\n":
            tokens.append(token)
        elif tokens:
            yield tokens
            tokens = []
    if tokens:
        yield tokens


def _refuse_disguises(text: str) -> None:
    odd = re.search(r"[^\t\n\f\v\r\x20-\x7e]", text)
    if odd and not _only_in_comments(text):
        raise Refused("characters", "the text has characters that are not plain ASCII")
    if TRIGRAPH.search(text):
        raise Refused("characters", "the text has a trigraph")


def _only_in_comments(text: str) -> bool:
    """Printable characters may be of any script in comments; control characters not."""
    bare = re.sub(r"//[^\n]*|/\*.*?\*/", "", text, flags=re.DOTALL)
    return bare.isascii() and all(c.isprintable() or c in "\t\n\f\v\r" for c in text)


def _scan(text: str) -> Iterator[Token]:
    at, line, glued = 0, 1, False
    while at < len(text):
        match = SCANNER.match(text, at)
        if match is None:
            raise Refused("characters", f"line {line} has text that is no token")
        kind, found = match.lastgroup, match[0]
        if kind == "digraph" and found in DIGRAPHS:
            raise Refused("characters", f"line {line} has a digraph")
        at = match.end()
        if kind == "word" and text[at : at + 1] in ("'", '"'):
            raise Refused("characters", f"line {line} has a prefixed string")
        if kind in ("word", "number", "string", "mark"):
            yield Token(kind, found, line, glued)
        elif kind == "line":
            yield Token("mark", "\n", line)
        glued = kind not in ("space", "comment", "line")
        line += found.count("\n")
