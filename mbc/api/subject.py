"""A model whose values can be looked at: as it is, or at extents that fit in memory."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from xdsl.dialects import func
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Region, SSAValue

from mbc.api.module import argument_names
from mbc.errors import PassRefused
from mbc.ir.cost import flops
from mbc.ir.execute import function_named
from mbc.ir.kernel import KernelOp, YieldOp
from mbc.ir.resize import extents, resize
from mbc.ir.types import Array, is_tensor, nbytes
from mbc.runtime.inputs import random_arguments

MOST_BYTES = 64 << 20
MOST_FLOPS = 1_000_000_000
SMALL_EXTENTS = (8, 16, 32, 64)
MOST_TRIES = 12
"""Extents that are made smaller one by one where they cannot be all at once."""


@dataclass(frozen=True)
class Subject:
    """@forward as one kernel, with a value for each argument."""

    kernel: KernelOp
    arrays: tuple[Array, ...] = field(repr=False)
    inputs: tuple[tuple[int, str], ...]
    """Arguments of the kernel that are inputs of the model and are read, by name."""
    outputs: tuple[int, ...]
    """Results of the kernel that are outputs; others replace parameters."""


def whole_kernel(module: ModuleOp) -> KernelOp:
    """@forward as one kernel, which can be resized and executed."""
    function = function_named(module.clone(), "forward")
    region = Region(function.body.detach_block(0))
    returned = region.block.last_op
    assert isinstance(returned, func.ReturnOp)
    values = list(returned.operands)
    region.block.erase_op(returned)
    region.block.add_op(YieldOp(*values))
    operands = Region(ModuleOp([]).body.detach_block(0))
    types = [arg.type for arg in region.block.args]
    ins = [operands.block.insert_arg(type, i) for i, type in enumerate(types)]
    return KernelOp("k0", ins, [value.type for value in values], region)


def subject_of(module: ModuleOp, kernel: KernelOp, arrays: Sequence[Array]) -> Subject:
    function = function_named(module, "forward")
    inputs = tuple(
        (index, name)
        for index, (kind, name) in enumerate(argument_names(function))
        if kind == "input" and kernel.block.args[index].first_use
    )
    outputs = tuple(
        index
        for index, entry in enumerate(function.res_attrs or ())
        if "mbc.output" in entry.data
    )
    return Subject(kernel, tuple(arrays), inputs, outputs)


def shrunk(module: ModuleOp) -> Subject | None:
    """At small extents, with random values; None where the extents are tied."""
    kernel = _smaller(whole_kernel(module))
    if not is_cheap(kernel):
        return None
    return subject_of(module, kernel, random_arguments(kernel.block, 0))


def is_cheap(kernel: KernelOp) -> bool:
    return footprint(kernel) <= MOST_BYTES and flops(kernel) <= MOST_FLOPS


def footprint(kernel: KernelOp) -> int:
    """Bytes of all its tensors together."""
    values: list[SSAValue] = [*kernel.block.args]
    values += [result for op in kernel.ops() for result in op.results]
    return sum(nbytes(value.type) for value in values if is_tensor(value.type))


def _smaller(kernel: KernelOp) -> KernelOp:
    """All extents at once, else the largest ones as far as each goes."""
    large = {n: e for n, e in extents(kernel).items() if e > min(SMALL_EXTENTS)}
    for extent in SMALL_EXTENTS:
        found = _resized(kernel, {n: min(e, extent) for n, e in large.items()})
        if found is not None:
            return found
    for name in sorted(large, key=lambda n: -large[n])[:MOST_TRIES]:
        fitting = (_resized(kernel, {name: e}) for e in SMALL_EXTENTS)
        kernel = next((found for found in fitting if found is not None), kernel)
        if is_cheap(kernel):
            break
    return kernel


def _resized(kernel: KernelOp, wanted: dict[str, int]) -> KernelOp | None:
    try:
        return resize(kernel, wanted)
    except PassRefused:
        return None
