"""Attention from its pieces: product, scale, mask, softmax and weighted sum."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.ir import Operation, SSAValue

from mbc.codegen.families.attention import ELEMENTS
from mbc.ir import build
from mbc.ir.ops.attention import AttentionOp
from mbc.ir.ops.contract import ContractOp
from mbc.ir.ops.softmax import SoftmaxOp
from mbc.ir.types import accumulator, element_of, shape_of
from mbc.passes.recognize.masks import masking, misfit
from mbc.passes.recognize.scores import Scores, scores_of
from mbc.passes.support.views import RESHAPES


@dataclass(frozen=True)
class Operand:
    """A tensor, and its axes in the order that attention takes: batch axes first."""

    value: SSAValue
    order: tuple[int, ...]

    def over(self, lead: tuple[int, int]) -> SSAValue:
        """(batch, heads, rows, columns); nothing moves that need not."""
        batch = len(self.order) - 2
        rows = [shape_of(self.value)[axis] for axis in self.order[batch:]]
        if self.order == tuple(range(batch + 2)):
            return build.reshape(self.value, (*lead, *rows))
        if self.order == (*range(batch), batch + 1, batch):
            whole = build.reshape(self.value, (*lead, *reversed(rows)))
            return build.transpose(whole, (0, 1, 3, 2))
        moved = build.transpose(self.value, self.order)
        return build.reshape(moved, (*lead, *rows))


@dataclass(frozen=True)
class Built:
    attention: AttentionOp
    result: SSAValue
    """What stands for the weighted sum; perhaps the attention's with axes moved."""


@dataclass(frozen=True)
class Pieces:
    """All that one attention is made of, which nobody else uses."""

    scores: Scores
    query: Operand
    key: Operand
    value: Operand
    lead: tuple[int, int]
    summed: tuple[int, ...]
    """The shape of the result with its axes in attention's order."""
    order: tuple[int, ...]
    """Which of those each axis of the result is."""

    def build(self) -> Built:
        operands = [o.over(self.lead) for o in (self.query, self.key, self.value)]
        masked = masking(self.scores.masks)
        if masked.operand is not None:
            operands.append(masked.operand)
        attention = AttentionOp.of(
            operands,
            scale=self.scores.scale,
            causal=masked.causal,
            masked_rows="nan",
        )
        result = build.reshape(attention.result, self.summed)
        if self.order != tuple(range(len(self.order))):
            result = build.transpose(result, self.order)
        return Built(attention, result)


def attention(op: Operation) -> Sequence[SSAValue] | None:
    """softmax(query @ key^T * scale + mask) @ value, of which only the end is read."""
    found = pieces(op)
    return None if isinstance(found, str) else [found.build().result]


def pieces(op: Operation) -> Pieces | str:
    """The pieces that end in `op`, or why it is the end of no attention."""
    if not isinstance(op, ContractOp):
        return "it does not end in a contraction"
    if str(element_of(op.result)) not in ELEMENTS:
        return f"attention is for elements of {', '.join(ELEMENTS)}"
    if not _is_usual(op):
        return "the values are summed in another type, or over nothing"
    for position, weights in enumerate(op.operands):
        softmax = _softmax(weights)
        if isinstance(softmax, SoftmaxOp):
            return _around(op, position, softmax)
    return "no operand of the contraction is a softmax that nobody else reads"


def _is_usual(op: ContractOp) -> bool:
    """Accumulated as attention does it, and over something."""
    usual = op.acc.data == str(accumulator(element_of(op.lhs)))
    return usual and all(op.extents())


def _softmax(weights: SSAValue) -> SoftmaxOp | None:
    """The softmax along rows that a contraction reads, perhaps reshaped."""
    value = weights
    while len(list(value.uses)) == 1 and isinstance(value.owner, RESHAPES):
        value = value.owner.operands[0]
    softmax = value.owner
    if not isinstance(softmax, SoftmaxOp) or len(list(value.uses)) != 1:
        return None
    along_rows = softmax.int_of("axis") == len(shape_of(value)) - 1
    same_rows = shape_of(value)[-2:] == shape_of(weights)[-2:]
    is_matrix = len(shape_of(value)) > 1
    taken = along_rows and same_rows and is_matrix and not softmax.bool_of("log")
    return softmax if taken else None


def _around(op: ContractOp, position: int, softmax: SoftmaxOp) -> Pieces | str:
    scores = scores_of(softmax.input)
    if isinstance(scores, str):
        return scores
    product = scores.product
    if not _is_usual(product):
        return "the scores are summed in another type, or over nothing"
    reasons = [reason for mask in scores.masks if (reason := misfit(mask))]
    levels = {mask.scores for mask in scores.masks} or {shape_of(softmax.input)}
    if len(levels) > 1:
        reasons.append("masks meet the scores in different shapes")
    if reasons:
        return reasons[0]
    first, last = _first(product), _last(op, position)
    if isinstance(first, str) or isinstance(last, str):
        return first if isinstance(first, str) else str(last)
    (*lead, _, _) = levels.pop()
    value, batch, columns, order = last
    summed = (*batch, *columns)
    return Pieces(scores, *first, value, _two(lead), summed, order)


def _two(lead: Sequence[int]) -> tuple[int, int]:
    """Batch and heads."""
    if len(lead) == 2:
        return lead[0], lead[1]
    return math.prod(lead), 1


def _first(product: ContractOp) -> tuple[Operand, Operand] | str:
    """Query and key of the contraction that makes the scores."""
    axes, operands = product.axes(), product.operands
    if len(axes[2]) < 2:
        return "the scores are no matrix"
    *batch, row, column = axes[2]
    summed = set(axes[0]) & set(axes[1]) - set(axes[2])
    if len(summed) != 1:
        return "the scores are not summed over one axis"
    rows, columns = (*batch, row, *summed), (*batch, column, *summed)
    for query, key in ((0, 1), (1, 0)):
        if set(axes[query]) == set(rows) and set(axes[key]) == set(columns):
            return (
                Operand(operands[query], _order(axes[query], rows)),
                Operand(operands[key], _order(axes[key], columns)),
            )
    return "the scores are not the products of queries and keys"


Last = tuple[Operand, tuple[int, ...], tuple[int, int], tuple[int, ...]]
"""The value, the extents of batch axes, rows and columns, the order of the result."""


def _last(op: ContractOp, position: int) -> Last | str:
    axes = op.axes()
    (*batch, row, key), other = axes[position], axes[1 - position]
    own = set(other) - {*batch, key}
    if len(own) != 1 or not {*batch, key} <= set(other) or row in other:
        return "the weights are not multiplied with values of their keys"
    (column,) = own
    source = (*batch, row, column)
    if set(axes[2]) != set(source):
        return "the weighted values are summed over more than the keys"
    value = Operand(op.operands[1 - position], _order(other, (*batch, key, column)))
    extents = op.extents()
    rows = (extents[row], extents[column])
    return value, tuple(extents[b] for b in batch), rows, _order(source, axes[2])


def _order(axes: Sequence[int], wanted: Sequence[int]) -> tuple[int, ...]:
    """Which of `axes` each of `wanted` is."""
    return tuple(axes.index(loop) for loop in wanted)
