"""What all kernels share: buffers, parameters, named extents, the finished code."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from xdsl.dialects.linalg import ops as linalg

from mbc.codegen.emitters.rvv.layout import tidy
from mbc.codegen.families import Match, Schedule
from mbc.codegen.program import Buffer, KernelCode, Launch
from mbc.codegen.render import render
from mbc.codegen.targets import Target
from mbc.ir.attributes import Entry
from mbc.ir.kernel import KernelOp
from mbc.ir.tensor_op import TensorOp
from mbc.ir.types import element_of, shape_of

SILENT = ("linalg.yield", "arith.constant")
"""Ops that a kernel's comment does not name."""


@dataclass(frozen=True)
class Frame:
    """The kernel that is being emitted; `extents` are (N0, value), ..."""

    match: Match
    target: Target
    schedule: Schedule
    extents: tuple[tuple[str, int], ...]
    scratch: tuple[Buffer, ...] = ()

    @property
    def label(self) -> str:
        return self.match.kernel.label.data

    @property
    def constants(self) -> tuple[tuple[str, int], ...]:
        """The extents under their names in the text: k3_N0."""
        return tuple((f"{self.label}_{name}", value) for name, value in self.extents)

    def code(
        self, template: str, headers: Iterable[str], **context: object
    ) -> KernelCode:
        """The kernel in a template that extends `rvv/kernel.c.j2`."""
        kernel = self.match.kernel
        operands, results = _operands(kernel), _results(kernel)
        buffers = (*operands, *results, *self.scratch)
        schedule = ", ".join(f"{k} = {_plain(v)}" for k, v in self.schedule.items())
        text = render(
            template,
            label=self.label,
            qualifier=self.target.kernel,
            parameters=", ".join(_parameter(b, self.target) for b in buffers),
            summary=_summary(kernel),
            shapes=_shapes(operands, results),
            schedule=schedule,
            constants=self.constants,
            **context,
        )
        return KernelCode(
            self.label,
            self.match.family,
            self.target.name,
            tidy(text),
            operands,
            results,
            self.scratch,
            (Launch(self.label, tuple(b.name for b in buffers)),),
            tuple(sorted(headers)),
            schedule,
            self.constants,
        )


def _operands(kernel: KernelOp) -> tuple[Buffer, ...]:
    return tuple(
        Buffer(f"a{i}", str(element_of(arg)), shape_of(arg), "input")
        for i, arg in enumerate(kernel.block.args)
    )


def _results(kernel: KernelOp) -> tuple[Buffer, ...]:
    return tuple(
        Buffer(f"r{i}", str(element_of(value)), shape_of(value), "output")
        for i, value in enumerate(kernel.terminator.values)
    )


def _parameter(buffer: Buffer, target: Target) -> str:
    constant = "const " if buffer.role == "input" else ""
    return f"{constant}{target.types[buffer.dtype]} *{target.restrict} {buffer.name}"


def _plain(value: Entry) -> str:
    if isinstance(value, tuple):
        return " x ".join(str(part) for part in value)
    return str(value)


def _summary(kernel: KernelOp) -> str:
    """What the kernel computes, by the names of its ops: `softmax` or `mulf, exp`."""
    names: list[str] = []
    for op in kernel.ops():
        if isinstance(op, TensorOp):
            names.append(op.name)
        elif isinstance(op, linalg.GenericOp):
            names += [nested.name for nested in op.body.block.ops]
    plain = [n.split(".")[1] for n in names if n not in SILENT]
    return ", ".join(dict.fromkeys(plain)) or "copy"


def _shapes(operands: Sequence[Buffer], results: Sequence[Buffer]) -> str:
    """`a0[16, 256] -> r0[16]`."""
    sides = (
        ", ".join(f"{b.name}[{', '.join(map(str, b.shape))}]" for b in buffers)
        for buffers in (operands, results)
    )
    return " -> ".join(sides)
