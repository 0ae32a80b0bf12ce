"""What a softmax reads, back to the contraction that made it: its scale and masks.

A reader answers with what it found, or with why this is no attention: one sentence.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Literal

from xdsl.dialects import arith
from xdsl.dialects.linalg import ops as linalg
from xdsl.ir import BlockArgument, SSAValue

from mbc.ir.ops.contract import ContractOp
from mbc.ir.types import shape_of
from mbc.passes.recognize.values import number_in, reads_in_place
from mbc.passes.support.inline import is_map
from mbc.passes.support.views import RESHAPES

Kind = Literal["added", "keeps", "hides"]


@dataclass(frozen=True)
class Mask:
    """A scalar of a body that meets the scores: added, or saying which are -inf."""

    kind: Kind
    op: linalg.GenericOp
    scalar: SSAValue

    @property
    def scores(self) -> tuple[int, ...]:
        """The shape of the scores where the mask meets them."""
        return shape_of(self.op.results[0])


@dataclass(frozen=True)
class Scores:
    product: ContractOp
    scale: float = 1.0
    masks: tuple[Mask, ...] = ()
    """Behind the scale, the first one first."""


def scores_of(value: SSAValue) -> Scores | str:
    """The scores that a tensor holds, for its only user."""
    if len(list(value.uses)) != 1:
        return "the scores are used elsewhere, too"
    op = value.owner
    if isinstance(op, ContractOp):
        return Scores(op)
    if isinstance(op, RESHAPES):
        keeps_rows = shape_of(op.operands[0])[-2:] == shape_of(value)[-2:]
        return scores_of(op.operands[0]) if keeps_rows else "a reshape mixes the rows"
    if isinstance(op, linalg.GenericOp) and is_map(op):
        yielded = op.body.block.last_op
        assert yielded is not None
        return _of_scalar(op, yielded.operands[0])
    return "no contraction makes what the softmax reads"


def _of_scalar(op: linalg.GenericOp, scalar: SSAValue) -> Scores | str:
    """The scores that a scalar of a body is made of."""
    if isinstance(scalar, BlockArgument):
        if not reads_in_place(op, scalar.index):
            return "the scores are moved before the softmax"
        return scores_of(op.inputs[scalar.index])
    inner = scalar.owner
    if isinstance(inner, arith.DivfOp):
        divisor = number_in(op, inner.rhs)
        return _scaled(_of_scalar(op, inner.lhs), 1 / divisor if divisor else math.nan)
    if isinstance(inner, arith.MulfOp):
        return _of_product(op, inner)
    if isinstance(inner, arith.AddfOp):
        return _of_sum(op, inner)
    if isinstance(inner, arith.SelectOp):
        return _of_selection(op, inner)
    return "scores are neither scaled nor masked, but something else"


def _pairs(inner: arith.MulfOp | arith.AddfOp) -> Iterator[tuple[SSAValue, SSAValue]]:
    yield inner.lhs, inner.rhs
    yield inner.rhs, inner.lhs


def _of_product(op: linalg.GenericOp, inner: arith.MulfOp) -> Scores | str:
    for scores, factor in _pairs(inner):
        number = number_in(op, factor)
        if number is not None:
            return _scaled(_of_scalar(op, scores), float(number))
    return "the scores are multiplied with a tensor"


def _scaled(found: Scores | str, factor: float | None) -> Scores | str:
    """Behind a mask of -inf a scale may stand, if it keeps the sign."""
    if isinstance(found, str):
        return found
    if factor is None or not math.isfinite(factor):
        return "the scale is no finite number"
    if any(mask.kind == "added" or factor <= 0 for mask in found.masks):
        return "the scores are scaled behind their mask"
    return replace(found, scale=found.scale * factor)


def _of_sum(op: linalg.GenericOp, inner: arith.AddfOp) -> Scores | str:
    reason = "no contraction makes what the softmax reads"
    for scores, added in _pairs(inner):
        found = _of_scalar(op, scores)
        if isinstance(found, Scores):
            return _masked(found, Mask("added", op, added))
        reason = found
    return reason


def _of_selection(op: linalg.GenericOp, inner: arith.SelectOp) -> Scores | str:
    kinds: tuple[tuple[SSAValue, SSAValue, Kind], ...] = (
        (inner.lhs, inner.rhs, "keeps"),
        (inner.rhs, inner.lhs, "hides"),
    )
    for scores, hidden, kind in kinds:
        if number_in(op, hidden) == -math.inf:
            return _masked(_of_scalar(op, scores), Mask(kind, op, inner.cond))
    return "masked scores are not -inf, so that a masked key may have weight"


def _masked(found: Scores | str, mask: Mask) -> Scores | str:
    if isinstance(found, str):
        return found
    if found.masks and "added" in (mask.kind, *(m.kind for m in found.masks)):
        return "a mask is added to scores that have another one"
    return replace(found, masks=(*found.masks, mask))
