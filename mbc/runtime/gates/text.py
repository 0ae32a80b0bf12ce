"""G0: the constructs that a candidate's text may use, before anything reads it.

Allow-lists per target (`languages`) over real tokens, behind a preprocessor of our
own (`preprocess`). It protects where nothing isolates, and gives the reasons that a
writer of kernels can act on; what it cannot see is for the later gates.
"""

from __future__ import annotations

import re
import time
from collections.abc import Iterator, Sequence
from itertools import pairwise

from mbc.codegen.program import KernelCode
from mbc.runtime.gates.calls import call_graph, called_names, is_known, recursion
from mbc.runtime.gates.candidate import Candidate
from mbc.runtime.gates.languages import (
    ATTRIBUTES,
    BUILTINS,
    DENIED,
    DENIED_CXX,
    HARNESS,
    LANGUAGES,
    MARKS,
    PRAGMAS,
    Language,
)
from mbc.runtime.gates.lexer import Refused, Token
from mbc.runtime.gates.preprocess import Preprocessor
from mbc.runtime.gates.report import GateResult, Passed, Rejected
from mbc.runtime.gates.signature import check_signatures
from mbc.runtime.gates.structure import Structure, closing, structure_of

MOST_BYTES = 512 << 10
UNDERSCORED = re.compile(r"_[A-Z]\w*|__\w+|\w*__\w*")
PREDEFINED = re.compile(r"(?:MBC|mbc|CL|CLK|cl_\w+|FLT|DBL|INT\w*|UINT\w*|M)_\w+|_\w*")


def check_text(candidate: Candidate) -> GateResult:
    """G0 on the text of the candidate's kernel at its own extents."""
    start = time.monotonic()
    code = candidate.code(candidate.kernel)
    try:
        checks = inspect(code, LANGUAGES[candidate.target.name])
    except Refused as refused:
        rule, reason = refused.offence.rule, refused.offence.reason
        reason = _in_its_own_lines(reason, code, candidate)
        other = _written_for(candidate)
        if other:
            rule = "target"
            reason = f"the text is written for {other}, not for {code.target}: {reason}"
        return Rejected("G0", rule, "compile_fail", reason, time.monotonic() - start)
    return Passed("G0", checks, time.monotonic() - start)


def _written_for(candidate: Candidate) -> str:
    """The other target whose words a refused text has, or empty."""
    own, text = candidate.target.name, candidate.source
    if MARKS[own].search(text):
        return ""
    return next((name for name, mark in MARKS.items() if mark.search(text)), "")


def _in_its_own_lines(reason: str, code: KernelCode, candidate: Candidate) -> str:
    """Line numbers as the author of the text has them, without what is in front."""
    if not candidate.source:
        return reason
    before = code.source.count("\n") - candidate.source.count("\n")

    def moved(place: re.Match[str]) -> str:
        return f"line {int(place[1]) - before}"

    return re.sub(r"^line (\d+)", moved, reason)


def inspect(code: KernelCode, language: Language) -> int:
    """How many tokens and declarations were looked at; `Refused` at an offence."""
    if len(code.source) > MOST_BYTES:
        raise Refused("size", f"the text is over {MOST_BYTES >> 10} KiB")
    functions = frozenset(launch.function for launch in code.launches)
    preprocessor = Preprocessor(
        language.includes, lambda name: _may_define(name, language, functions), PRAGMAS
    )
    tokens = preprocessor.run(code.source)
    _check_conditions(preprocessor.asked, code)
    for seen in preprocessor.seen:
        _check_word(seen, language)
    for index, token in enumerate(tokens):
        _check_place(tokens, index, token, language)
    found = structure_of(tokens, language)
    _check_names(found, language)
    for declaration in found.variables:
        _check_variable(declaration, language)
    _check_calls(found, tokens, language)
    return len(tokens) + check_signatures(code, found.functions, language)


def _may_define(name: str, language: Language, functions: frozenset[str]) -> bool:
    if name in language.keywords or name in HARNESS or name in functions:
        return False
    known = language.types.fullmatch(name) or language.calls.fullmatch(name)
    return not (known or PREDEFINED.fullmatch(name))


def _check_conditions(asked: set[str], code: KernelCode) -> None:
    extents = {name for name, _ in code.extents}
    for name in sorted(asked - extents):
        if not name.startswith(f"{code.label}_"):
            raise Refused("condition", f"a condition asks about '{name}'")


