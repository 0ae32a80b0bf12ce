"""What all CUDA kernels share: parameters, named extents and the finished code."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from xdsl.dialects.linalg import ops as linalg

from mbc.codegen.families import Match, Schedule
from mbc.codegen.program import Buffer, KernelCode, Launch
from mbc.codegen.targets import Target
from mbc.ir.kernel import KernelOp
from mbc.ir.types import element_of, shape_of

Extents = Sequence[tuple[str, int]]
"""Names without the kernel's label, and values: (("N0", 512), ...)."""

ONE_LINE = 72
"""Longer parameter lists take one line per parameter."""
WIDE_FROM = 1 << 30
"""Buffers of more elements need 64-bit indices; what is left is room for steps."""


@dataclass(frozen=True)
class Signature:
    """Buffers and named extents of the kernel that is being emitted."""

    match: Match
    target: Target
    extents: Extents
    scratch: tuple[Buffer, ...] = ()
    operands: tuple[Buffer, ...] = field(init=False)
    results: tuple[Buffer, ...] = field(init=False)

    def __post_init__(self) -> None:
        kernel = self.match.kernel
        operands = tuple(
            Buffer(f"a{i}", str(element_of(arg)), shape_of(arg), "input")
            for i, arg in enumerate(kernel.block.args)
        )
        results = tuple(
            Buffer(f"r{i}", str(element_of(value)), shape_of(value), "output")
            for i, value in enumerate(kernel.terminator.values)
        )
        object.__setattr__(self, "operands", operands)
        object.__setattr__(self, "results", results)

    @property
    def label(self) -> str:
        return self.match.kernel.label.data

    @property
    def buffers(self) -> tuple[Buffer, ...]:
        return (*self.operands, *self.results, *self.scratch)

    @property
    def names(self) -> tuple[str, ...]:
        """Of all buffers, in parameter order."""
        return tuple(buffer.name for buffer in self.buffers)

    @property
    def constants(self) -> list[tuple[str, int]]:
        """The extents under their names in the text: k3_N0."""
        return [(f"{self.label}_{name}", value) for name, value in self.extents]

    @property
    def index(self) -> str:
        """The type that counts elements."""
        wide = any(buffer.elements >= WIDE_FROM for buffer in self.buffers)
        return "long long" if wide else "int"

    @property
    def cast(self) -> str:
        """What makes the first factor of a product of indices wide enough."""
        return "(long long)" if self.index == "long long" else ""

    def parameters(self, names: Sequence[str], written: Sequence[str]) -> str:
        """`const float *__restrict__ a0, float *__restrict__ r0`."""
        by_name = {buffer.name: buffer for buffer in self.buffers}
        texts = [
            _parameter(by_name[name], name in written, self.target) for name in names
        ]
        joined = ", ".join(texts)
        return joined if len(joined) < ONE_LINE else ",\n    ".join(texts)

    def code(
        self, source: str, launches: Sequence[Launch], schedule: Schedule
    ) -> KernelCode:
        return KernelCode(
            self.label,
            self.match.family,
            self.target.name,
            source,
            self.operands,
            self.results,
            self.scratch,
            tuple(launches),
            (),
            schedule_text(schedule),
            tuple(self.constants),
        )


def schedule_text(schedule: Schedule) -> str:
    return ", ".join(f"{knob} = {value}" for knob, value in sorted(schedule.items()))


def number(schedule: Schedule, knob: str) -> int:
    value = schedule[knob]
    assert isinstance(value, int)
    return value


def numbers(schedule: Schedule, knob: str) -> tuple[int, ...]:
    value = schedule[knob]
    assert isinstance(value, tuple)
    return value


def op_summary(kernel: KernelOp) -> str:
    """The ops of a kernel in a few words, for the comment above it."""
    words: list[str] = []
    for op in kernel.ops():
        if isinstance(op, linalg.GenericOp):
            words += [o.name.split(".")[1] for o in op.body.block.ops if o.results]
        elif op.name.startswith("mbc."):
            words.append(op.name.removeprefix("mbc."))
    shown = [word for word in dict.fromkeys(words) if word != "constant"]
    return ", ".join(shown) or "copy"


def shape_text(shape: Sequence[int]) -> str:
    return " x ".join(map(str, shape)) or "1"


def _parameter(buffer: Buffer, written: bool, target: Target) -> str:
    constant = "" if written else "const "
    type = target.types[buffer.dtype]
    return f"{constant}{type} *{target.restrict} {buffer.name}"
