"""What the templates of entry points say of one function, on every target."""

from __future__ import annotations

from dataclasses import dataclass

from mbc.codegen.host.layout import functions_of
from mbc.codegen.model import FunctionCode, ModelCode, Result
from mbc.codegen.program import Buffer, Launch


@dataclass(frozen=True)
class Parameter:
    """An array that the caller passes: its C name, type and meaning."""

    name: str
    dtype: str
    nbytes: int
    shape: tuple[int, ...]
    meaning: str


@dataclass(frozen=True)
class Copy:
    """A result that is no buffer of its own: `nbytes` from a byte of another one."""

    to: str
    source: str
    offset: int
    nbytes: int


@dataclass(frozen=True)
class Entry:
    """One entry point. `views` share storage with an input or scratch buffer."""

    name: str
    inputs: tuple[Parameter, ...]
    outputs: tuple[Parameter, ...]
    scratch: tuple[Buffer, ...]
    views: tuple[Buffer, ...]
    launches: tuple[Launch, ...]
    copies: tuple[Copy, ...]
    arena: int


def entries_of(code: ModelCode) -> list[Entry]:
    return [_entry(name, function) for name, function in functions_of(code).items()]


def _entry(name: str, function: FunctionCode) -> Entry:
    program = function.program
    named = program.by_name
    inputs = [_parameter(named[a.buffer], a.name or a.kind) for a in function.arguments]
    results = list(enumerate(function.results))
    return Entry(
        name,
        tuple(inputs),
        tuple(_result(index, result) for index, result in results),
        tuple(b for b in program.buffers if b.role == "scratch" and not b.view_of),
        tuple(b for b in program.buffers if b.view_of),
        program.launches,
        tuple(c for index, result in results for c in _copies(index, result, named)),
        program.arena_bytes,
    )


def _parameter(buffer: Buffer, meaning: str) -> Parameter:
    return Parameter(buffer.name, buffer.dtype, buffer.nbytes, buffer.shape, meaning)


def _result(index: int, result: Result) -> Parameter:
    meaning = f"new value of {result.updates}" if result.updates else "output"
    shaped = Buffer(f"y{index}", result.dtype, result.shape, "output")
    return _parameter(shaped, meaning)


def _copies(index: int, result: Result, named: dict[str, Buffer]) -> list[Copy]:
    """None where a kernel writes the result where the caller wants it."""
    shaped = Buffer(f"y{index}", result.dtype, result.shape, "output")
    source = named[result.buffer]
    if source.role == "output" and source.name == shaped.name:
        return []
    start = result.offset * shaped.nbytes // max(shaped.elements, 1)
    return [Copy(shaped.name, source.name, start, shaped.nbytes)]
