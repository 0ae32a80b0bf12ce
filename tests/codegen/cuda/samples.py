"""Kernels to emit, programs made of them, and their comparison with the reference."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from xdsl.builder import ImplicitBuilder
from xdsl.dialects.builtin import f32
from xdsl.ir import Attribute, Block, Region, SSAValue

from mbc.codegen.emitters import emitter
from mbc.codegen.emitters.cuda.headers import unit_header
from mbc.codegen.families import family_named, match_kernel, schedule_of
from mbc.codegen.program import Buffer, KernelCode, Launch, Program
from mbc.codegen.targets import target_named
from mbc.ir.attributes import Entry
from mbc.ir.execute import execute
from mbc.ir.kernel import KernelOp, YieldOp
from mbc.ir.types import Array, numpy_dtype, tensor

CUDA = target_named("cuda")
TOLERANCE = {"float32": 1e-5, "float16": 2e-3, "bfloat16": 2e-2}
"""Of the largest value of the reference."""

Body = Callable[..., SSAValue | Sequence[SSAValue]]


@dataclass(frozen=True)
class Sample:
    """A kernel under a schedule that overrides the default one."""

    name: str
    kernel: KernelOp
    outer: Block
    """Keeps the kernel's operands alive."""
    schedule: Mapping[str, Entry]

    def code(self) -> KernelCode:
        match = match_kernel(self.kernel, CUDA)
        schedule = {**schedule_of(match, CUDA), **self.schedule}
        assert family_named(match.family).refusal(match, CUDA, schedule) == ""
        return emitter(CUDA, match.family)(match, schedule, CUDA)


def sample(
    name: str, shapes: Sequence[Sequence[int]], body: Body, **schedule: Entry
) -> Sample:
    """A kernel over f32 arguments of `shapes`; its label is `name`."""
    return sample_of(f32, name, shapes, body, schedule)


def sample_of(
    element: Attribute,
    name: str,
    shapes: Sequence[Sequence[int]],
    body: Body,
    schedule: Mapping[str, Entry],
) -> Sample:
    types = [tensor(shape, element) for shape in shapes]
    block, outer = Block(arg_types=types), Block(arg_types=types)
    with ImplicitBuilder(block):
        made = body(*block.args)
        results = (made,) if isinstance(made, SSAValue) else tuple(made)
        YieldOp(*results)
    kernel = KernelOp(name, outer.args, [r.type for r in results], Region(block))
    kernel.verify()
    return Sample(name, kernel, outer, schedule)


def program_of(samples: Sequence[Sample]) -> Program:
    """All kernels in one translation unit, each with buffers of its own."""
    buffers: list[Buffer] = []
    launches: list[Launch] = []
    codes = [s.code() for s in samples]
    arena = 0
    for code in codes:
        for buffer in (*code.operands, *code.results):
            buffers.append(replace(buffer, name=f"{code.label}_{buffer.name}"))
        for buffer in code.scratch:
            named = replace(buffer, name=f"{code.label}_{buffer.name}", offset=arena)
            buffers.append(named)
            arena += -(-buffer.nbytes // 256) * 256
        for launch in code.launches:
            args = tuple(f"{code.label}_{name}" for name in launch.args)
            launches.append(replace(launch, args=args))
    source = "\n".join([unit_header(codes), *(code.source for code in codes)])
    return Program("cuda", source, tuple(buffers), tuple(launches), arena)


def inputs_of(samples: Sequence[Sample], seed: int = 0) -> dict[str, Array]:
    rng = np.random.default_rng(seed)
    return {
        f"{s.name}_a{i}": rng.standard_normal(arg.get_shape()).astype(
            numpy_dtype(arg.element_type)
        )
        for s in samples
        for i, arg in enumerate(s.kernel.operand_tensors())
    }


def references(sample: Sample, inputs: Mapping[str, Array]) -> tuple[Array, ...]:
    count = len(sample.kernel.block.args)
    arguments = [inputs[f"{sample.name}_a{i}"] for i in range(count)]
    return execute(sample.kernel, arguments, "float64")


def disagreements(
    samples: Sequence[Sample], inputs: Mapping[str, Array], outputs: Mapping[str, Array]
) -> list[str]:
    """One line per result that differs from the float64 reference."""
    found: list[str] = []
    for s in samples:
        for index, wanted in enumerate(references(s, inputs)):
            result = outputs[f"{s.name}_r{index}"]
            tolerance = TOLERANCE[result.dtype.name]
            error = np.max(np.abs(result.astype(np.float64) - wanted), initial=0)
            if not error <= tolerance * np.max(np.abs(wanted), initial=0):
                found.append(f"{s.name} r{index}: off by {error:g}")
    return found