def _check_word(token: Token, language: Language) -> None:
    """Words that may stand nowhere, branches that are not taken and macros included."""
    if token.kind != "word":
        return
    word = token.text
    for rule, pattern in DENIED.items():
        if pattern.fullmatch(word):
            raise Refused(rule, f"line {token.line}: '{word}' is not for kernels")
    if language.templates and DENIED_CXX.fullmatch(word):
        raise Refused("language", f"line {token.line}: '{word}' is not for kernels")
    if word.startswith("__builtin_"):
        if not BUILTINS.fullmatch(word):
            raise Refused("builtin", f"line {token.line}: '{word}' is not allowed")
        return
    reserved = UNDERSCORED.fullmatch(word) and word not in language.keywords
    if reserved and not language.reserved.fullmatch(word):
        raise Refused("reserved name", f"line {token.line}: '{word}' is not allowed")


def _check_place(
    tokens: Sequence[Token], index: int, token: Token, language: Language
) -> None:
    following = tokens[index + 1].text if index + 1 < len(tokens) else ""
    where = f"line {token.line}"
    if token.text == "__attribute__":
        _check_attribute(tokens, index)
    elif token.text == "[" and following == "[":
        raise Refused("attribute", f"{where}: an attribute in brackets")
    elif token.text == "<<" and following == "<":
        raise Refused("launch", f"{where}: a kernel is launched")
    elif token.text in ("#", "##"):
        raise Refused("preprocessor", f"{where}: '{token.text}' inside a line")
    elif token.text == "extern" and not _is_kernel_linkage(tokens, index, language):
        raise Refused("extern", f"{where}: 'extern' names something outside the text")
    elif token.kind == "string" and len(token.text) > 200:
        raise Refused("size", f"{where}: a string of over 200 characters")


def _is_kernel_linkage(tokens: Sequence[Token], index: int, language: Language) -> bool:
    texts = [token.text for token in tokens[index + 1 : index + 3]]
    return language.templates and texts == ['"C"', "__global__"]


def _check_attribute(tokens: Sequence[Token], index: int) -> None:
    if [token.text for token in tokens[index + 1 : index + 3]] != ["(", "("]:
        raise Refused("attribute", f"line {tokens[index].line}: an odd attribute")
    end = closing(tokens, index + 2)
    inside = tokens[index + 3 : end]
    depth = 0
    for token in inside:
        depth += (token.text == "(") - (token.text == ")")
        name = token.text.strip("_")
        if token.kind == "word" and depth == 0 and name not in ATTRIBUTES:
            raise Refused("attribute", f"line {token.line}: attribute '{name}'")


def _check_names(found: Structure, language: Language) -> None:
    for function in found.functions:
        name = function.name
        provided = language.calls.fullmatch(name) or PREDEFINED.fullmatch(name)
        if provided or name in HARNESS:
            raise Refused("redefinition", f"the text defines '{name}'")


def _check_variable(declaration: Sequence[Token], language: Language) -> None:
    """Constants may outlive a call; `const float *p` is a variable pointer."""
    texts = [token.text for token in declaration]
    before = texts[: texts.index("=")] if "=" in texts else texts
    where = f"line {declaration[0].line}"
    constant = language.constants & set(before)
    stars = [i for i, text in enumerate(before) if text == "*"]
    if not constant or (stars and "const" not in before[stars[-1] :]):
        words = [text for text in before if text.isidentifier()]
        name = words[-1] if words else "?"
        raise Refused("static data", f"{where}: '{name}' keeps its value between calls")
    if "=" not in texts:
        raise Refused("static data", f"{where}: a constant without a value")
    calls = list(called_names(declaration, language, frozenset()))
    names = {token.text for token in calls if token.text not in ATTRIBUTES}
    if names and "constexpr" not in before:
        raise Refused("static data", f"{where}: a constant that is computed at start")


def _check_calls(found: Structure, tokens: Sequence[Token], language: Language) -> None:
    own = {function.name for function in found.functions} | found.types
    types = found.types | set(_template_types(tokens))
    graph = call_graph(found.functions, language, types)
    attributes = {f"{a}{name}{a}" for name in ATTRIBUTES for a in ("", "__")}
    for names in graph.values():
        for name in sorted(names - attributes):
            if not is_known(name, language, own | types):
                raise Refused("call", f"'{name}' is not a function for kernels")
    again = recursion(graph)
    if again is not None:
        raise Refused("recursion", f"'{again}' calls itself")


def _template_types(tokens: Sequence[Token]) -> Iterator[str]:
    for token, following in pairwise(tokens):
        if token.text in ("class", "typename"):
            yield following.text
