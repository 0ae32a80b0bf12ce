"""Kernels to emit, and one program out of many of them to run against the oracle."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt
from xdsl.builder import ImplicitBuilder
from xdsl.dialects.builtin import f32
from xdsl.ir import Block, Region, SSAValue

from mbc.codegen.emitters import emitter
from mbc.codegen.emitters.opencl.headers import header_text, helpers_used
from mbc.codegen.families import default_schedule, match_kernel
from mbc.codegen.program import Buffer, KernelCode, Launch, Program
from mbc.codegen.targets import Target, target_named
from mbc.ir.attributes import Entry
from mbc.ir.execute import execute
from mbc.ir.kernel import KernelOp, YieldOp
from mbc.ir.types import tensor
from mbc.runtime.opencl.runner import OpenclRunner
from mbc.runtime.outcome import Completed

Floats = npt.NDArray[np.float32]
Build = Callable[..., SSAValue | tuple[SSAValue, ...]]


@dataclass(frozen=True)
class Case:
    """A kernel body over f32 operands; `schedule` overrides defaults."""

    name: str
    shapes: tuple[tuple[int, ...], ...]
    build: Build
    schedule: Mapping[str, Entry]
    family: str


def kernel_of(label: str, shapes: Sequence[Sequence[int]], build: Build) -> KernelOp:
    types = [tensor(shape, f32) for shape in shapes]
    block, outer = Block(arg_types=types), Block(arg_types=types)
    with ImplicitBuilder(block):
        made = build(*block.args)
        results = made if isinstance(made, tuple) else (made,)
        YieldOp(*results)
    kernel = KernelOp(label, outer.args, [r.type for r in results], Region(block))
    outer.add_op(kernel)
    kernel.verify()
    return kernel


def emit_case(label: str, case: Case, target: Target) -> tuple[KernelOp, KernelCode]:
    kernel = kernel_of(label, case.shapes, case.build)
    match = match_kernel(kernel, target)
    assert match.family == case.family, f"{case.name} is {match.family}"
    schedule = {**default_schedule(match, target), **case.schedule}
    return kernel, emitter(target, match.family)(match, schedule, target)


def joined(codes: Sequence[KernelCode]) -> Program:
    """One program with the buffers of each kernel under its label."""
    sources = "\n".join(code.source for code in codes)
    buffers: list[Buffer] = []
    launches: list[Launch] = []
    for code in codes:
        mine = (*code.operands, *code.results, *code.scratch)
        buffers += [replace(b, name=f"{code.label}_{b.name}") for b in mine]
        launches += [
            replace(launch, args=tuple(f"{code.label}_{a}" for a in launch.args))
            for launch in code.launches
        ]
    source = header_text(helpers_used(sources)) + "\n" + sources
    return Program("opencl", source, tuple(buffers), tuple(launches))


def check(runner: OpenclRunner, cases: Sequence[Case], style: str) -> None:
    """Every result of every case within 1e-5 of the largest float64 value."""
    target = target_named("opencl", {"style": style})
    rng = np.random.default_rng(7)
    kernels: list[KernelOp] = []
    codes: list[KernelCode] = []
    inputs: dict[str, Floats] = {}
    for index, case in enumerate(cases):
        kernel, code = emit_case(f"k{index}", case, target)
        kernels.append(kernel)
        codes.append(code)
        for buffer in code.operands:
            values = rng.standard_normal(buffer.shape).astype(np.float32)
            inputs[f"{code.label}_{buffer.name}"] = values
    outcome = runner.run(joined(codes), inputs)
    assert isinstance(outcome, Completed), outcome
    for case, kernel, code in zip(cases, kernels, codes, strict=True):
        arrays = [inputs[f"{code.label}_{b.name}"] for b in code.operands]
        wanted = execute(kernel, arrays, "float64")
        for buffer, reference in zip(code.results, wanted, strict=True):
            found = outcome.outputs[f"{code.label}_{buffer.name}"]
            compare(f"{case.name} {dict(case.schedule)}", found, reference)


def compare(
    name: str, found: npt.NDArray[np.generic], wanted: npt.NDArray[np.generic]
) -> None:
    reference = wanted.astype(np.float64)
    bound = 1e-5 * float(np.abs(reference).max())
    error = float(np.abs(found.astype(np.float64) - reference).max())
    assert error <= bound, f"{name}: off by {error:.2e}, allowed {bound:.2e}"
