"""Families: shapes of computation that have templates and schedules of their own.

A family says which kernels it recognizes (by structure, never by name), which
schedules are legal on a target, and what a schedule costs on paper. It holds no
text: `mbc.codegen.emitters` has that, one file per family and target. The table is in
order of preference; `nest`, the plain loop nest, recognizes everything.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from importlib import import_module
from typing import Protocol

from mbc.codegen.targets import Target
from mbc.ir.attributes import Entry, ScheduleAttr
from mbc.ir.kernel import KernelOp

FAMILIES = {
    "move": "mbc.codegen.families.move:MoveFamily",
    "map": "mbc.codegen.families.map:MapFamily",
    "pointwise": "mbc.codegen.families.pointwise:PointwiseFamily",
    "contract": "mbc.codegen.families.contract:ContractFamily",
    "conv": "mbc.codegen.families.conv:ConvFamily",
    "attention": "mbc.codegen.families.attention:AttentionFamily",
    "recurrent": "mbc.codegen.families.recurrent:RecurrentFamily",
    "reduce": "mbc.codegen.families.reduce:ReduceFamily",
    "rowwise": "mbc.codegen.families.rowwise:RowwiseFamily",
    "window": "mbc.codegen.families.window:WindowFamily",
    "scan": "mbc.codegen.families.scan:ScanFamily",
    "arg_reduce": "mbc.codegen.families.arg_reduce:ArgReduceFamily",
    "interpolate": "mbc.codegen.families.interpolate:InterpolateFamily",
    "sort": "mbc.codegen.families.sort:SortFamily",
    "random": "mbc.codegen.families.random:RandomFamily",
    "nest": "mbc.codegen.families.nest:NestFamily",
}

Schedule = Mapping[str, Entry]
Space = Mapping[str, tuple[Entry, ...]]
"""Legal values of each knob a family reads on a target; the first is the default."""


@dataclass(frozen=True)
class Match:
    """A kernel seen as a member of a family; subclasses hold what was found."""

    family: str
    kernel: KernelOp


@dataclass(frozen=True)
class PackChoice:
    """An operand that a kernel can read in panels of `tiles` along `axis`."""

    operand: int
    axis: int
    tiles: tuple[int, ...]


@dataclass(frozen=True)
class Cost:
    """What a schedule costs on paper: arithmetic, traffic and parallel slack."""

    flops: float
    bytes: float
    parallel: float
    """Independent work items (SIMT) or full vectors (SIMD)."""
    utilization: float
    """Fraction of lanes that do useful work."""


class Family(Protocol):
    """The interface of a family; every method is a pure function of its arguments."""

    def match(self, kernel: KernelOp, target: Target) -> Match | None: ...

    def space(self, match: Match, target: Target) -> Space: ...

    def refusal(self, match: Match, target: Target, schedule: Schedule) -> str:
        """Why a combination of legal values is illegal, or the empty string."""
        ...

    def packable(self, match: Match, target: Target) -> tuple[PackChoice, ...]: ...

    def cost(self, match: Match, target: Target, schedule: Schedule) -> Cost: ...


def family_named(name: str) -> Family:
    module, attribute = FAMILIES[name].split(":")
    return getattr(import_module(module), attribute)()


def match_kernel(kernel: KernelOp, target: Target) -> Match:
    """The first family that recognizes `kernel` on `target`."""
    for name in FAMILIES:
        match = family_named(name).match(kernel, target)
        if match is not None:
            return match
    raise AssertionError("the nest family recognizes every kernel")


def default_schedule(match: Match, target: Target) -> dict[str, Entry]:
    """The first legal value of every knob."""
    space = family_named(match.family).space(match, target)
    return {knob: values[0] for knob, values in space.items()}


def schedule_of(match: Match, target: Target) -> dict[str, Entry]:
    """The kernel's schedule with defaults for what it leaves open.

    A value that is not legal here (another target's, say) gives way to the default.
    """
    space = family_named(match.family).space(match, target)
    schedule = {knob: values[0] for knob, values in space.items()}
    written = match.kernel.schedule
    chosen = written.values() if isinstance(written, ScheduleAttr) else {}
    schedule.update({k: v for k, v in chosen.items() if v in space.get(k, ())})
    if family_named(match.family).refusal(match, target, schedule):
        return default_schedule(match, target)
    return schedule
