"""Each kernel of a model once, made small, in one module: what an emulator can run.

Kernels that compute the same at the same reduced extents are one. They become the
kernels of one @forward that share nothing, so that one build and one run check all.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from xdsl.dialects import func
from xdsl.dialects.builtin import (
    ArrayAttr,
    DictionaryAttr,
    ModuleOp,
    StringAttr,
)
from xdsl.ir import Attribute, Block, Region, SSAValue

from mbc.errors import PassRefused
from mbc.ir.cost import fewest_bytes, flops
from mbc.ir.execute import function_named
from mbc.ir.fingerprint import kernel_fingerprint
from mbc.ir.kernel import KernelOp, kernels
from mbc.ir.resize import extents, resize
from mbc.passes.support.functions import parameter_values

MOST_FLOPS = 2_000_000
"""A million multiply-accumulates."""
MOST_BYTES = 8 << 20
SMALLEST = 2


@dataclass(frozen=True)
class Reduced:
    """A kernel at extents of few enough operations.

    `constant` says of each operand whether the model computes it from parameters
    alone; `key` is what kernels that are checked together have in common.
    """

    kernel: KernelOp
    constant: tuple[bool, ...]
    key: str


@dataclass(frozen=True)
class Distinct:
    """`too_large` names kernels that cannot be made small, as `k3: conv`."""

    reduced: tuple[Reduced, ...]
    too_large: tuple[str, ...]


def distinct_kernels(module: ModuleOp, known: Collection[str]) -> Distinct:
    """Kernels of @forward that are not among the keys of `known`."""
    constant = parameter_values(function_named(module, "forward"))
    found: dict[str, Reduced] = {}
    too_large: list[str] = []
    for kernel in kernels(function_named(module, "forward")):
        marks = tuple(value in constant for value in kernel.ins)
        small = reduced(kernel)
        if small is None:
            too_large.append(f"{kernel.label.data}: {body_names(kernel)}")
            continue
        key = f"{kernel_fingerprint(small)}{[i for i, m in enumerate(marks) if m]}"
        if key not in known:
            found.setdefault(key, Reduced(small, marks, key))
    return Distinct(tuple(found.values()), tuple(too_large))


def body_names(kernel: KernelOp) -> str:
    """The ops of a kernel, each once, as `mbc.conv+linalg.generic`."""
    names = [op.name for op in kernel.ops() if op.name != "tensor.empty"]
    return "+".join(dict.fromkeys(names))


def reduced(kernel: KernelOp) -> KernelOp | None:
    """The largest extents are halved in turn; None where they cannot be any more.

    They end odd or at 2, so that every vector has a tail.
    """
    sizes = extents(kernel)
    fixed: set[str] = set()
    small = kernel
    while not _is_small(small):
        free = [n for n, e in sizes.items() if n not in fixed and e > SMALLEST]
        if not free:
            return None
        name = max(free, key=lambda n: sizes[n])
        wanted = {**sizes, name: max(SMALLEST, (sizes[name] // 2) | 1)}
        try:
            small, sizes = resize(kernel, wanted), wanted
        except PassRefused:
            fixed.add(name)
    return small


def _is_small(kernel: KernelOp) -> bool:
    return flops(kernel) <= MOST_FLOPS and fewest_bytes(kernel) <= MOST_BYTES


def joined(reduced: Sequence[Reduced], like: ModuleOp) -> ModuleOp:
    """A module whose @forward holds all of them, for the target of `like`.

    Arguments are named a0, a1, ...; constant ones are parameters.
    """
    block = Block()
    named: list[dict[str, Attribute]] = []
    results: list[SSAValue] = []
    for number, one in enumerate(reduced):
        clone = one.kernel.copy()
        clone.label = StringAttr(f"k{number}")
        arguments: list[SSAValue] = []
        for value, constant in zip(one.kernel.block.args, one.constant, strict=True):
            name = StringAttr(f"a{len(named)}")
            named.append({f"mbc.{'parameter' if constant else 'input'}": name})
            arguments.append(block.insert_arg(value.type, len(block.args)))
        clone.operands = arguments
        block.add_op(clone)
        results += clone.outs
    block.add_op(func.ReturnOp(*results))
    types = ([a.type for a in block.args], [value.type for value in results])
    attributes = ArrayAttr(DictionaryAttr(entry) for entry in named)
    function = func.FuncOp("forward", types, Region(block), arg_attrs=attributes)
    module = ModuleOp([function])
    module.attributes.update(like.attributes)
    return module
