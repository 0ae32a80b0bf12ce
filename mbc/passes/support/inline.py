"""One elementwise generic computed inside another: composed maps, one body."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from xdsl.dialects import arith
from xdsl.dialects.builtin import AffineMapAttr, ArrayAttr, IndexType, IntegerAttr
from xdsl.dialects.linalg import ops as linalg
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.ir.affine import AffineConstantExpr, AffineDimExpr, AffineMap

from mbc.ir.structured import is_elementwise, loop_extents, maps_of
from mbc.ir.types import element_of
from mbc.passes.support.ops import reads_inits, remove_dead
from mbc.passes.support.scalars import simplify

FREE = ("arith.constant", "linalg.index", "linalg.yield")


def is_map(op: Operation) -> bool:
    """An elementwise generic with one result that does not read its init."""
    return (
        isinstance(op, linalg.GenericOp)
        and is_elementwise(op)
        and len(op.results) == 1
        and not reads_inits(op)
    )


def is_move(op: linalg.GenericOp) -> bool:
    """A map without arithmetic: a transpose, a broadcast or a fill."""
    return all(nested.name in FREE for nested in op.body.block.ops)


def only_user(producer: Operation, consumer: Operation) -> bool:
    users = {use.operation for result in producer.results for use in result.uses}
    return users == {consumer}


def can_inline(producer: linalg.GenericOp, consumer: linalg.GenericOp) -> bool:
    """The producer is a map that the consumer reads as an input, at known indices."""
    (result, *_) = producer.results
    if not is_map(producer) or result in consumer.outputs:
        return False
    reads = [m for v, m in zip(consumer.inputs, maps_of(consumer)) if v is result]
    return bool(reads) and all(indices_known(producer, map) for map in reads)


def indices_known(producer: linalg.GenericOp, map: AffineMap) -> bool:
    """Whether every index that the producer computes with is an axis or a number."""
    return all(
        isinstance(map.results[op.dim.value.data], AffineDimExpr | AffineConstantExpr)
        for op in producer.body.block.ops
        if isinstance(op, linalg.IndexOp)
    )


@dataclass
class _Inputs:
    """Inputs of the new generic; one entry per value and map."""

    block: Block
    entries: dict[tuple[SSAValue, AffineMap], SSAValue] = field(
        default_factory=dict[tuple[SSAValue, AffineMap], SSAValue]
    )

    def scalar(self, value: SSAValue, map: AffineMap) -> SSAValue:
        key = (value, map)
        if key not in self.entries:
            count = len(self.block.args)
            self.entries[key] = self.block.insert_arg(element_of(value), count)
        return self.entries[key]


def inline(producer: linalg.GenericOp, consumer: linalg.GenericOp) -> linalg.GenericOp:
    """Replace `consumer` by a generic that computes `producer` where it reads it."""
    (result,) = producer.results
    inputs = _Inputs(Block())
    block, mapper = inputs.block, dict[SSAValue, SSAValue]()
    made: dict[AffineMap, SSAValue] = {}
    scalars = consumer.body.block.args
    for value, map, scalar in zip(consumer.inputs, maps_of(consumer), scalars):
        if value is not result:
            mapper[scalar] = inputs.scalar(value, map)
            continue
        if map not in made:
            made[map] = _computed(producer, map, inputs)
        mapper[scalar] = made[map]
    for value, scalar in zip(consumer.outputs, scalars[len(consumer.inputs) :]):
        mapper[scalar] = block.insert_arg(element_of(value), len(block.args))
    for op in consumer.body.block.ops:
        block.add_op(op.clone(mapper))
    simplify(block)
    outputs = maps_of(consumer)[len(consumer.inputs) :]
    maps = [*(map for _, map in inputs.entries), *outputs]
    fused = linalg.GenericOp(
        [value for value, _ in inputs.entries],
        list(consumer.outputs),
        Region(block),
        ArrayAttr(AffineMapAttr(map) for map in maps),
        consumer.iterator_types,
        list(consumer.result_types),
    )
    replace(consumer, fused)
    return fused


def replace(old: Operation, new: Operation) -> None:
    """Put `new` where `old` stands, result by result."""
    assert old.parent is not None
    old.parent.insert_op_before(new, old)
    for before, after in zip(old.results, new.results, strict=True):
        after.name_hint = before.name_hint
        before.replace_all_uses_with(after)
    old.detach()
    old.erase()


def _computed(producer: linalg.GenericOp, map: AffineMap, inputs: _Inputs) -> SSAValue:
    """The producer's scalar at the index that `map` gives."""
    mapper: dict[SSAValue, SSAValue] = {}
    scalars = producer.body.block.args
    for value, read, scalar in zip(producer.inputs, maps_of(producer), scalars):
        mapper[scalar] = inputs.scalar(value, read.compose(map))
    for op in producer.body.block.ops:
        if isinstance(op, linalg.YieldOp):
            return mapper.get(op.operands[0], op.operands[0])
        if isinstance(op, linalg.IndexOp):
            index = _index(map, op.dim.value.data)
            inputs.block.add_op(index)
            mapper[op.result] = index.results[0]
            continue
        inputs.block.add_op(op.clone(mapper))
    raise AssertionError("a generic's body ends in a yield")


def _index(map: AffineMap, axis: int) -> Operation:
    expr = map.results[axis]
    if isinstance(expr, AffineDimExpr):
        return linalg.IndexOp(expr.position)
    assert isinstance(expr, AffineConstantExpr)
    return arith.ConstantOp(IntegerAttr(expr.value, IndexType()))


Rule = Callable[[linalg.GenericOp, linalg.GenericOp], bool]


def always(producer: linalg.GenericOp, consumer: linalg.GenericOp) -> bool:
    return True


def without_recomputing(producer: linalg.GenericOp, consumer: linalg.GenericOp) -> bool:
    """The consumer needs each element of the producer once, or it is free."""
    return is_move(producer) or points(producer) == points(consumer)


def points(op: linalg.GenericOp) -> int:
    total = 1
    for extent in loop_extents(op):
        total *= extent
    return total


def combine(block: Block, rule: Rule) -> None:
    """Inline maps into their only user, wherever `rule` allows it."""
    pending = [op for op in block.ops if isinstance(op, linalg.GenericOp)]
    while pending:
        consumer = pending.pop()
        for value in consumer.inputs:
            producer = value.owner
            if (
                isinstance(producer, linalg.GenericOp)
                and only_user(producer, consumer)
                and can_inline(producer, consumer)
                and rule(producer, consumer)
            ):
                pending.append(inline(producer, consumer))
                pending = [op for op in pending if op is not producer]
                producer.detach()
                producer.erase()
                break
    remove_dead(block)
