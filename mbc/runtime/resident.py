"""A model loaded into this process: weights stay on the device, inputs are not copied.

For code that mbc emitted and a user chose to run. Candidates never come here: they go
through a `Runner`, which isolates them. What differs between APIs is a `Memory`; the
binding of arguments, scratch and results is the same for all.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any, Protocol

from mbc.codegen.model import FunctionCode, ModelCode, Result
from mbc.codegen.program import DTYPE_BYTES, Buffer, Launch
from mbc.ir.types import Array
from mbc.runtime.outcome import Failed

MEMORIES = {
    "cuda": "mbc.runtime.cuda.resident:open_memory",
    "opencl": "mbc.runtime.opencl.resident:open_memory",
}
"""Targets whose code can run in this process; others always use their runner."""

Handle = Any
"""Memory of a device as its API names it."""


class Memory(Protocol):
    """Allocations and launches of one API on one device, with a program's kernels."""

    def constant(self, array: Array) -> Handle:
        """Memory that holds a copy of the array."""
        ...

    def given(self, value: Any) -> Handle:
        """The memory of a caller's array, in place where the device can reach it."""
        ...

    def empty(self, nbytes: int) -> Handle: ...

    def result(self, buffer: Buffer) -> Handle:
        """Memory for one result, which becomes the caller's."""
        ...

    def part(self, whole: Handle, offset: int, nbytes: int) -> Handle: ...

    def enqueue(self, launch: Launch, arguments: Sequence[Handle]) -> None: ...

    def finish(self) -> None:
        """Wait until results may be read, where the caller would not otherwise."""
        ...

    def value(self, handle: Handle, offset: int, result: Result) -> Any:
        """An array of the result's shape and dtype from a byte of a handle on."""
        ...


Open = Callable[[ModelCode], Memory | Failed]


def open_memory(code: ModelCode) -> Memory | Failed:
    """`Failed` where the target cannot run in this process or does not build."""
    if code.target.name not in MEMORIES:
        return Failed("blocked", f"{code.target.name} does not run in this process")
    module, name = MEMORIES[code.target.name].split(":")
    opened: Open = getattr(import_module(module), name)
    return opened(code)


@dataclass
class LoadedFunction:
    """One function with its constants bound; scratch and its views are made once."""

    memory: Memory
    function: FunctionCode
    constants: Mapping[str, Handle]
    """By buffer."""
    fixed: dict[str, Handle] = field(init=False)

    def __post_init__(self) -> None:
        program = self.function.program
        arena = self.memory.empty(program.arena_bytes)
        self.fixed = dict(self.constants)
        for buffer in program.buffers:
            if buffer.role == "scratch" and not buffer.view_of:
                place = buffer.offset, buffer.nbytes
                self.fixed[buffer.name] = self.memory.part(arena, *place)
        self._add_views(self.fixed)

    def __call__(self, inputs: Mapping[str, Handle]) -> list[Any]:
        """The function's results in order; `inputs` are by buffer."""
        program = self.function.program
        bound = {**self.fixed, **inputs}
        for buffer in program.outputs:
            bound[buffer.name] = self.memory.result(buffer)
        self._add_views(bound)
        for launch in program.launches:
            self.memory.enqueue(launch, [bound[name] for name in launch.args])
        self.memory.finish()
        return [self._value(result, bound) for result in self.function.results]

    def rebind(self, buffer: str, handle: Handle) -> None:
        """Another constant for a buffer, and for the views of it."""
        for view in self.function.program.buffers:
            if view.view_of == buffer:
                self.fixed.pop(view.name, None)
        self.fixed[buffer] = handle
        self._add_views(self.fixed)

    def _add_views(self, bound: dict[str, Handle]) -> None:
        """Views of what is bound; those of other buffers wait for a call."""
        for buffer in self.function.program.buffers:
            if buffer.view_of in bound and buffer.name not in bound:
                start = buffer.offset * DTYPE_BYTES[buffer.dtype]
                whole = bound[buffer.view_of]
                bound[buffer.name] = self.memory.part(whole, start, buffer.nbytes)

    def _value(self, result: Result, bound: Mapping[str, Handle]) -> Any:
        start = result.offset * DTYPE_BYTES[result.dtype]
        return self.memory.value(bound[result.buffer], start, result)


@dataclass
class ResidentModel:
    """A model's functions with its weights on the device."""

    code: ModelCode
    memory: Memory
    weights: dict[str, Handle]
    forward: LoadedFunction = field(init=False)

    @classmethod
    def load(
        cls, code: ModelCode, parameters: Mapping[str, Array]
    ) -> ResidentModel | Failed:
        memory = open_memory(code)
        if isinstance(memory, Failed):
            return memory
        names = {
            argument.name
            for function in (code.prepare, code.forward)
            for argument in (function.arguments if function else ())
            if argument.kind == "parameter"
        }
        weights = {name: memory.constant(parameters[name]) for name in sorted(names)}
        return cls(code, memory, weights)

    def __post_init__(self) -> None:
        self._prepare()

    def __call__(self, inputs: Mapping[str, Any]) -> list[Any]:
        """All results of @forward; `inputs` by name, of checked shapes and dtypes."""
        given = {
            argument.buffer: self.memory.given(inputs[argument.name])
            for argument in self.code.forward.arguments
            if argument.kind == "input"
        }
        return self.forward(given)

    def replace(self, name: str, value: Any) -> None:
        """Use another array for a parameter from now on."""
        self.weights[name] = self.memory.given(value)
        prepare = self.code.prepare
        if prepare is not None and name in {a.name for a in prepare.arguments}:
            self._prepare()
            return
        for argument in self.code.forward.arguments:
            if argument.name == name:
                self.forward.rebind(argument.buffer, self.weights[name])

    def _prepare(self) -> None:
        """Run @prepare and bind what @forward takes once."""
        memory, prepared = self.memory, list[Handle]()
        if self.code.prepare is not None:
            bound = _bound(self.code.prepare, self.weights)
            prepare = LoadedFunction(memory, self.code.prepare, bound)
            prepared = [memory.given(value) for value in prepare({})]
        constants = _bound(self.code.forward, self.weights, prepared)
        self.forward = LoadedFunction(memory, self.code.forward, constants)


def _bound(
    function: FunctionCode,
    weights: Mapping[str, Handle],
    prepared: Sequence[Handle] = (),
) -> dict[str, Handle]:
    """What the arguments of a function are bound to once, by buffer."""
    bound: dict[str, Handle] = {}
    for argument in function.arguments:
        if argument.kind == "parameter":
            bound[argument.buffer] = weights[argument.name]
        if argument.kind == "prepared":
            bound[argument.buffer] = prepared[argument.index]
    return bound
