"""Masks as the operand of an attention, or as causality where they are just that."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce

import numpy as np
from xdsl.dialects import arith
from xdsl.dialects.builtin import i1
from xdsl.dialects.linalg import ops as linalg
from xdsl.ir import BlockArgument, Operation, SSAValue

from mbc.ir import build
from mbc.ir.arithmetic import constant
from mbc.ir.execute import known_value
from mbc.ir.structured import axis_of, is_projection, maps_of
from mbc.ir.types import shape_of
from mbc.passes.recognize.scores import Mask
from mbc.passes.support.ops import is_pure, needs

MOST_ELEMENTS = 1 << 24
"""Of a mask that is looked at here."""


@dataclass(frozen=True)
class Masking:
    operand: SSAValue | None
    causal: bool


def masking(masks: Sequence[Mask]) -> Masking:
    """Built at the implicit insertion point, over (batch, heads, queries, keys)."""
    causal, others = False, list[SSAValue]()
    for mask in masks:
        value, places = _tensor(mask)
        if _is_causal(mask, value, places):
            causal = True
        else:
            others.append(_operand(mask, value, places))
    return Masking(reduce(_both, others) if others else None, causal)


def misfit(mask: Mask) -> str:
    """Why a mask cannot be an operand, or the empty string."""
    if len(mask.scores) > 4:
        return "the mask is over more than two axes in front of the rows"
    maps = [maps_of(mask.op)[a.index] for a in _arguments(mask)]
    if not all(is_projection(map) for map in maps):
        return "the mask is not read along axes of the scores"
    if not isinstance(mask.scalar, BlockArgument):
        return ""
    if mask.scalar.index >= len(mask.op.inputs):
        return "the mask is what the scores were before"
    (map,) = maps
    places = [axis_of(expr) for expr in map.results]
    placed = [place for place in places if place is not None]
    if placed != sorted(placed):
        return "the mask is read with its axes in another order"
    shape = shape_of(mask.op.inputs[mask.scalar.index])
    if any(p is None and n != 1 for p, n in zip(places, shape, strict=True)):
        return "a part of the mask is read"
    return ""


def _slice(mask: Mask) -> list[Operation]:
    """The ops of the body that compute the mask, in order."""
    found: set[Operation] = set()
    pending = [mask.scalar]
    while pending:
        owner = pending.pop().owner
        if isinstance(owner, Operation) and owner not in found:
            found.add(owner)
            pending.extend(owner.operands)
    return [op for op in mask.op.body.block.ops if op in found]


def _arguments(mask: Mask) -> list[BlockArgument]:
    """The scalars of inputs that a mask is computed from."""
    values = [mask.scalar, *(v for op in _slice(mask) for v in op.operands)]
    found = [value for value in values if isinstance(value, BlockArgument)]
    return [a for a in dict.fromkeys(found) if a.index < len(mask.op.inputs)]


def _tensor(mask: Mask) -> tuple[SSAValue, list[int | None]]:
    """The mask, and the axis of the scores that each of its own runs along."""
    maps = maps_of(mask.op)
    if isinstance(mask.scalar, BlockArgument):
        map = maps[mask.scalar.index]
        value = mask.op.inputs[mask.scalar.index]
        return value, [axis_of(expr) for expr in map.results]
    arguments, body = _arguments(mask), _slice(mask)
    indices = [op.dim.value.data for op in body if isinstance(op, linalg.IndexOp)]
    read = [axis_of(expr) for a in arguments for expr in maps[a.index].results]
    loops = sorted({*indices, *(axis for axis in read if axis is not None)})
    reads = [
        build.dims_map(len(loops), [_renumbered(axis_of(e), loops) for e in m.results])
        for m in (maps[a.index] for a in arguments)
    ]

    def copied(*scalars: SSAValue) -> SSAValue:
        mapper: dict[SSAValue, SSAValue] = dict(zip(arguments, scalars, strict=True))
        for op in body:
            if isinstance(op, linalg.IndexOp):
                own = linalg.IndexOp(loops.index(op.dim.value.data))
                mapper[op.result] = own.result
            else:
                op.clone(mapper)
        return mapper[mask.scalar]

    inputs = [mask.op.inputs[a.index] for a in arguments]
    shape = [mask.scores[loop] for loop in loops]
    value = build.elementwise(inputs, shape, mask.scalar.type, copied, reads)
    return value, [*loops]


def _renumbered(axis: int | None, loops: Sequence[int]) -> int | None:
    return None if axis is None else loops.index(axis)


def _operand(mask: Mask, value: SSAValue, places: Sequence[int | None]) -> SSAValue:
    """With an extent of 1 where it repeats; a boolean one is true where it keeps."""
    rank = len(mask.scores)
    extents = dict(zip(places, shape_of(value), strict=True))
    rows = tuple(extents.get(axis, 1) for axis in (rank - 2, rank - 1))
    front = tuple(extents.get(axis, 1) for axis in range(rank - 2))
    padded = (*front, *(1,) * (2 - len(front)))
    value = build.reshape(value, (*padded, *rows))
    if mask.kind != "hides":
        return value

    def negated(hidden: SSAValue) -> SSAValue:
        return arith.XOrIOp(hidden, constant(True, i1)).result

    return build.elementwise([value], shape_of(value), i1, negated)


def _both(a: SSAValue, b: SSAValue) -> SSAValue:
    """True where both masks keep."""
    shape = np.broadcast_shapes(shape_of(a), shape_of(b))

    def conjunction(x: SSAValue, y: SSAValue) -> SSAValue:
        return arith.AndIOp(x, y).result

    return build.elementwise([a, b], shape, i1, conjunction)


def _is_causal(mask: Mask, value: SSAValue, places: Sequence[int | None]) -> bool:
    """Whether a boolean mask keeps key j for query i exactly where j <= i."""
    rank, shape = len(mask.scores), shape_of(value)
    if mask.kind == "added" or [*places[-2:]] != [rank - 2, rank - 1]:
        return False
    if math.prod(shape) > MOST_ELEMENTS or math.prod(shape[:-2]) != 1:
        return False
    ops = _makers(value)
    if ops is None:
        return False
    found = known_value(value, ops)
    keeps = (found if mask.kind == "keeps" else ~found).reshape(shape[-2:])
    return np.array_equal(keeps, np.tril(np.ones_like(keeps)))


def _makers(value: SSAValue) -> list[Operation] | None:
    """The pure ops behind a value, in order; None where an argument is among them."""
    found: set[Operation] = set()
    pending = [value]
    while pending:
        owner = pending.pop().owner
        if not isinstance(owner, Operation) or not is_pure(owner):
            return None
        if owner not in found:
            found.add(owner)
            pending.extend(needs(owner))
    block = value.owner.parent if isinstance(value.owner, Operation) else None
    if block is None or any(op.parent is not block for op in found):
        return None
    return [op for op in block.ops if op in found]
