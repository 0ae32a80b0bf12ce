"""Where the arrays of a model lie in the files that its `main` reads and writes.

An area is one file or one block of memory: arrays one behind the other, dense and
little-endian, each at a multiple of 64 bytes.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from mbc.codegen.model import Argument, FunctionCode, ModelCode
from mbc.codegen.program import Buffer

ALIGNMENT = 64

AREA_OF = {"parameter": "weights", "input": "inputs", "prepared": "prepared"}
"""By kind of argument."""


@dataclass(frozen=True)
class Piece:
    """One array of an area; `index` counts them, `offset` is in bytes."""

    index: int
    offset: int
    nbytes: int
    meaning: str


@dataclass
class Area:
    name: str
    pieces: dict[str, Piece] = field(default_factory=dict[str, Piece])
    nbytes: int = 0

    def add(self, key: str, buffer: Buffer) -> None:
        if key in self.pieces:
            return
        shape = "x".join(str(extent) for extent in buffer.shape)
        meaning = f"{key}, {buffer.dtype} {shape}".rstrip()
        place = len(self.pieces), self.nbytes
        self.pieces[key] = Piece(*place, buffer.nbytes, meaning)
        self.nbytes += -(-buffer.nbytes // ALIGNMENT) * ALIGNMENT

    @property
    def layout(self) -> list[str]:
        """For people: where each array starts and what it is."""
        pieces = self.pieces.values()
        return [f"{self.name} + {p.offset}: {p.meaning}" for p in pieces]


@dataclass(frozen=True)
class Place:
    """An argument or result of a function: a piece of an area."""

    area: str
    piece: Piece


@dataclass(frozen=True)
class HostCall:
    """A call of an entry point: where inputs come from and outputs go, in order."""

    function: str
    inputs: tuple[Place, ...]
    outputs: tuple[Place, ...]


def functions_of(code: ModelCode) -> dict[str, FunctionCode]:
    """In the order of their calls."""
    prepare = {} if code.prepare is None else {"prepare": code.prepare}
    return {**prepare, "forward": code.forward}


def areas_of(code: ModelCode) -> dict[str, Area]:
    """The weights, inputs, prepared values and outputs of a model."""
    areas = {n: Area(n) for n in ("weights", "inputs", "prepared", "outputs")}
    functions = functions_of(code)
    for function in functions.values():
        for argument in function.arguments:
            if argument.kind != "prepared":
                buffer = function.program.by_name[argument.buffer]
                areas[AREA_OF[argument.kind]].add(argument.name, buffer)
    for name, function in functions.items():
        for index, result in enumerate(function.results):
            shaped = Buffer(f"y{index}", result.dtype, result.shape, "output")
            areas[results_area(name)].add(f"{index}", shaped)
    return areas


def results_area(function: str) -> str:
    return "prepared" if function == "prepare" else "outputs"


def calls_of(code: ModelCode, areas: dict[str, Area]) -> list[HostCall]:
    """What `main` calls, in order."""
    calls: list[HostCall] = []
    for name, function in functions_of(code).items():
        results = areas[results_area(name)]
        count = len(function.results)
        outputs = tuple(
            Place(results.name, results.pieces[f"{i}"]) for i in range(count)
        )
        inputs = tuple(_place(argument, areas) for argument in function.arguments)
        calls.append(HostCall(name, inputs, outputs))
    return calls


def _place(argument: Argument, areas: dict[str, Area]) -> Place:
    area = areas[AREA_OF[argument.kind]]
    key = f"{argument.index}" if argument.kind == "prepared" else argument.name
    return Place(area.name, area.pieces[key])
