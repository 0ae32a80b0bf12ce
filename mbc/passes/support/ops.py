"""Kinds of tensor-level ops: views, what kernels copy in, and what they compute."""

from __future__ import annotations

from collections.abc import Iterator

from xdsl.dialects import arith, tensor
from xdsl.dialects.linalg import ops as linalg
from xdsl.dialects.linalg.abstract_ops import LinalgStructuredOperation
from xdsl.ir import Block, Operation, SSAValue

from mbc.codegen.program import VIEW_ALIGNMENT
from mbc.ir.boxes import is_aligned_run
from mbc.ir.kernel import KernelOp
from mbc.ir.structured import is_elementwise
from mbc.ir.tensor_op import TensorOp

PURE_DIALECTS = frozenset({"arith", "linalg", "math", "mbc", "tensor"})

MOVES = (tensor.ExtractSliceOp, tensor.InsertSliceOp, tensor.PadOp, tensor.ConcatOp)


def is_view(op: Operation) -> bool:
    """The same elements in the same order, or one aligned run of them."""
    if isinstance(op, tensor.CollapseShapeOp | tensor.ExpandShapeOp):
        return True
    if not isinstance(op, tensor.ExtractSliceOp):
        return False
    return is_aligned_run(op, VIEW_ALIGNMENT)


def is_fill(op: Operation) -> bool:
    """A tensor with one constant everywhere."""
    if isinstance(op, linalg.FillOp):
        return True
    return (
        isinstance(op, linalg.GenericOp)
        and not op.inputs
        and is_elementwise(op)
        and not reads_inits(op)
        and all(nested.name in FILL_BODY for nested in op.body.block.ops)
    )


FILL_BODY = ("arith.constant", "linalg.yield")


def is_local(op: Operation) -> bool:
    """What every kernel that uses it gets a copy of."""
    return isinstance(op, tensor.EmptyOp | arith.ConstantOp)


def is_compute(op: Operation) -> bool:
    """What form-kernels makes a kernel of."""
    if is_view(op) or isinstance(op, KernelOp):
        return False
    return isinstance(op, (TensorOp, LinalgStructuredOperation, *MOVES))


def is_init(user: Operation, position: int) -> bool:
    """Whether operand `position` is an init of a structured op."""
    return isinstance(user, LinalgStructuredOperation) and position >= len(user.inputs)


def reads_inits(op: linalg.GenericOp) -> bool:
    """Whether the body uses the old value of an output."""
    return any(list(arg.uses) for arg in op.body.block.args[len(op.inputs) :])


def captured(op: Operation) -> list[SSAValue]:
    """Values from outside that the regions of an op use."""
    inside: set[SSAValue] = set()
    for nested in _nested(op):
        inside.update(nested.results)
    for region in op.regions:
        for nested in region.walk():
            for inner in nested.regions:
                inside.update(arg for block in inner.blocks for arg in block.args)
        inside.update(arg for block in region.blocks for arg in block.args)
    used = [value for nested in _nested(op) for value in nested.operands]
    return [value for value in dict.fromkeys(used) if value not in inside]


def _nested(op: Operation) -> Iterator[Operation]:
    return (nested for region in op.regions for nested in region.walk())


def needs(op: Operation) -> list[SSAValue]:
    """Every value that an op depends on, each once."""
    return list(dict.fromkeys([*op.operands, *captured(op)]))


def is_pure(op: Operation) -> bool:
    return op.name.split(".")[0] in PURE_DIALECTS and op.name not in TERMINATORS


TERMINATORS = ("linalg.yield", "mbc.yield", "tensor.yield", "mbc.source")


def remove_dead(block: Block) -> None:
    """Erase pure ops whose results nobody uses."""
    for op in reversed(list(block.ops)):
        used = any(list(result.uses) for result in op.results)
        if op.results and not used and is_pure(op):
            op.detach()
            op.erase()
