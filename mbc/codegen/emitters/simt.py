"""What the GPU kernels of both SIMT languages share: spelling, frame, finished code."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from mbc.codegen.emitters.nest import kernel_buffers, parameter
from mbc.codegen.families import Match, Schedule
from mbc.codegen.program import Buffer, KernelCode, Launch
from mbc.codegen.render import render
from mbc.codegen.targets import Target

WIDE_FROM = 1 << 30
"""Buffers of more elements need 64-bit indices; what is left is room for steps."""


def strip_of(count: int) -> int:
    """Neighbours of an item's `count` that one access of shared memory brings."""
    return next(width for width in (4, 2, 1) if count % width == 0)


@dataclass(frozen=True)
class Spelling:
    """How a language says what every language of work groups has."""

    item: str
    group: str
    """Its number; grids have one axis, because CUDA limits the others to 65535."""
    shared: str
    aligned: str
    """Behind `shared`: fit for accesses of four floats."""
    barrier: str
    kernel: str
    """What stands before a kernel's name, for groups of {0} items."""
    scan: str
    """The scan of one `value` per item over groups of {0}, by {1}: what lies before an
    item; the whole group's fold is left in `total`."""
    fold: str
    """The fold of one `value` per item over groups of {0}, by {1}."""
    load: str
    """Copies {0} neighbouring floats from shared memory at {2} to {1}."""
    store: str
    """The way back: {0} floats from {2} to shared memory at {1}."""

    def copied(self, form: str, count: int, to: str, source: str) -> str:
        """`form` of `count` floats between addresses; one is a plain assignment."""
        if count == 1:
            return f"*({to}) = *({source});"
        return form.format(count, to, source)


SPELLINGS = {
    "opencl": Spelling(
        "get_local_id(0)",
        "get_group_id(0)",
        "__local",
        "__attribute__((aligned(16)))",
        "barrier(CLK_LOCAL_MEM_FENCE);",
        "__kernel __attribute__((reqd_work_group_size({0}, 1, 1)))\nvoid",
        "mbc_group_scan_{1}(value, shared, &total)",
        "mbc_group_{1}(value, shared)",
        "vstore{0}(vload{0}(0, {2}), 0, {1});",
        "vstore{0}(vload{0}(0, {2}), 0, {1});",
    ),
    "cuda": Spelling(
        "threadIdx.x",
        "blockIdx.x",
        "__shared__",
        "__align__(16)",
        "__syncthreads();",
        'extern "C" __global__ void __launch_bounds__({0})',
        "mbc_scan_block<{0}, mbc_{1}>(value, shared, &total)",
        "mbc_fold_block<{0}, mbc_{1}>(value, shared)",
        "mbc_load<{0}>({1}, {2});",
        "mbc_store<{0}>({1}, {2});",
    ),
}


@dataclass(frozen=True)
class SimtFrame:
    """The kernel that is being emitted; `extents` are (NAME, value), ..."""

    match: Match
    schedule: Schedule
    target: Target
    extents: Sequence[tuple[str, int]]
    scratch: tuple[Buffer, ...] = ()

    @property
    def label(self) -> str:
        return self.match.kernel.label.data

    @property
    def spelling(self) -> Spelling:
        return SPELLINGS[self.target.name]

    @property
    def named(self) -> tuple[tuple[str, int], ...]:
        """The extents under their names in the text: k3_OUTER."""
        return tuple((f"{self.label}_{name}", value) for name, value in self.extents)

    def number(self, knob: str) -> int:
        value = self.schedule[knob]
        assert isinstance(value, int)
        return value

    def code(
        self, template: str, launches: Sequence[Launch], **context: object
    ) -> KernelCode:
        """All kernels take all buffers, in one order; launches need no `args`."""
        operands, results = kernel_buffers(self.match.kernel)
        buffers = (*operands, *results, *self.scratch)
        wide = any(b.elements >= WIDE_FROM for b in buffers)
        source = render(
            template,
            label=self.label,
            constants=self.named,
            parameters=", ".join(parameter(b, self.target) for b in buffers),
            index=self.target.types["i64"] if wide else "int",
            spelling=self.spelling,
            work_item=self.target.work_item,
            **context,
        )
        names = tuple(b.name for b in buffers)
        return KernelCode(
            self.label,
            self.match.family,
            self.target.name,
            source,
            operands,
            results,
            self.scratch,
            tuple(replace(launch, args=names) for launch in launches),
            (),
            ", ".join(f"{knob} = {v}" for knob, v in sorted(self.schedule.items())),
            self.named,
        )
