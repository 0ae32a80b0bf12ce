"""Whether the functions that are launched take what the launches pass."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from mbc.codegen.program import Buffer, KernelCode, Launch
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


def check_signatures(
    code: KernelCode, functions: Sequence[Function], language: Language
) -> int:
    """How many parameters were looked at; `Refused` at the first that is wrong."""
    named = {function.name: function for function in functions}
    buffers = {b.name: b for b in (*code.operands, *code.results, *code.scratch)}
    checked = 0
    for launch in code.launches:
        function = named.get(launch.function)
        if function is None:
            raise Refused("signature", f"the text does not define '{launch.function}'")
        words = {token.text for token in function.head}
        if language.entry and not language.entry & words:
            entry = "' or '".join(sorted(language.entry))
            raise Refused("signature", f"'{function.name}' is not '{entry}'")
        if "template" in words or ("static" in words and language.entry):
            raise Refused("signature", f"'{function.name}' cannot be launched")
        checked += 1 + _check_parameters(launch, function, buffers)
    return checked


def _check_parameters(
    launch: Launch, function: Function, buffers: Mapping[str, Buffer]
) -> int:
    parameters = list(_split(function.parameters))
    wanted = len(launch.args) + (launch.steps > 1)
    if len(parameters) != wanted:
        raise Refused(
            "signature",
            f"'{function.name}' takes {len(parameters)} parameters, not {wanted}",
        )
    for name, tokens in zip(launch.args, parameters):
        texts = [token.text for token in tokens]
        if "*" not in texts and "[" not in texts:
            raise Refused("signature", f"parameter of '{name}' is no pointer")
        types = {ELEMENT[text] for text in texts if text in ELEMENT}
        dtype = buffers[name].dtype
        if types and not types & {dtype, SAME_BITS.get(dtype, dtype)}:
            raise Refused(
                "signature", f"parameter of '{name}' does not point to {dtype}"
            )
    return len(parameters)


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
