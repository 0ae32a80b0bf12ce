"""Kernels emitted as plain loop nests and gathered into one program per target."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from xdsl.dialects.builtin import ModuleOp

from mbc.codegen.emitters import emitter, translation_unit
from mbc.codegen.families import Match, default_schedule, family_named
from mbc.codegen.memory_plan import Lifetime, plan_memory
from mbc.codegen.program import Buffer, KernelCode, Launch, Program
from mbc.codegen.targets import Target
from mbc.ir.context import new_context
from mbc.ir.kernel import KernelOp, kernels
from mbc.ir.types import Array
from mbc.passes.pipeline import parse, run
from mbc.runtime.inputs import random_arguments


def kernels_of(module: ModuleOp) -> list[KernelOp]:
    run(new_context(), module, parse("form-kernels"))
    return list(kernels(module))


def nest_code(kernel: KernelOp, label: str, target: Target) -> KernelCode:
    """The kernel as a plain nest, whatever family would take it."""
    clone = kernel.clone()
    clone.properties["label"] = type(kernel.label)(label)
    match: Match | None = family_named("nest").match(clone, target)
    assert match is not None
    schedule = default_schedule(match, target)
    return emitter(target, "nest")(match, schedule, target)


def program_of(codes: list[KernelCode], target: Target) -> Program:
    """One program that runs every kernel on buffers of its own."""
    buffers: list[Buffer] = []
    launches: list[Launch] = []
    lifetimes: list[Lifetime] = []
    for code in codes:
        renamed = {
            b.name: replace(b, name=f"{code.label}_{b.name}")
            for b in (*code.operands, *code.results, *code.scratch)
        }
        buffers += renamed.values()
        for launch in code.launches:
            args = tuple(renamed[name].name for name in launch.args)
            launches.append(replace(launch, args=args))
        lifetimes += [
            Lifetime(b.name, b.nbytes, 0, 1_000)
            for b in renamed.values()
            if b.role == "scratch"
        ]
    arena = plan_memory(lifetimes)
    placed = [
        replace(b, offset=arena.offsets[b.name]) if b.role == "scratch" else b
        for b in buffers
    ]
    source = translation_unit(target, codes)
    options = target.build_options()
    return Program(
        target.name, source, tuple(placed), tuple(launches), arena.nbytes, options
    )


def arguments_of(
    labelled: list[tuple[str, KernelOp]], seed: int = 0
) -> dict[str, Array]:
    """Random arguments by buffer name."""
    found: dict[str, Array] = {}
    for label, kernel in labelled:
        for index, array in enumerate(random_arguments(kernel.block, seed)):
            found[f"{label}_a{index}"] = np.asarray(array)
    return found
