"""What every OpenCL kernel has: a signature, named extents, a comment, a launch."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.dialects import arith
from xdsl.dialects.linalg import ops as linalg
from xdsl.dialects.tensor import EmptyOp

from mbc.codegen.emitters.nest import kernel_buffers, parameter
from mbc.codegen.families import Match, Schedule
from mbc.codegen.program import Buffer, KernelCode, Launch
from mbc.codegen.render import render
from mbc.codegen.targets import Target
from mbc.ir.attributes import Entry
from mbc.ir.kernel import KernelOp

Shape = tuple[int, int, int]
LARGEST_INT = 2**31 - 1


@dataclass(frozen=True)
class Frame:
    """A kernel before its text is rendered.

    `extents` are (name, value) of the loops, without the label in front.
    """

    match: Match
    schedule: Schedule
    target: Target
    extents: tuple[tuple[str, int], ...]
    scratch: tuple[Buffer, ...] = ()
    images: tuple[str, ...] = ()
    """Operands that are read as images."""

    @property
    def label(self) -> str:
        return self.match.kernel.label.data

    @property
    def buffers(self) -> tuple[Buffer, ...]:
        operands, results = kernel_buffers(self.match.kernel)
        return (*operands, *results, *self.scratch)

    def named_extents(self) -> tuple[tuple[str, int], ...]:
        """(k3_N0, 512), ...: the constants that the text is written in."""
        return tuple((self.name(name), value) for name, value in self.extents)

    def name(self, extent: str) -> str:
        return f"{self.label}_{extent}"

    def index_type(self) -> str:
        """64-bit only where a buffer needs it; items past the end count, too."""
        largest = max(buffer.elements for buffer in self.buffers)
        return "int" if largest < LARGEST_INT // 2 else "long"

    def code(
        self, template: str, grid: Shape, block: Shape, **context: object
    ) -> KernelCode:
        """The kernel from its template, launched once."""
        source = render(
            template,
            label=self.label,
            extents=self.named_extents(),
            parameters=[self._parameter(b) for b in self.buffers],
            index=self.index_type(),
            block=block,
            summary=summary(self.match.kernel),
            **context,
        )
        operands, results = kernel_buffers(self.match.kernel)
        names = tuple(b.name for b in self.buffers)
        images = tuple(names.index(name) for name in self.images)
        launch = Launch(self.label, names, grid, block, images=images)
        return KernelCode(
            self.label,
            self.match.family,
            self.target.name,
            source,
            operands,
            results,
            self.scratch,
            (launch,),
            (),
            ", ".join(f"{knob} = {value}" for knob, value in self.schedule.items()),
            self.named_extents(),
        )

    def _parameter(self, buffer: Buffer) -> str:
        if buffer.name in self.images:
            return f"__read_only image1d_buffer_t {buffer.name}"
        return parameter(buffer, self.target)


def number(schedule: Schedule, knob: str) -> int:
    return _int(schedule[knob])


def numbers(schedule: Schedule, knob: str) -> tuple[int, ...]:
    value = schedule[knob]
    assert isinstance(value, tuple)
    return tuple(_int(v) for v in value)


def _int(value: Entry) -> int:
    assert isinstance(value, int)
    return value


def fitting_width(width: int, extent: int) -> int:
    """Vectors no wider than the loop needs; 4 is the narrowest that is worth it."""
    while width > 4 and width // 2 >= extent:
        width //= 2
    return 1 if extent == 1 else width


def ceil_div(a: int, b: int) -> int:
    return -(-a // b)


def summary(kernel: KernelOp) -> str:
    """The work of a kernel in a few words: `softmax`, `contract, then addf, tanh`."""
    parts: list[str] = []
    for op in kernel.ops():
        if isinstance(op, linalg.GenericOp):
            parts.append(_body_words(op) or "copy")
        elif not isinstance(op, EmptyOp):
            parts.append(op.name.split(".")[1])
    return ", then ".join(parts)


def _body_words(op: linalg.GenericOp) -> str:
    nested = [o for o in op.body.block.ops if not isinstance(o, arith.ConstantOp)]
    return _join([o.name.split(".")[1] for o in nested[:-1]])


def _join(words: Sequence[str]) -> str:
    return ", ".join(dict.fromkeys(words))
