"""Long rows on SIMT targets: one launch per step of a bitonic network."""

from __future__ import annotations

from mbc.codegen.emitters.nest import kernel_buffers, parameter
from mbc.codegen.emitters.sorting import sort_context
from mbc.codegen.families import Schedule
from mbc.codegen.families.sort import SortMatch
from mbc.codegen.program import Buffer, KernelCode, Launch
from mbc.codegen.render import render
from mbc.codegen.targets import Target

ARGUMENTS = {"number": ("a0", "s0"), "step": ("s0",), "write": ("a0", "s0", "r0", "r1")}
"""The functions in order, and the buffers that each one takes."""
KEYED = {**ARGUMENTS, "number": ("a0", "s0", "s1"), "step": ("s0", "s1")}
"""Where keys are not part of the numbers."""


def emit_passes(match: SortMatch, schedule: Schedule, target: Target) -> KernelCode:
    """Numbers of all rows, the network's steps, and the results."""
    operands, results = kernel_buffers(match.kernel)
    rows = (match.rows, match.padded)
    names = ("s0", "s1") if match.has_keys else ("s0",)
    scratch = tuple(Buffer(name, "i64", rows, "scratch") for name in names)
    label, size = match.kernel.label.data, schedule["parallel"]
    assert isinstance(size, int)
    by_name = {b.name: b for b in (*operands, *results, *scratch)}
    parameters = {
        f"{name}_parameters": ", ".join(parameter(by_name[b], target) for b in buffers)
        for name, buffers in _arguments(match).items()
    }
    source = render(
        "common/sort_passes.j2",
        label=label,
        comment=f"sort of {match.rows} x {match.length}",
        qualifier=target.kernel,
        work_item=target.work_item,
        keys_type=f"{target.pointer}{target.types['i64']}",
        c=sort_context(match, target),
        **parameters,
    )
    return KernelCode(
        label,
        match.family,
        target.name,
        source,
        operands,
        results,
        scratch,
        tuple(_launches(match, size)),
        (),
        f"parallel = {size}",
    )


def _arguments(match: SortMatch) -> dict[str, tuple[str, ...]]:
    return KEYED if match.has_keys else ARGUMENTS


def _launches(match: SortMatch, size: int) -> list[Launch]:
    doublings = match.padded.bit_length() - 1
    steps = {"step": doublings * (doublings + 1) // 2}
    items = {
        "number": match.rows * match.padded,
        "step": match.rows * match.padded // 2,
        "write": match.rows * match.count,
    }
    return [
        Launch(
            f"{match.kernel.label.data}_{name}",
            buffers,
            (-(-items[name] // size), 1, 1),
            (size, 1, 1),
            steps.get(name, 1),
        )
        for name, buffers in _arguments(match).items()
    ]
