"""What a function's body calls: by a known name, or in a way that has none."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence

from mbc.runtime.gates.languages import BUILTINS, Language
from mbc.runtime.gates.lexer import Refused, Token
from mbc.runtime.gates.structure import Function, closing

HELPER = re.compile(r"(?:mbc|MBC)_\w+")
BEFORE_GROUP = frozenset(
    "if for while switch __attribute__ __launch_bounds__ __align__ alignas _Alignas "
    "sizeof alignof _Alignof decltype typeof static_assert _Static_assert".split()
)
TYPE_MARKS = frozenset({"*", "<", ">", "::", "&", ",", "const", "volatile"})


def called_names(
    tokens: Sequence[Token], language: Language, types: Collection[str]
) -> Iterator[Token]:
    """The names in front of parentheses; `Refused` for calls of anything else."""
    for index, token in enumerate(tokens):
        if token.text != "(" or index == 0:
            continue
        before = tokens[index - 1]
        if before.text == "]":
            raise Refused(
                "function pointer", f"line {token.line}: a call of an element"
            )
        if before.text == ")":
            _check_cast(tokens, index - 1, language, types)
        if before.text == ">" and language.templates:
            name = _template_name(tokens, index - 1)
            if name is not None:
                yield name
        ordinary = before.kind == "word" and before.text not in language.keywords
        if ordinary and not _of_helper(tokens, index):
            yield before
    _refuse_pointers(tokens)


def _of_helper(tokens: Sequence[Token], index: int) -> bool:
    """Whether the call at `index` is of a member of a helper: `mbc_sum::fold(`."""
    if index < 3 or tokens[index - 2].text != "::":
        return False
    return bool(HELPER.fullmatch(tokens[index - 3].text))


def _refuse_pointers(tokens: Sequence[Token]) -> None:
    texts = [token.text for token in tokens]
    for index, text in enumerate(texts):
        line = tokens[index].line
        if text == "(" and texts[index + 1 : index + 2] == ["*"]:
            end = closing(tokens, index)
            inside = texts[index + 1 : end]
            declarator = all(t == "*" or t.isidentifier() for t in inside)
            if declarator and texts[end + 1 : end + 2] == ["("]:
                raise Refused("function pointer", f"line {line}: a function pointer")
        if text == "^" and texts[index + 1 : index + 2] == ["{"]:
            raise Refused("language", f"line {line}: a block")
        if text == "&&" and _is_label(texts, index):
            raise Refused("language", f"line {line}: the address of a label")
        if text == "*" and texts[index + 1 : index + 2] == [")"]:
            number = tokens[index + 2] if index + 2 < len(tokens) else None
            if number and number.kind == "number" and number.text != "0":
                raise Refused("address", f"line {line}: a number becomes a pointer")


def _is_label(texts: Sequence[str], index: int) -> bool:
    before = texts[index - 1] if index else ";"
    return before in ("=", "(", ",", "{", ";", "return")


def _check_cast(
    tokens: Sequence[Token], end: int, language: Language, types: Collection[str]
) -> None:
    start = _opening(tokens, end)
    before = tokens[start - 1].text if start else ""
    if before in BEFORE_GROUP:
        return
    inside = [token for token in tokens[start + 1 : end] if token.text != "const"]
    words = [token.text for token in inside if token.kind == "word"]
    plain = all(t.kind == "word" or t.text in TYPE_MARKS for t in inside)
    is_type = bool(words) and any(
        language.types.fullmatch(word) or word in types for word in words
    )
    if not (plain and is_type):
        line = tokens[end].line
        raise Refused("function pointer", f"line {line}: a call without a name")


def _opening(tokens: Sequence[Token], end: int) -> int:
    depth = 0
    for index in range(end, -1, -1):
        depth += (tokens[index].text == ")") - (tokens[index].text == "(")
        if depth == 0:
            return index
    return 0


def _template_name(tokens: Sequence[Token], end: int) -> Token | None:
    """The word in front of `< ... >` that ends at `end`; None for a comparison."""
    depth = 0
    for index in range(end, 0, -1):
        text = tokens[index].text
        if text in (";", "{", "}", "&&", "||"):
            return None
        depth += {">": 1, ">>": 2, "<": -1}.get(text, 0)
        if depth == 0:
            word = tokens[index - 1]
            return word if word.kind == "word" else None
    return None


def is_known(name: str, language: Language, own: Collection[str]) -> bool:
    if name in own or language.types.fullmatch(name):
        return True
    if HELPER.fullmatch(name) or BUILTINS.fullmatch(name):
        return True
    return bool(language.calls.fullmatch(name) or language.reserved.fullmatch(name))


def recursion(graph: Mapping[str, Collection[str]]) -> str | None:
    """The name of a function that calls itself, however indirectly."""
    finished: set[str] = set()
    for root in graph:
        path: list[tuple[str, Iterator[str]]] = [(root, iter(graph[root]))]
        on_path = {root}
        while path:
            name, rest = path[-1]
            following = next(rest, None)
            if following is None:
                path.pop()
                on_path.discard(name)
                finished.add(name)
            elif following in on_path:
                return following
            elif following in graph and following not in finished:
                path.append((following, iter(graph[following])))
                on_path.add(following)
    return None


def call_graph(
    functions: Sequence[Function], language: Language, types: Collection[str]
) -> dict[str, set[str]]:
    graph: dict[str, set[str]] = {function.name: set() for function in functions}
    for function in functions:
        tokens = (*function.head, *function.parameters, *function.body)
        _refuse_pointers(tokens)
        body = function.body
        graph[function.name] |= {t.text for t in called_names(body, language, types)}
    return graph
