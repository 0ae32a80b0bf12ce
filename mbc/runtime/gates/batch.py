"""Many cases in as few toolchain starts as possible.

Emitted kernels of all extents are one program: each extents set is a function of its
own and each case a launch on buffers of its own, with poisoned results and fences.
Text from outside is built once per extents set, as it would be built for use.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from xdsl.dialects.builtin import StringAttr

from mbc.codegen.emitters import translation_unit
from mbc.codegen.memory_plan import Lifetime, plan_memory
from mbc.codegen.program import Buffer, KernelCode, Launch, Program
from mbc.ir.kernel import KernelOp
from mbc.ir.types import NUMPY_DTYPES, Array
from mbc.runtime.gates.candidate import Candidate
from mbc.runtime.gates.cases import Case
from mbc.runtime.gates.extents import Extents
from mbc.runtime.outcome import Failed
from mbc.runtime.runner import Runner

ALWAYS = 1 << 30
"""Scratch of one case outlives every launch, so that no case sees another's."""


@dataclass(frozen=True)
class Slot:
    """A case, the code that computes it and the prefix of its buffers."""

    case: Case
    code: KernelCode
    prefix: str


@dataclass(frozen=True)
class Batch:
    program: Program
    slots: tuple[Slot, ...]

    @property
    def cases(self) -> tuple[Case, ...]:
        return tuple(slot.case for slot in self.slots)

    def inputs(self) -> dict[str, Array]:
        return {
            slot.prefix + buffer.name: _stored(array, buffer)
            for slot in self.slots
            for buffer, array in zip(
                slot.code.operands, slot.case.arguments, strict=True
            )
        }

    def run(self, runner: Runner) -> list[list[Array]] | Failed:
        """The results of every case, in order."""
        outcome = runner.run(self.program, self.inputs())
        if isinstance(outcome, Failed):
            return outcome
        return [
            [outcome.outputs[slot.prefix + b.name] for b in slot.code.results]
            for slot in self.slots
        ]


def batches(candidate: Candidate, cases: Sequence[Case]) -> list[Batch]:
    """All cases, grouped by what is built together."""
    groups: dict[Extents, list[Case]] = {}
    for case in cases:
        groups.setdefault(case.at.extents, []).append(case)
    codes = [
        _code(candidate, group[0].at.kernel, index)
        for index, group in enumerate(groups.values())
    ]
    slots = [
        [Slot(case, code, f"e{e}c{c}_") for c, case in enumerate(group)]
        for e, (code, group) in enumerate(zip(codes, groups.values(), strict=True))
    ]
    if candidate.source:
        return [_batch(candidate, own) for own in slots]
    return [_batch(candidate, [slot for own in slots for slot in own])]


def _code(candidate: Candidate, kernel: KernelOp, index: int) -> KernelCode:
    """The first keeps the candidate's own label, and text from outside always does."""
    if candidate.source or index == 0:
        return candidate.code(kernel)
    clone = kernel.copy()
    clone.label = StringAttr(f"{candidate.label}_{index}")
    return candidate.code(clone)


def _batch(candidate: Candidate, slots: Sequence[Slot]) -> Batch:
    target = candidate.target
    codes = list({slot.code.label: slot.code for slot in slots}.values())
    buffers: list[Buffer] = []
    launches: list[Launch] = []
    for slot in slots:
        code = slot.code
        for buffer in (*code.operands, *code.results, *code.scratch):
            buffers.append(replace(buffer, name=slot.prefix + buffer.name))
        for launch in code.launches:
            args = tuple(slot.prefix + name for name in launch.args)
            launches.append(replace(launch, args=args))
    scratch = [b for b in buffers if b.role == "scratch"]
    arena = plan_memory([Lifetime(b.name, b.nbytes, 0, ALWAYS) for b in scratch])
    placed = [
        replace(b, offset=arena.offsets[b.name]) if b.role == "scratch" else b
        for b in buffers
    ]
    options = target.build_options()
    source = translation_unit(target, codes)
    program = Program(
        target.name, source, tuple(placed), tuple(launches), arena.nbytes, options
    )
    return Batch(program, tuple(slots))


def _stored(array: Array, buffer: Buffer) -> Array:
    dtype = NUMPY_DTYPES[buffer.dtype]
    if array.dtype.kind == "u" and dtype.kind == "i":
        array = array.view(f"i{array.dtype.itemsize}")
    return np.require(array, dtype, ["C", "A"])
