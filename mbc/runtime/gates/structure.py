"""The functions of a text, what they call, and what it keeps between calls.

Reads tokens behind the preprocessor as declarations, without types: enough to see
each function's body and calls, and each variable that would outlive a call.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from mbc.runtime.gates.languages import Language
from mbc.runtime.gates.lexer import Refused, Token

OPEN = {"(": ")", "[": "]", "{": "}"}
DEEPEST = 120
WITH_ARGUMENTS = frozenset(
    "__attribute__ __launch_bounds__ __align__ alignas _Alignas decltype typeof "
    "noexcept explicit".split()
)
"""Words of a declaration whose parentheses are no parameters."""


@dataclass(frozen=True)
class Function:
    name: str
    head: tuple[Token, ...]
    parameters: tuple[Token, ...]
    body: tuple[Token, ...]


@dataclass
class Structure:
    functions: list[Function] = field(default_factory=list[Function])
    types: set[str] = field(default_factory=set[str])
    variables: list[tuple[Token, ...]] = field(default_factory=list[tuple[Token, ...]])
    """Declarations that outlive a call: of the file and static ones of functions."""


def structure_of(tokens: Sequence[Token], language: Language) -> Structure:
    found = Structure()
    _check_brackets(tokens)
    _read_scope(list(tokens), found, language, members=False)
    for function in found.functions:
        found.variables += _static_locals(function.body)
    return found


def _check_brackets(tokens: Sequence[Token]) -> None:
    stack: list[str] = []
    for token in tokens:
        if token.text in OPEN and token.kind == "mark":
            stack.append(OPEN[token.text])
            if len(stack) > DEEPEST:
                raise Refused("nesting", f"brackets nest deeper than {DEEPEST}")
        elif token.text in OPEN.values() and (not stack or stack.pop() != token.text):
            raise Refused("syntax", f"line {token.line}: brackets do not match")
    if stack:
        raise Refused("syntax", "a bracket is never closed")


def closing(tokens: Sequence[Token], start: int) -> int:
    """The index of the bracket that closes the one at `start`."""
    depth = 0
    for index in range(start, len(tokens)):
        text = tokens[index].text
        depth += (text in OPEN) - (text in OPEN.values())
        if depth == 0:
            return index
    raise Refused("syntax", "a bracket is never closed")


def _read_scope(
    tokens: list[Token], found: Structure, language: Language, members: bool
) -> None:
    at = 0
    while at < len(tokens):
        end, block = _declaration_end(tokens, at)
        declaration = tokens[at:end]
        if block is None:
            _declared(declaration, found, members)
            at = end + 1
            continue
        head, inside = tokens[at:block], tokens[block + 1 : end]
        if _is_type(head):
            found.types.update(_type_names(head))
            is_enum = any(token.text == "enum" for token in head)
            if not is_enum:
                _read_scope(inside, found, language, members=True)
            at = _after_type(tokens, end, head, found)
            continue
        function = _function(head, inside)
        if function is None:
            raise Refused("syntax", f"line {head[0].line if head else 0}: odd block")
        found.functions.append(function)
        at = end + 1


def _declaration_end(tokens: Sequence[Token], at: int) -> tuple[int, int | None]:
    """Where a declaration ends, and the brace of its body if it has one."""
    assigned = False
    while at < len(tokens):
        text = tokens[at].text
        if text == ";":
            return at, None
        if text == "=":
            assigned = True
        if text == "{" and not assigned:
            return closing(tokens, at), at
        at = closing(tokens, at) + 1 if text in OPEN else at + 1
    return at, None


def _after_type(
    tokens: Sequence[Token], brace: int, head: Sequence[Token], found: Structure
) -> int:
    """Behind `struct { ... } names;`, which may declare variables."""
    end, _ = _declaration_end(tokens, brace + 1)
    names = tokens[brace + 1 : end]
    if any(token.text == "typedef" for token in head):
        found.types.update(token.text for token in names if token.kind == "word")
    elif names:
        found.variables.append((*head, *names))
    return end + 1


def _declared(tokens: Sequence[Token], found: Structure, members: bool) -> None:
    texts = [token.text for token in tokens]
    if not tokens or texts[0] in ("static_assert", "_Static_assert"):
        return
    if "typedef" in texts or "using" in texts:
        if "using" in texts and "=" not in texts:
            raise Refused("language", f"line {tokens[0].line}: using without '='")
        if "typedef" in texts and _parameters_at(tokens) is not None:
            raise Refused("function pointer", "a typedef of a function")
        index = 1 if texts[0] == "using" else len(texts) - 1
        words = [t for t in texts[: index + 1] if t.isidentifier()]
        found.types.update(words[-1:])
        return
    if members:
        if "static" in texts:
            found.variables.append(tuple(tokens))
        return
    if _is_type(tokens) and len(tokens) <= 2:
        found.types.update(texts[1:])
        return
    if _parameters_at(tokens) is None or "=" in texts:
        found.variables.append(tuple(tokens))


def _is_type(head: Sequence[Token]) -> bool:
    texts = [token.text for token in _without_template(head)]
    is_type = any(text in ("struct", "union", "enum", "class") for text in texts)
    return is_type and "(" not in _bare(texts)


def _bare(texts: Sequence[str]) -> list[str]:
    """Without attributes and their parentheses."""
    out: list[str] = []
    at = 0
    while at < len(texts):
        if texts[at] in WITH_ARGUMENTS and texts[at + 1 : at + 2] == ["("]:
            depth, at = 1, at + 2
            while depth and at < len(texts):
                depth += (texts[at] == "(") - (texts[at] == ")")
                at += 1
            continue
        out.append(texts[at])
        at += 1
    return out


def _type_names(head: Sequence[Token]) -> Iterator[str]:
    words = _bare([token.text for token in _without_template(head)])
    for word, following in pairwise(words):
        if word in ("struct", "union", "enum", "class") and following.isidentifier():
            yield following


def _without_template(head: Sequence[Token]) -> list[Token]:
    if not head or head[0].text != "template":
        return list(head)
    depth = 0
    for index, token in enumerate(head[1:], 1):
        depth += {"<": 1, ">": -1, ">>": -2}.get(token.text, 0)
        if depth <= 0:
            return _without_template(head[index + 1 :])
    return list(head)


def _parameters_at(tokens: Sequence[Token]) -> int | None:
    """The index of the parenthesis that opens a function's parameters."""
    start = len(tokens) - len(_without_template(tokens))
    at = start + 1
    while at < len(tokens):
        text, before = tokens[at].text, tokens[at - 1]
        if text == "=":
            return None
        if text == "(" and before.kind == "word" and before.text not in WITH_ARGUMENTS:
            return at
        at = closing(tokens, at) + 1 if text in OPEN else at + 1
    return None


def _function(head: Sequence[Token], body: Sequence[Token]) -> Function | None:
    at = _parameters_at(head)
    if at is None:
        return None
    end = closing(head, at)
    parameters = tuple(head[at + 1 : end])
    name = head[at - 1].text
    return Function(name, (*head[: at - 1], *head[end + 1 :]), parameters, tuple(body))


def _static_locals(body: Sequence[Token]) -> Iterator[tuple[Token, ...]]:
    for index, token in enumerate(body):
        if token.text != "static":
            continue
        start = index
        while start and body[start - 1].text not in ";{}":
            start -= 1
        end, _ = _declaration_end(body, start)
        yield tuple(body[start:end])
