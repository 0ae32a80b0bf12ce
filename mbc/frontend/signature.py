"""How a call of the user's model maps to the arguments and results of @forward.

A structure is nested JSON that mirrors Python containers. Its leaves are
`{"input": name}`, `{"result": index}` (the function's `mbc.output`) or
`{"constant": value}`; inner nodes `{"tuple": [...]}`, `{"list": [...]}` and
`{"dict": [[key, ...], ...]}`.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, cast

from mbc.errors import InvalidInput

Structure = dict[str, Any]


@dataclass(frozen=True)
class Leaf:
    """A leaf while it stands in a Python container."""

    kind: str
    value: Any


def structure_of(value: Any) -> Structure:
    """The structure of containers whose leaves are `Leaf`; others are constants."""
    match value:
        case Leaf(kind, content):
            return {kind: content}
        case Mapping():
            pairs = cast(Mapping[Any, Any], value)
            return {"dict": [[key, structure_of(v)] for key, v in pairs.items()]}
        case list() | tuple():
            kind = "list" if isinstance(value, list) else "tuple"
            items = cast(Sequence[Any], value)
            return {kind: [structure_of(item) for item in items]}
        case _:
            return {"constant": value}


def rebuild(structure: Structure, leaf: Callable[[str, Any], Any]) -> Any:
    """The Python value of a structure; `leaf(kind, value)` gives its leaves."""
    ((kind, content),) = structure.items()
    match kind:
        case "dict":
            return {key: rebuild(value, leaf) for key, value in content}
        case "list":
            return [rebuild(item, leaf) for item in content]
        case "tuple":
            return tuple(rebuild(item, leaf) for item in content)
        case _:
            return leaf(kind, content)


@dataclass(frozen=True)
class Signature:
    inputs: Structure
    """Always a tuple: the positional arguments of the model."""
    outputs: Structure

    def input_values(self, arguments: Sequence[Any]) -> dict[str, Any]:
        """The tensors among the model's arguments, by `mbc.input` name."""
        found: dict[str, Any] = {}
        _collect(self.inputs, tuple(arguments), found)
        return found

    def to_json(self) -> str:
        return json.dumps(asdict(self), sort_keys=True)

    @staticmethod
    def from_json(text: str) -> Signature:
        return Signature(**json.loads(text))


def _collect(structure: Structure, value: Any, found: dict[str, Any]) -> None:
    ((kind, content),) = structure.items()
    if kind == "input":
        found[content] = value
    if kind == "constant" and value != content:
        raise InvalidInput(
            f"the model was imported with {content!r} where {value!r} is passed"
        )
    if kind not in ("dict", "list", "tuple"):
        return
    if len(content) != len(value):
        raise InvalidInput(
            f"the model takes {len(content)} inputs here, {len(value)} were given"
        )
    pairs = (
        [(part, value[key]) for key, part in content]
        if kind == "dict"
        else zip(content, value, strict=True)
    )
    for part, item in pairs:
        _collect(part, item, found)
