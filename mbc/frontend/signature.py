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

import numpy as np

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
        _collect(self.inputs, tuple(arguments), "input", found)
        return found

    def output_values(self, returned: Any) -> dict[int, Any]:
        """The tensors in what the model returned, by `mbc.output` index."""
        found: dict[int, Any] = {}
        _collect(self.outputs, returned, "result", found)
        return found

    def to_json(self) -> str:
        return json.dumps(asdict(self), sort_keys=True)

    @staticmethod
    def from_json(text: str) -> Signature:
        return Signature(**json.loads(text))


def _collect(
    structure: Structure, value: Any, wanted: str, found: dict[Any, Any]
) -> None:
    ((kind, content),) = structure.items()
    if kind == wanted:
        found[content] = value
    if kind == "constant":
        _check_constant(content, value)
    if kind not in ("dict", "list", "tuple"):
        return
    _check_container(kind, len(content), value)
    pairs = (
        _entries(content, value) if kind == "dict" else zip(content, value, strict=True)
    )
    for part, item in pairs:
        _collect(part, item, wanted, found)


def _check_container(kind: str, count: int, value: Any) -> None:
    if not isinstance(value, Mapping if kind == "dict" else list | tuple):
        raise InvalidInput(f"the model takes a {kind} here, not {_shown(value)}")
    given = len(cast(Sequence[Any] | Mapping[Any, Any], value))
    if given != count:
        raise InvalidInput(f"the model takes {count} inputs here, {given} were given")


def _entries(
    content: Sequence[tuple[Any, Structure]], given: Mapping[Any, Any]
) -> list[tuple[Structure, Any]]:
    """The parts of a dict, each with what is given under its key."""
    for key, _ in content:
        if key not in given:
            raise InvalidInput(f"the model takes {key!r} here, which was not given")
    return [(part, given[key]) for key, part in content]


def _check_constant(wanted: Any, value: Any) -> None:
    # Tensors answer element by element: they are not the constant, whatever they hold.
    answer = value == wanted
    if not (isinstance(answer, bool | np.bool_) and answer):
        raise InvalidInput(
            f"the model was imported with {wanted!r} where {_shown(value)} is passed"
        )


def _shown(value: Any) -> str:
    """A value in a sentence; of containers and tensors only the type."""
    plain = value is None or isinstance(value, bool | int | float | str)
    return repr(value) if plain else f"a value of type {type(value).__name__}"
