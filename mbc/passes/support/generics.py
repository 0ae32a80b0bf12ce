"""Simplification of one `linalg.generic`; each rule says whether it changed it."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.builder import Builder, ImplicitBuilder
from xdsl.dialects import arith
from xdsl.dialects.builtin import (
    AffineMapAttr,
    AnyFloat,
    ArrayAttr,
    DenseIntOrFPElementsAttr,
    IndexType,
    IntegerType,
    TensorType,
)
from xdsl.dialects.linalg import ops as linalg
from xdsl.ir import Operation, SSAValue, Use
from xdsl.ir.affine import AffineMap
from xdsl.rewriter import InsertPoint, Rewriter
from xdsl.utils.hints import isa

from mbc.codegen.families.contract import is_collapsible
from mbc.ir.arithmetic import constant
from mbc.ir.ops.contract import ContractOp
from mbc.ir.structured import axis_of, is_elementwise, is_projection, maps_of
from mbc.ir.types import element_of
from mbc.passes.support.inline import can_inline, inline, is_map, is_move, replace
from mbc.passes.support.scalars import simplify


def simplify_generic(op: linalg.GenericOp) -> bool:
    """Apply the first rule that changes the op or replaces it."""
    return (
        localize_constants(op)
        or simplify(op.body.block)
        or _drop_copy(op)
        or _fold_splats(op)
        or _drop_unused_inputs(op)
        or _absorb_moves(op)
    )


def localize_constants(op: linalg.GenericOp) -> bool:
    """Scalar constants from outside a body come inside, as all rules expect them."""
    block = op.body.block
    outside = {
        value: value.owner
        for inner in op.body.walk()
        for value in inner.operands
        if isinstance(value.owner, arith.ConstantOp)
        and value.owner.parent is not block
        and not isinstance(value.type, TensorType)
    }
    for value, constant_op in outside.items():
        own = constant_op.clone()
        Rewriter.insert_op(own, InsertPoint.at_start(block))
        value.replace_uses_with_if(own.result, lambda use: _is_within(use, op))
    return bool(outside)


def _is_within(use: Use, op: Operation) -> bool:
    return op.is_ancestor(use.operation)


def _drop_copy(op: linalg.GenericOp) -> bool:
    """A generic that yields an input as it is stands for that input."""
    source = copied(op)
    if source is None or maps_of(op)[0] != AffineMap.identity(maps_of(op)[0].num_dims):
        return False
    if source.type != op.results[0].type:
        return False
    op.results[0].replace_all_uses_with(source)
    op.detach()
    op.erase()
    return True


def copied(op: Operation) -> SSAValue | None:
    """The only input, where a generic moves its elements and does nothing else."""
    if not isinstance(op, linalg.GenericOp) or not is_map(op) or len(op.inputs) != 1:
        return None
    yielded = op.body.block.last_op
    assert yielded is not None
    is_first = yielded.operands[0] is op.body.block.args[0]
    return op.inputs[0] if is_first and is_projection(maps_of(op)[0]) else None


def _fold_splats(op: linalg.GenericOp) -> bool:
    """An input with one constant everywhere becomes a scalar constant."""
    for position, value in enumerate(op.inputs):
        scalar = splat_of(value)
        if scalar is None or not _is_bound_without(op, {position}):
            continue
        block = op.body.block
        with ImplicitBuilder(Builder(InsertPoint.at_start(block))):
            folded = constant(scalar, element_of(value))
        block.args[position].replace_all_uses_with(folded)
        _without_inputs(op, {position})
        return True
    return False


def splat_of(value: SSAValue) -> float | int | None:
    """The constant that every element of a tensor is."""
    owner = value.owner
    if not isinstance(owner, arith.ConstantOp) or not isa(
        owner.value, DenseIntOrFPElementsAttr[IntegerType | IndexType | AnyFloat]
    ):
        return None
    size = owner.value.get_element_type().compile_time_size
    data = owner.value.data.data
    if not data or data != data[:size] * (len(data) // size):
        return None
    first = next(iter(owner.value.iter_values()))
    return None if isinstance(first, tuple) else first


def _drop_unused_inputs(op: linalg.GenericOp) -> bool:
    unused = {
        position
        for position in range(len(op.inputs))
        if not list(op.body.block.args[position].uses)
    }
    if not unused or not _is_bound_without(op, unused):
        return False
    _without_inputs(op, unused)
    return True


def _is_bound_without(op: linalg.GenericOp, dropped: set[int]) -> bool:
    """Whether the other operands still tell the extent of every loop."""
    if is_elementwise(op):
        return True
    kept = [m for i, m in enumerate(maps_of(op)) if i not in dropped]
    bound = {str(expr) for map in kept for expr in map.results}
    return all(f"d{loop}" in bound for loop in range(maps_of(op)[0].num_dims))


def _without_inputs(op: linalg.GenericOp, dropped: set[int]) -> None:
    kept = [i for i in range(len(op.inputs)) if i not in dropped]
    maps = maps_of(op)
    block = op.body.block
    for position in sorted(dropped, reverse=True):
        block.erase_arg(block.args[position])
    rebuilt = linalg.GenericOp(
        [op.inputs[i] for i in kept],
        list(op.outputs),
        op.detach_region(op.body),
        _map_attributes([*(maps[i] for i in kept), *maps[len(op.inputs) :]]),
        op.iterator_types,
        list(op.result_types),
    )
    replace(op, rebuilt)


def _map_attributes(maps: Sequence[AffineMap]) -> ArrayAttr[AffineMapAttr]:
    return ArrayAttr(AffineMapAttr(map) for map in maps)


def _absorb_moves(op: linalg.GenericOp) -> bool:
    """Read through transposes, broadcasts and fills instead of storing them."""
    for value in op.inputs:
        producer = value.owner
        if (
            isinstance(producer, linalg.GenericOp)
            and is_map(producer)
            and is_move(producer)
            and can_inline(producer, op)
        ):
            inline(producer, op)
            return True
    return False


def _axes(maps: Sequence[AffineMap]) -> list[list[int]]:
    return [[loop for e in m.results if (loop := axis_of(e)) is not None] for m in maps]


def absorb_transposes(op: ContractOp) -> bool:
    """A contraction reads transposed operands through its indexing maps.

    Unless its loops would then be no runs of axes any more, which no family takes.
    """
    maps = [attribute.data for attribute in op.indexing_maps]
    for position, value in enumerate(op.operands):
        producer = value.owner
        source = copied(producer) if isinstance(producer, Operation) else None
        if source is None or not isinstance(producer, linalg.GenericOp):
            continue
        read = maps_of(producer)[0]
        if source.type == value.type and read == AffineMap.identity(read.num_dims):
            continue
        if sorted(map(str, read.results)) != sorted(
            f"d{loop}" for loop in range(read.num_dims)
        ):
            continue
        lhs, rhs = (
            source if index == position else operand
            for index, operand in enumerate(op.operands)
        )
        changed = list(maps)
        changed[position] = read.compose(maps[position])
        if is_collapsible(_axes(maps)) and not is_collapsible(_axes(changed)):
            continue
        replace(op, ContractOp.from_maps(lhs, rhs, changed, op.acc.data))
        return True
    return False
