"""A kernel body seen as prologues, one anchor op, and an epilogue.

%u = unpack %arg1            packed operand, read in panels
%p = generic(%arg0, ...)     prologue: elementwise work on an operand of the anchor
%c = anchor(%p, %u)          the op that gives the kernel its family
%e = generic(%c, ...)        epilogue: elementwise work on the anchor's result
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.dialects.linalg import ops as linalg
from xdsl.dialects.tensor import EmptyOp
from xdsl.ir import Operation, SSAValue
from xdsl.ir.affine import AffineMap

from mbc.ir.kernel import KernelOp
from mbc.ir.ops.unpack import UnpackOp
from mbc.ir.structured import is_elementwise, is_projection, maps_of


@dataclass(frozen=True)
class Anchored:
    """`prologues` by index of the anchor's operand, `packed` likewise."""

    anchor: Operation
    prologues: dict[int, linalg.GenericOp]
    packed: dict[int, UnpackOp]
    epilogue: linalg.GenericOp | None


def buffer_names(kernel: KernelOp) -> dict[SSAValue, str]:
    """a0, a1, ... for block arguments; r0, r1, ... for yielded values."""
    names: dict[SSAValue, str] = {
        value: f"r{i}" for i, value in enumerate(kernel.terminator.values)
    }
    names.update((arg, f"a{i}") for i, arg in enumerate(kernel.block.args))
    return names


def compute_ops(kernel: KernelOp) -> list[Operation]:
    """The body without `tensor.empty`."""
    return [op for op in kernel.ops() if not isinstance(op, EmptyOp)]


def yields_each_once(kernel: KernelOp) -> bool:
    """No argument is passed through and no value is yielded twice."""
    values = list(kernel.terminator.values)
    args = set(kernel.block.args)
    return len(set(values)) == len(values) and not args & set(values)


def anchored(kernel: KernelOp, kind: type[Operation]) -> Anchored | None:
    """The body around its only op of class `kind`; None if it has another form."""
    ops = compute_ops(kernel)
    anchors = [op for op in ops if isinstance(op, kind)]
    if len(anchors) != 1 or not yields_each_once(kernel):
        return None
    (anchor,) = anchors
    prologues: dict[int, linalg.GenericOp] = {}
    packed: dict[int, UnpackOp] = {}
    for index, value in enumerate(anchor.operands):
        owner = value.owner
        if isinstance(owner, UnpackOp):
            packed[index] = owner
        elif isinstance(owner, linalg.GenericOp):
            prologues[index] = owner
    epilogue = _epilogue(kernel, anchor)
    found = {anchor, *prologues.values(), *packed.values()} | ({epilogue} - {None})
    generics = [*prologues.values(), *([epilogue] if epilogue else [])]
    if found != set(ops) or not all(_reads_arguments(g, anchor) for g in generics):
        return None
    return Anchored(anchor, prologues, packed, epilogue)


def _epilogue(kernel: KernelOp, anchor: Operation) -> linalg.GenericOp | None:
    """The generic that consumes the anchor; all the kernel yields comes from it."""
    users = {use.operation for result in anchor.results for use in result.uses}
    if len(users) == 1 and isinstance(user := next(iter(users)), linalg.GenericOp):
        return user
    return None


def _reads_arguments(op: linalg.GenericOp, anchor: Operation) -> bool:
    """Elementwise, with plain accesses to arguments or to the anchor's result."""
    inputs = list(op.inputs)
    sources = all(
        not isinstance(value.owner, Operation) or value.owner is anchor
        for value in inputs
    )
    simple = all(is_projection(map) for map in maps_of(op))
    return is_elementwise(op) and sources and simple and same_shape(op, anchor)


def same_shape(op: linalg.GenericOp, anchor: Operation) -> bool:
    """An epilogue reads the anchor's result at its own index."""
    inputs = list(op.inputs)
    for value, map in zip(inputs, maps_of(op), strict=False):
        if value.owner is anchor and map != AffineMap.identity(map.num_dims):
            return False
    return True
