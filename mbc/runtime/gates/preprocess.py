"""The preprocessor that candidates get: constants and small macros, within a budget.

`#` and `##` are refused, so macros only arrange words that stand in the text: what is
forbidden by name cannot be spelled by a macro. Conditions may only ask about names of
the text itself, because asking about others tells where a kernel is being run.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

from mbc.runtime.gates.lexer import Refused, Token, lines_of
from mbc.runtime.gates.preprocess_condition import truth

MOST_TOKENS = 100_000
MOST_EXPANDED = 400_000
LONGEST_BODY = 2_000


@dataclass(frozen=True)
class Macro:
    parameters: tuple[str, ...] | None
    """None for a macro without parentheses."""
    body: tuple[Token, ...]


Marked = tuple[Token, frozenset[str]]
"""A token and the macros whose expansion it is part of."""


@dataclass
class Preprocessor:
    may_include: frozenset[str]
    may_define: Callable[[str], bool]
    pragmas: re.Pattern[str]
    macros: dict[str, Macro] = field(default_factory=dict[str, Macro])
    asked: set[str] = field(default_factory=set[str])
    active: list[bool] = field(default_factory=list[bool])
    taken: list[bool] = field(default_factory=list[bool])
    seen: list[Token] = field(default_factory=list[Token])
    """Every token, those of branches that are not taken included."""
    left: int = MOST_EXPANDED

    def run(self, text: str) -> list[Token]:
        """The text behind the preprocessor; `Refused` where it uses more than it may.

        `asked` holds names of conditions that the text does not define.
        """
        out: list[Token] = []
        pending: list[Token] = []
        for line in lines_of(text):
            self.seen += line
            if len(self.seen) > MOST_TOKENS:
                raise Refused("size", f"the text has over {MOST_TOKENS} tokens")
            if line[0].text == "#":
                out += self.expand(pending)
                pending = []
                self._directive(line)
            elif all(self.active):
                pending += line
        if self.active:
            raise Refused("preprocessor", "a condition of the preprocessor has no end")
        return out + self.expand(pending)

    def expand(self, tokens: Iterable[Token]) -> list[Token]:
        out: list[Token] = []
        stack: list[Marked] = [(token, frozenset[str]()) for token in tokens][::-1]
        while stack:
            token, hidden = stack.pop()
            self.left -= 1
            if self.left < 0:
                raise Refused("macros", f"macros expand to over {MOST_EXPANDED} tokens")
            macro = self.macros.get(token.text) if token.kind == "word" else None
            if macro is None or token.text in hidden:
                out.append(token)
            else:
                self._replace(token, hidden, macro, stack, out)
        return out

    def _replace(
        self,
        token: Token,
        hidden: frozenset[str],
        macro: Macro,
        stack: list[Marked],
        out: list[Token],
    ) -> None:
        hides = hidden | {token.text}
        if macro.parameters is None:
            stack += [(part, hides) for part in reversed(macro.body)]
            return
        if not stack or stack[-1][0].text != "(":
            out.append(token)
            return
        arguments = _arguments(token, stack)
        named = dict(zip(macro.parameters, arguments))
        for part in reversed(macro.body):
            argument = named.get(part.text)
            put = [(part, hides)] if argument is None else argument[::-1]
            self.left -= len(put)
            if self.left < 0:
                raise Refused("macros", f"macros expand to over {MOST_EXPANDED} tokens")
            stack += put

    def _directive(self, line: Sequence[Token]) -> None:
        name = line[1].text if len(line) > 1 else ""
        rest = line[2:]
        if name in ("if", "ifdef", "ifndef", "elif", "else", "endif"):
            self._condition(name, rest, line[0].line)
        elif not all(self.active) or not name:
            return
        elif name == "define":
            self._define(rest)
        elif name == "undef":
            self._undefine(rest)
        elif name == "include":
            self._include(rest)
        elif name == "pragma":
            self._pragma(rest)
        else:
            raise Refused("preprocessor", f"#{name} is not for kernels")

    def _condition(self, name: str, rest: Sequence[Token], line: int) -> None:
        if name in ("if", "ifdef", "ifndef"):
            holds = all(self.active) and self._holds(name, rest)
            self.active.append(holds)
            self.taken.append(holds)
            return
        if not self.active:
            raise Refused("preprocessor", f"line {line}: #{name} without #if")
        if name == "endif":
            self.active.pop()
            self.taken.pop()
            return
        self.active[-1] = False
        outer = all(self.active[:-1]) and not self.taken[-1]
        self.active[-1] = outer and (name == "else" or self._holds("if", rest))
        self.taken[-1] = self.taken[-1] or self.active[-1]

    def _holds(self, name: str, rest: Sequence[Token]) -> bool:
        if name == "if":
            return truth(self, rest)
        if len(rest) != 1 or rest[0].kind != "word":
            raise Refused("preprocessor", f"#{name} needs one name")
        return self.is_defined(rest[0].text) == (name == "ifdef")

    def is_defined(self, name: str) -> bool:
        if name not in self.macros:
            self.asked.add(name)
        return name in self.macros

    def _define(self, rest: Sequence[Token]) -> None:
        if not rest or rest[0].kind != "word":
            raise Refused("preprocessor", "#define needs a name")
        name = rest[0].text
        if not self.may_define(name):
            raise Refused("redefinition", f"'{name}' may not be a macro")
        parameters, body = _signature(rest)
        if len(body) > LONGEST_BODY:
            raise Refused("macros", f"macro '{name}' is too long")
        if any(token.text in ("#", "##") for token in body):
            raise Refused("macros", f"macro '{name}' makes words with # or ##")
        self.macros[name] = Macro(parameters, body)

    def _undefine(self, rest: Sequence[Token]) -> None:
        if len(rest) != 1 or not self.may_define(rest[0].text):
            raise Refused("redefinition", "#undef of a name that is not the text's own")
        self.macros.pop(rest[0].text, None)

    def _include(self, rest: Sequence[Token]) -> None:
        name = "".join(token.text for token in rest)
        if name not in self.may_include:
            allowed = ", ".join(sorted(self.may_include)) or "none"
            raise Refused("include", f"#include of a file; allowed: {allowed}")

    def _pragma(self, rest: Sequence[Token]) -> None:
        text = " ".join(token.text for token in rest)
        if not self.pragmas.fullmatch(text):
            raise Refused("pragma", f"#pragma {text[:40]} is not for kernels")


def _signature(
    rest: Sequence[Token],
) -> tuple[tuple[str, ...] | None, tuple[Token, ...]]:
    if len(rest) < 2 or rest[1].text != "(" or not rest[1].glued:
        return None, tuple(rest[1:])
    end = next((i for i, token in enumerate(rest) if token.text == ")"), 0)
    inside = [token for token in rest[2:end] if token.text != ","]
    if any(token.kind != "word" for token in inside) or not end:
        raise Refused("macros", f"macro '{rest[0].text}' has odd parameters")
    return tuple(token.text for token in inside), tuple(rest[end + 1 :])


def _arguments(name: Token, stack: list[Marked]) -> list[list[Marked]]:
    """Takes `( ... )` off the stack and splits it at its outer commas."""
    depth = 0
    arguments: list[list[Marked]] = [[]]
    while stack:
        marked = stack.pop()
        text = marked[0].text
        depth += (text == "(") - (text == ")")
        if depth == 0:
            return arguments
        if depth == 1 and text == ",":
            arguments.append([])
        elif depth > 1 or text != "(":
            arguments[-1].append(marked)
    raise Refused("macros", f"macro '{name.text}' has no end of its arguments")
