"""Whether the functions that are launched take what the launches pass."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from mbc.codegen.program import Buffer, KernelCode, Launch
from mbc.codegen.targets import target_named
from mbc.runtime.gates.languages import Language
from mbc.runtime.gates.lexer import Refused, Token
from mbc.runtime.gates.structure import Function

ELEMENT = {
    "float": "f32",
    "double": "f64",
    "half": "f16",
    "_Float16": "f16",
    "__half": "f16",
    "int": "i32",
    "int32_t": "i32",
    "uint": "i32",
    "uint32_t": "i32",
    "int64_t": "i64",
    "uint64_t": "i64",
    "long": "i64",
    "longlong": "i64",
    "ulong": "i64",
    "short": "i16",
    "int16_t": "i16",
}
"""Element types whose size is beyond doubt; others are left to the differential."""
SAME_BITS = {"index": "i64", "bf16": "i16"}


IMAGE = "__read_only image1d_buffer_t"


def wanted_signature(code: KernelCode, launch: Launch) -> str:
    """The function that a launch calls, as its author must write it."""
    target = target_named(code.target)
    buffers = _by_name(code)
    parameters = [
        f"{IMAGE} {n}"
        if position in launch.images
        else f"{target.pointer}{'const ' if buffers[n].role == 'input' else ''}"
        f"{target.types[buffers[n].dtype]} *{n}"
        for position, n in enumerate(launch.args)
    ]
    if launch.steps > 1:
        parameters.append("int step")
    head = target.kernel.strip()
    return f"`{head} {launch.function}({', '.join(parameters)})`"


def check_signatures(
    code: KernelCode, functions: Sequence[Function], language: Language
) -> int:
    """How many parameters were looked at; `Refused` at the first that is wrong."""
    named = {function.name: function for function in functions}
    checked = 0
    for launch in code.launches:
        function = named.get(launch.function)
        try:
            checked += _check_function(launch, function, _by_name(code), language)
        except _Wrong as wrong:
            place = f"line {function.head[0].line}: " if function else ""
            wanted = wanted_signature(code, launch)
            raise Refused("signature", f"{place}{wrong}; write {wanted}") from None
    return checked


class _Wrong(Exception):
    """What is wrong with a function, in words."""


def _by_name(code: KernelCode) -> dict[str, Buffer]:
    return {b.name: b for b in (*code.operands, *code.results, *code.scratch)}


def _check_function(
    launch: Launch,
    function: Function | None,
    buffers: Mapping[str, Buffer],
    language: Language,
) -> int:
    if function is None:
        raise _Wrong(f"the text does not define '{launch.function}'")
    words = {token.text for token in function.head}
    if language.entry and not language.entry & words:
        entry = "' or '".join(sorted(language.entry))
        raise _Wrong(f"'{function.name}' is not '{entry}'")
    if "template" in words or ("static" in words and language.entry):
        raise _Wrong(f"'{function.name}' cannot be launched")
    return 1 + _check_parameters(launch, function, buffers)


def _check_parameters(
    launch: Launch, function: Function, buffers: Mapping[str, Buffer]
) -> int:
    parameters = list(_split(function.parameters))
    wanted = len(launch.args) + (launch.steps > 1)
    if len(parameters) != wanted:
        raise _Wrong(f"'{function.name}' takes {len(parameters)} parameters")
    for position, (name, tokens) in enumerate(zip(launch.args, parameters)):
        texts = [token.text for token in tokens]
        if position not in launch.images:
            _check_parameter(buffers[name], texts)
        elif not set(IMAGE.split()) <= set(texts):
            raise _Wrong(f"the parameter of '{name}' is no image that is read")
    return len(parameters)


def _check_parameter(buffer: Buffer, texts: Sequence[str]) -> None:
    if "*" not in texts and "[" not in texts:
        raise _Wrong(f"the parameter of '{buffer.name}' is no pointer")
    types = {ELEMENT[text] for text in texts if text in ELEMENT}
    if types and not types & {buffer.dtype, SAME_BITS.get(buffer.dtype, buffer.dtype)}:
        raise _Wrong(
            f"the parameter of '{buffer.name}' does not point to {buffer.dtype}"
        )
    if buffer.role == "input" and "const" not in texts:
        raise _Wrong(f"the parameter of '{buffer.name}', an input, is not const")


def _split(tokens: Sequence[Token]) -> Iterator[list[Token]]:
    part: list[Token] = []
    depth = 0
    for token in tokens:
        depth += (token.text in "([<") - (token.text in ")]>")
        if token.text == "," and depth == 0:
            yield part
            part = []
        else:
            part.append(token)
    if part and [token.text for token in part] != ["void"]:
        yield part
