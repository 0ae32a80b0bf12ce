"""The value of `#if`: integers, names of the text, and C's operators."""

from __future__ import annotations

import ast
import operator
import re
from collections.abc import Callable, Sequence
from typing import Protocol

from mbc.runtime.gates.lexer import Refused, Token

OPERATORS: dict[type[ast.AST], Callable[[int, int], int]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.FloorDiv: lambda a, b: a // b,
    ast.Mod: operator.mod,
    ast.BitAnd: lambda a, b: a & b,
    ast.BitOr: lambda a, b: a | b,
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
}
SPELLING = {"&&": " and ", "||": " or ", "!": " not ", "/": "//"}
LONGEST = 200
UNREADABLE = Refused("preprocessor", "a condition of #if is not understood")


class Names(Protocol):
    def is_defined(self, name: str) -> bool: ...

    def expand(self, tokens: Sequence[Token]) -> list[Token]: ...


def truth(names: Names, tokens: Sequence[Token]) -> bool:
    expanded = names.expand(list(_without_defined(names, tokens)))
    for token in expanded:
        if token.kind == "word" and token.text not in ("true", "false"):
            # Compilers read it as 0, and record it as asked for.
            names.is_defined(token.text)
    text = "".join(_python(token) for token in expanded).strip()
    if not text or len(text) > LONGEST:
        raise UNREADABLE
    try:
        return bool(_value(ast.parse(text, mode="eval").body))
    except (SyntaxError, ZeroDivisionError) as error:
        raise UNREADABLE from error


def _without_defined(names: Names, tokens: Sequence[Token]) -> list[Token]:
    out: list[Token] = []
    rest = list(tokens)[::-1]
    while rest:
        token = rest.pop()
        if token.text != "defined":
            out.append(token)
            continue
        asked = [t for t in rest[-3:][::-1] if t.text not in "()"][:1]
        if not asked or asked[0].kind != "word":
            raise UNREADABLE
        in_parentheses = rest[-1].text == "("
        del rest[-3 if in_parentheses else -1 :]
        value = str(int(names.is_defined(asked[0].text)))
        out.append(Token("number", value, token.line))
    return out


def _python(token: Token) -> str:
    if token.kind == "word":
        return " 1 " if token.text == "true" else " 0 "
    if token.kind == "number":
        digits = re.fullmatch(r"(0[xX][0-9a-fA-F]+|[0-9]+)[uUlL]*", token.text)
        if digits is None:
            raise UNREADABLE
        base = 16 if digits[1][:2] in ("0x", "0X") else 8 if digits[1][0] == "0" else 10
        return f" {int(digits[1], base)} "
    return SPELLING.get(token.text, token.text)


def _value(node: ast.expr) -> int:
    match node:
        case ast.Constant(value=int(value)):
            return value
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            return not _value(operand)
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return -_value(operand)
        case ast.BoolOp(op=ast.And(), values=values):
            return all(_value(value) for value in values)
        case ast.BoolOp(values=values):
            return any(_value(value) for value in values)
        case ast.BinOp(left=left, op=op, right=right) if type(op) in OPERATORS:
            return OPERATORS[type(op)](_value(left), _value(right))
        case ast.Compare(left=left, ops=[op], comparators=[right]):
            if type(op) in OPERATORS:
                return OPERATORS[type(op)](_value(left), _value(right))
            raise UNREADABLE
        case _:
            raise UNREADABLE
