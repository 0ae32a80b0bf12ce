"""Emits the plain loop nest on every target: one function of loops on a host, one
kernel per stage on SIMT targets."""

from __future__ import annotations

import math
from collections.abc import Sequence

from xdsl.ir import SSAValue

from mbc.codegen.families import Match, Schedule
from mbc.codegen.families.nest import NestMatch
from mbc.codegen.nest.stage import Stage, for_loop, for_loops
from mbc.codegen.nest.stages import stages_of
from mbc.codegen.program import Buffer, KernelCode, Launch
from mbc.codegen.render import render
from mbc.codegen.targets import Target
from mbc.ir.kernel import KernelOp
from mbc.ir.types import element_of, shape_of


def kernel_buffers(
    kernel: KernelOp,
) -> tuple[tuple[Buffer, ...], tuple[Buffer, ...]]:
    """Operand buffers a0, a1, ... and result buffers r0, r1, ... of a kernel."""
    operands = tuple(
        Buffer(f"a{i}", str(element_of(arg)), shape_of(arg), "input")
        for i, arg in enumerate(kernel.block.args)
    )
    results = tuple(
        Buffer(f"r{i}", str(element_of(value)), shape_of(value), "output")
        for i, value in enumerate(kernel.terminator.values)
    )
    return operands, results


def parameter(buffer: Buffer, target: Target) -> str:
    """`__global const float *restrict a0`."""
    constant = "const " if buffer.role == "input" else ""
    type = target.types[buffer.dtype]
    return f"{target.pointer}{constant}{type} *{target.restrict} {buffer.name}"


def emit_host(match: Match, schedule: Schedule, target: Target) -> KernelCode:
    """Every stage in one function; steps are a loop around the stage."""
    assert isinstance(match, NestMatch)
    staged = stages_of(match.body, target)
    operands, results, scratch = _buffers(match, staged.scratch)
    buffers = (*operands, *results, *scratch)
    lines: list[str] = []
    for stage in staged.stages:
        body = for_loops(stage.loops, stage.lines)
        if stage.steps > 1 or _reads_step(stage):
            body = for_loop("step", stage.steps, body)
        lines += [f"// {stage.comment}", "{", *(f"  {line}" for line in body), "}"]
    label = match.kernel.label.data
    source = render(
        "common/nest_host.j2",
        label=label,
        qualifier=target.kernel,
        parameters=[parameter(b, target) for b in buffers],
        lines=lines,
        ops=_summary(match.kernel),
    )
    launch = Launch(label, tuple(b.name for b in buffers))
    return KernelCode(
        label,
        "nest",
        target.name,
        source,
        operands,
        results,
        scratch,
        (launch,),
        ("scalar_math",),
    )


def emit_simt(match: Match, schedule: Schedule, target: Target) -> KernelCode:
    """One kernel per stage; a work item is one point of the parallel loops."""
    assert isinstance(match, NestMatch)
    staged = stages_of(match.body, target)
    operands, results, scratch = _buffers(match, staged.scratch)
    by_name = {b.name: b for b in (*operands, *results, *scratch)}
    size = schedule.get("parallel", 64)
    assert isinstance(size, int)
    launches: list[Launch] = []
    stages: list[dict[str, object]] = []
    label = match.kernel.label.data
    for index, stage in enumerate(staged.stages):
        name = f"{label}_{index}" if len(staged.stages) > 1 else label
        points = math.prod(extent for _, extent in stage.loops)
        if points == 0:
            continue
        stages.append(_simt_stage(stage, name, points, by_name, target))
        grid = (-(-points // size), 1, 1)
        launches.append(Launch(name, stage.buffers, grid, (size, 1, 1), stage.steps))
    source = render(
        "common/nest_simt.j2",
        qualifier=target.kernel,
        work_item=target.work_item,
        stages=stages,
        ops=_summary(match.kernel),
    )
    return KernelCode(
        label,
        "nest",
        target.name,
        source,
        operands,
        results,
        scratch,
        tuple(launches),
        (),
        f"parallel = {size}",
    )


def _simt_stage(
    stage: Stage, name: str, points: int, buffers: dict[str, Buffer], target: Target
) -> dict[str, object]:
    parameters = [parameter(buffers[b], target) for b in stage.buffers]
    if stage.steps > 1:
        parameters.append("int step")
    return {
        "name": name,
        "comment": stage.comment,
        "parameters": parameters,
        "single_step": stage.steps == 1 and _reads_step(stage),
        "points": points,
        "indices": _indices(stage.loops),
        "lines": stage.lines,
    }


def _reads_step(stage: Stage) -> bool:
    return any("step" in line for line in stage.lines)


def _indices(loops: Sequence[tuple[str, int]]) -> list[str]:
    """Declarations of the loop indices from the linear work item `item`."""
    lines: list[str] = []
    inner = 1
    for position, (name, extent) in reversed(list(enumerate(loops))):
        text = "item" if inner == 1 else f"item / {inner}"
        if position > 0:
            text = f"({text}) % {extent}" if inner > 1 else f"item % {extent}"
        lines.append(f"const int {name} = {text};")
        inner *= extent
    return list(reversed(lines))


def _buffers(
    match: NestMatch, scratch: Sequence[SSAValue]
) -> tuple[tuple[Buffer, ...], tuple[Buffer, ...], tuple[Buffer, ...]]:
    operands, results = kernel_buffers(match.body)
    held = tuple(
        Buffer(f"s{i}", str(element_of(v)), shape_of(v), "scratch")
        for i, v in enumerate(scratch)
    )
    return operands, results, held


def _summary(kernel: KernelOp) -> str:
    """The ops of a kernel in a few words, for the comment above it."""
    names = [op.name for op in kernel.ops() if op.name != "tensor.empty"]
    return ", ".join(dict.fromkeys(names)) or "a copy"
