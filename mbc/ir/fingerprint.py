"""Structural hashes: equal for modules that differ in names and spelling only."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator

from xdsl.dialects.linalg.abstract_ops import NamedOperation
from xdsl.ir import Attribute, Block, Operation, SSAValue
from xdsl.rewriter import Rewriter

from mbc.ir.kernel import KernelOp
from mbc.ir.ops.unpack import UnpackOp

IDENTITY_FREE = {"label", "from", "schedule", "source"}
"""Properties of a kernel that say how it is built, not what it computes."""


def fingerprint(op: Operation) -> str:
    """16 hex digits over structure: ops, attributes, types and data flow.

    SSA names, the order of properties and the hidden bodies of named linalg ops do
    not count, and neither do a kernel's label, schedule and source.
    """
    digest = hashlib.sha256()
    numbers: dict[SSAValue | Block, int] = {}
    for line in _lines(op, numbers):
        digest.update(line.encode())
    return digest.hexdigest()[:16]


def _lines(op: Operation, numbers: dict[SSAValue | Block, int]) -> Iterator[str]:
    def number(value: SSAValue | Block) -> int:
        return numbers.setdefault(value, len(numbers))

    operands = [number(value) for value in op.operands]
    results = [(number(value), str(value.type)) for value in op.results]
    yield repr((op.name, _attributes(op), operands, results))
    for region in () if isinstance(op, NamedOperation) else op.regions:
        for block in region.blocks:
            args = [(number(arg), str(arg.type)) for arg in block.args]
            yield repr(("block", number(block), args))
            for nested in block.ops:
                yield from _lines(nested, numbers)
        yield "end"


def _attributes(op: Operation) -> list[tuple[str, str]]:
    named: dict[str, Attribute] = {**op.attributes, **op.properties}
    if isinstance(op, KernelOp):
        named = {n: a for n, a in named.items() if n not in IDENTITY_FREE}
    return sorted((name, str(attribute)) for name, attribute in named.items())


def kernel_fingerprint(kernel: KernelOp) -> str:
    """The identity of what a kernel computes, whatever layout its operands have.

    A packed operand's unpack is removed first: packing is a way to build the kernel.
    """
    clone = kernel.copy()
    for op in clone.ops():
        if not isinstance(op, UnpackOp):
            continue
        unpacked = op.result.type
        argument = Rewriter.replace_value_with_new_type(op.input, unpacked)
        op.result.replace_all_uses_with(argument)
        op.detach()
    return fingerprint(_body_only(clone))


def _body_only(kernel: KernelOp) -> Operation:
    """The kernel without operands: their definitions are not its own."""
    body = kernel.detach_region(kernel.body)
    return KernelOp("k", [], [], body)
