"""What emission hands to the runtime: sources, buffers and launches, as plain data.

A `Program` is complete: a runner needs nothing else to build and run it. A single
kernel candidate and a whole model's forward function are both programs, so there is
one way to run, check and time either.

    KernelCode  one kernel: its source text and the launches that run it
    Program     named buffers plus launches in order over the sources of many kernels
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Literal

Role = Literal["input", "output", "scratch"]

VIEW_ALIGNMENT = 512
"""Bytes that a view may start at multiples of: what OpenCL devices ask of sub-buffers,
and enough for any vector access. Other slices are copied by a kernel."""

DTYPE_BYTES = {
    "i1": 1,
    "i8": 1,
    "i16": 2,
    "i32": 4,
    "i64": 8,
    "index": 8,
    "f16": 2,
    "bf16": 2,
    "f32": 4,
    "f64": 8,
}
"""Bytes of one element at every ABI, keyed by MLIR type name; i1 is one byte."""


@dataclass(frozen=True)
class Buffer:
    """A dense row-major array. `dtype` is an MLIR type name (`f32`, `i64`, `i1`)."""

    name: str
    dtype: str
    shape: tuple[int, ...]
    role: Role
    view_of: str = ""
    """Name of the buffer whose storage this one shares, or empty."""
    offset: int = 0
    """Elements from the start of `view_of`; bytes from the arena's start otherwise.

    Only scratch buffers without `view_of` live in the arena; `Program.arena_bytes`
    is its size, and offsets are planned by liveness, at the target's alignment.
    """

    @property
    def elements(self) -> int:
        return math.prod(self.shape)

    @property
    def nbytes(self) -> int:
        return self.elements * DTYPE_BYTES[self.dtype]


@dataclass(frozen=True)
class Launch:
    """One call of an emitted function.

    `args` are buffer names in the function's parameter order. `grid` counts work
    groups (CUDA blocks) and `block` the work items (threads) of one group; host
    targets ignore both. With `steps` > 1 the function takes a last `int` parameter
    and is called in order with 0, 1, ..., steps - 1.
    """

    function: str
    args: tuple[str, ...]
    grid: tuple[int, int, int] = (1, 1, 1)
    block: tuple[int, int, int] = (1, 1, 1)
    steps: int = 1
    images: tuple[int, ...] = ()
    """Positions of arguments that the function reads as images (OpenCL): texels of
    four f32 each, in the buffer's order."""


@dataclass(frozen=True)
class KernelCode:
    """The source of one kernel and how to call it.

    `source` needs the target's prelude and the `headers` (names of helper headers
    in the target's template folder) in front of it, each once per translation unit.
    Buffers of `operands` are named a0, a1, ...; `results` r0, r1, ...; `scratch`
    s0, s1, ...
    """

    label: str
    family: str
    target: str
    source: str
    operands: tuple[Buffer, ...]
    results: tuple[Buffer, ...]
    scratch: tuple[Buffer, ...] = ()
    launches: tuple[Launch, ...] = ()
    headers: tuple[str, ...] = ()
    schedule: str = ""
    extents: tuple[tuple[str, int], ...] = ()
    """The named constants of the text, as it spells them: (("k3_N0", 512), ...)."""


@dataclass(frozen=True)
class Program:
    """Sources, buffers and launches; `source` is one translation unit."""

    target: str
    source: str
    buffers: tuple[Buffer, ...]
    launches: tuple[Launch, ...]
    arena_bytes: int = 0
    options: tuple[tuple[str, str], ...] = ()
    """Target options that the build must honour: (("vlen", "256"),)."""
    by_name: dict[str, Buffer] = field(
        init=False, repr=False, compare=False, hash=False
    )

    def __post_init__(self) -> None:
        table = {buffer.name: buffer for buffer in self.buffers}
        object.__setattr__(self, "by_name", table)

    @property
    def functions(self) -> frozenset[str]:
        """Names of what is launched: what a device compiles before it runs."""
        return frozenset(launch.function for launch in self.launches)

    @property
    def inputs(self) -> tuple[Buffer, ...]:
        """What the caller passes; views of inputs share their storage."""
        return tuple(b for b in self.buffers if b.role == "input" and not b.view_of)

    @property
    def outputs(self) -> tuple[Buffer, ...]:
        """What the caller gets back; one may view an input that it updates."""
        return tuple(b for b in self.buffers if b.role == "output")
