"""What rules ask of values: constants everywhere, bodies of one op, axes of a map."""

from __future__ import annotations

import math

from xdsl.dialects import arith, tensor
from xdsl.dialects.builtin import FloatAttr, IntegerAttr
from xdsl.dialects.linalg import ops as linalg
from xdsl.ir import BlockArgument, Operation, SSAValue

from mbc.ir.structured import is_elementwise, maps_of
from mbc.ir.types import shape_of
from mbc.passes.support.generics import splat_of
from mbc.passes.support.inline import is_map


def scalar_of(value: SSAValue) -> float | int | None:
    """The number that a scalar is, through casts between float types."""
    owner = value.owner
    if isinstance(owner, arith.TruncFOp | arith.ExtFOp):
        return scalar_of(owner.operands[0])
    if not isinstance(owner, arith.ConstantOp):
        return None
    attribute = owner.value
    if isinstance(attribute, FloatAttr | IntegerAttr):
        return attribute.value.data
    return None


def everywhere(value: SSAValue) -> float | int | None:
    """The number that every element of a tensor is."""
    owner = value.owner
    if isinstance(owner, linalg.FillOp):
        return scalar_of(owner.inputs[0])
    if isinstance(owner, linalg.GenericOp) and not owner.inputs and is_map(owner):
        yielded = owner.body.block.last_op
        assert yielded is not None
        return scalar_of(yielded.operands[0])
    return splat_of(value)


def number_in(op: linalg.GenericOp, scalar: SSAValue) -> float | int | None:
    """The number that a scalar of a body is, also by an input with one everywhere."""
    if not isinstance(scalar, BlockArgument) or scalar.index >= len(op.inputs):
        return scalar_of(scalar)
    return everywhere(op.inputs[scalar.index])


def is_everywhere(value: SSAValue, number: float) -> bool:
    """NaN is nobody's neutral element."""
    found = everywhere(value)
    return found is not None and not math.isnan(found) and found == number


def unviewed(value: SSAValue) -> SSAValue:
    """Behind reshapes, whose elements are the same in the same order."""
    while isinstance(value.owner, tensor.ExpandShapeOp | tensor.CollapseShapeOp):
        value = value.owner.operands[0]
    return value


def single_op(op: Operation) -> Operation | None:
    """The only arithmetic of an elementwise generic with one result."""
    if not isinstance(op, linalg.GenericOp) or not is_map(op):
        return None
    return yielded_op(op, 0)


def yielded_op(op: linalg.GenericOp, position: int) -> Operation | None:
    """The op behind a yielded value, if it reads only arguments and constants."""
    block = op.body.block
    assert block.last_op is not None
    found = block.last_op.operands[position].owner
    if not isinstance(found, Operation) or found.parent is not block:
        return None
    known = (isinstance(v, BlockArgument) or _is_number(v) for v in found.operands)
    return found if all(known) else None


def _is_number(value: SSAValue) -> bool:
    return scalar_of(value) is not None


def inputs_of_body(op: linalg.GenericOp, inner: Operation) -> list[int] | None:
    """The position of the block argument that each operand is, or None."""
    arguments: list[SSAValue] = list(op.body.block.args)
    if not all(value in arguments for value in inner.operands):
        return None
    return [arguments.index(value) for value in inner.operands]


def reads_in_place(op: linalg.GenericOp, position: int) -> bool:
    """Whether an input is read at the loops' own indices."""
    if not is_elementwise(op):
        return False
    map = maps_of(op)[position]
    shape = shape_of(op.inputs[position])
    names = [str(expr) for expr in map.results]
    return len(names) == map.num_dims and all(
        name == f"d{axis}" or (name == "0" and shape[axis] == 1)
        for axis, name in enumerate(names)
    )
