"""Many kernels as one program: emitted, built once, run at three vector lengths."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from xdsl.builder import ImplicitBuilder
from xdsl.dialects.builtin import f32
from xdsl.ir import Block, Region, SSAValue

from mbc.codegen.emitters import emitter
from mbc.codegen.emitters.rvv.headers import header_text
from mbc.codegen.families import default_schedule, match_kernel
from mbc.codegen.program import Buffer, KernelCode, Launch, Program
from mbc.codegen.targets import target_named
from mbc.ir.attributes import Entry
from mbc.ir.execute import execute
from mbc.ir.kernel import KernelOp, YieldOp
from mbc.ir.types import Array, tensor
from mbc.runtime.outcome import Completed
from mbc.runtime.rvv.runner import RvvRunner

RVV = target_named("rvv")
Build = Callable[..., SSAValue | Sequence[SSAValue]]


@dataclass(frozen=True)
class Case:
    """A kernel to check: operand shapes, its body, the family and a schedule."""

    name: str
    family: str
    shapes: Sequence[tuple[int, ...]]
    build: Build
    schedule: Mapping[str, Entry]
    low: float = -2.0
    high: float = 2.0


@dataclass(frozen=True)
class Checked:
    """`error` is relative to the largest magnitude of the reference."""

    case: Case
    error: float


def kernel_of(label: str, shapes: Sequence[tuple[int, ...]], build: Build) -> KernelOp:
    types = [tensor(shape, f32) for shape in shapes]
    body, outer = Block(arg_types=types), Block(arg_types=types)
    with ImplicitBuilder(body):
        made = build(*body.args)
        results = (made,) if isinstance(made, SSAValue) else tuple(made)
        YieldOp(*results)
    kernel = KernelOp(label, outer.args, [r.type for r in results], Region(body))
    OUTER_BLOCKS.append(outer)
    kernel.verify()
    return kernel


OUTER_BLOCKS: list[Block] = []
"""Keeps the owners of operands alive for as long as their kernels."""


def emit(label: str, case: Case) -> tuple[KernelOp, KernelCode]:
    kernel = kernel_of(label, case.shapes, case.build)
    match = match_kernel(kernel, RVV)
    assert match.family == case.family, (case.name, match.family)
    schedule = {**default_schedule(match, RVV), **case.schedule}
    return kernel, emitter(RVV, match.family)(match, schedule, RVV)


def program_of(codes: Sequence[KernelCode]) -> Program:
    """All kernels in order; buffer a0 of kernel k1 is called k1_a0."""
    headers = header_text({h for code in codes for h in code.headers})
    buffers: list[Buffer] = []
    launches: list[Launch] = []
    arena = 0
    for code in codes:
        for buffer in (*code.operands, *code.results, *code.scratch):
            scratch = buffer.role == "scratch"
            named = replace(
                buffer,
                name=f"{code.label}_{buffer.name}",
                offset=arena if scratch else 0,
            )
            buffers.append(named)
            arena += -(-buffer.nbytes // 64) * 64 if scratch else 0
        for launch in code.launches:
            args = tuple(f"{code.label}_{name}" for name in launch.args)
            launches.append(replace(launch, args=args))
    source = "\n".join([headers, *(code.source for code in codes)])
    return Program("rvv", source, tuple(buffers), tuple(launches), arena)


def operands(case: Case, seed: int) -> list[Array]:
    random = np.random.default_rng(seed)
    return [
        random.uniform(case.low, case.high, shape).astype(np.float32)
        for shape in case.shapes
    ]


def check(cases: Sequence[Case], runner: RvvRunner) -> list[Checked]:
    """All cases as one program against the reference in float64."""
    emitted = [emit(f"k{i}", case) for i, case in enumerate(cases)]
    arrays = [operands(case, i) for i, case in enumerate(cases)]
    inputs = {
        f"k{i}_a{j}": array
        for i, given in enumerate(arrays)
        for j, array in enumerate(given)
    }
    outcome = runner.run(program_of([code for _, code in emitted]), inputs)
    assert isinstance(outcome, Completed), outcome
    checked: list[Checked] = []
    for i, (case, (kernel, _)) in enumerate(zip(cases, emitted, strict=True)):
        wanted = execute(kernel, arrays[i], "float64")
        errors = [
            relative_error(outcome.outputs[f"k{i}_r{j}"], reference)
            for j, reference in enumerate(wanted)
        ]
        checked.append(Checked(case, max(errors)))
    return checked


def relative_error(found: Array, reference: Array) -> float:
    scale = max(float(np.abs(reference).max()), 1e-30)
    return float(np.abs(found.astype(np.float64) - reference).max()) / scale
