"""mbc.attention: scaled dot-product attention."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from xdsl.dialects import arith
from xdsl.dialects.builtin import BoolAttr, FloatAttr, StringAttr, TensorType, i1
from xdsl.dialects.linalg.ops import IndexOp
from xdsl.ir import SSAValue
from xdsl.irdl import (
    irdl_op_definition,
    operand_def,
    opt_operand_def,
    opt_prop_def,
    prop_def,
    result_def,
    traits_def,
)
from xdsl.traits import Pure

from mbc.ir import build
from mbc.ir.arithmetic import add, constant, multiply
from mbc.ir.ops.contract import ContractOp
from mbc.ir.ops.logsumexp import row_maximum
from mbc.ir.ops.softmax import SoftmaxOp
from mbc.ir.tensor_op import Dims, TensorOp, require
from mbc.ir.types import Array, Tensor, element_of, is_float, shape_of, tensor

MASKED_ROWS = ("zero", "nan")


@irdl_op_definition
class AttentionOp(TensorOp):
    """softmax(query @ key^T * scale + mask) @ value.

    Shapes (batch, heads, length, depth). Key and value may have fewer heads, of which
    each serves a run of query heads. A boolean mask keeps where true; another is
    added. `causal` keeps key j for query i where j <= i. A masked key adds 0 times its
    value. A row whose scores are all -inf gives 0, as PyTorch's own attention does, or
    NaN, as its softmax does, where `masked_rows` is "nan".
    """

    name = "mbc.attention"
    query = operand_def(TensorType)
    key = operand_def(TensorType)
    value = operand_def(TensorType)
    mask = opt_operand_def(TensorType)
    result = result_def(TensorType)
    scale = prop_def(FloatAttr)
    causal = prop_def(BoolAttr)
    masked_rows = opt_prop_def(StringAttr)
    """What a row without any score above -inf gives: "zero", if absent, or "nan"."""
    traits = traits_def(Pure())

    def check(self, types: Sequence[Tensor]) -> None:
        query, key, value = (type.get_shape() for type in types[:3])
        require(
            all(len(shape) == 4 for shape in (query, key, value)),
            "mbc.attention takes (batch, heads, length, depth)",
        )
        require(is_float(types[0].element_type), "mbc.attention needs floats")
        require(
            query[0] == key[0] == value[0] and key[1] == value[1],
            "mbc.attention: batch or heads differ between query, key and value",
        )
        require(
            query[1] == key[1] or (key[1] > 0 and query[1] % key[1] == 0),
            f"mbc.attention: {query[1]} query heads do not divide into {key[1]}",
        )
        require(
            query[3] == key[3] and key[2] == value[2],
            "mbc.attention: depth of the key or length of the value does not match",
        )
        require(
            self.masked_rows is None or self.masked_rows.data in MASKED_ROWS,
            f"mbc.attention: masked_rows is one of {', '.join(MASKED_ROWS)}",
        )
        if len(types) == 4:
            full = (query[0], query[1], query[2], key[2])
            mask = types[3].get_shape()
            require(
                types[3].element_type in (i1, types[0].element_type),
                "mbc.attention: a mask is i1 or of the element type of the query",
            )
            require(
                len(mask) == 4
                and all(m in (1, f) for m, f in zip(mask, full, strict=True)),
                f"mbc.attention: mask {types[3]} does not broadcast to the scores",
            )

    def infer(self, types: Sequence[Tensor]) -> tuple[Tensor, ...]:
        shape = [*types[0].get_shape()[:3], types[2].get_shape()[3]]
        return (tensor(shape, types[0].element_type),)

    def dims(self) -> Dims:
        h = "h" if self.group() == 1 else ""  # several groups fix the heads
        query, key, value = (
            ("b", h, "q", "d"),
            ("b", h, "k", "d"),
            ("b", h, "k", "v"),
        )
        operands: list[tuple[str, ...]] = [query, key, value]
        if self.mask:
            extents = zip(shape_of(self.mask), ("b", h, "q", "k"), strict=True)
            operands.append(tuple(n if e != 1 else "" for e, n in extents))
        return Dims(tuple(operands), (("b", h, "q", "v"),))

    def group(self) -> int:
        """Query heads that share a head of keys and values."""
        heads, own = shape_of(self.query)[1], shape_of(self.key)[1]
        return heads // own if own else 1

    def hides_masked_rows(self) -> bool:
        """Whether a row without any score above -inf gives 0."""
        return self.masked_rows is None or self.masked_rows.data == "zero"

    def flops(self) -> int:
        """Pairs of a query and a key that causality rules out cost nothing."""
        b, h, q, d = shape_of(self.query)
        k, v = shape_of(self.value)[2:]
        pairs = q * k
        if self.bool_of("causal"):
            pairs = sum(min(i + 1, k) for i in range(q))
        return b * h * pairs * (2 * d + 2 * v + 5)

    def evaluate(self, *arrays: Array) -> tuple[Array, ...]:
        query, key, value = arrays[0], *(self._per_head(a) for a in arrays[1:3])
        scores = query @ np.swapaxes(key, -1, -2)
        scores = scores * query.dtype.type(self.float_of("scale"))
        if len(arrays) == 4 and arrays[3].dtype == np.bool_:
            scores = np.where(arrays[3], scores, -np.inf)
        elif len(arrays) == 4:
            scores = scores + arrays[3]
        if self.bool_of("causal"):
            keep = np.tril(np.ones(scores.shape[-2:], np.bool_))
            scores = np.where(keep, scores, -np.inf)
        if scores.shape[-1] == 0:
            return (scores @ value,)
        top = np.max(scores, axis=-1, keepdims=True)
        weights = np.exp(scores - np.where(top == -np.inf, 0, top))
        total = np.sum(weights, axis=-1, keepdims=True)
        if self.hides_masked_rows():
            total = np.where(total == 0, 1, total)
        weights = weights / total
        return ((weights.astype(query.dtype) @ value),)

    def _per_head(self, array: Array) -> Array:
        return np.repeat(array, self.group(), axis=1)

    def decompose(self) -> Sequence[SSAValue]:
        query, lead, keys = self._grouped()
        equation = f"{lead}qd,{keys}kd->{lead}qk"
        scores = ContractOp.einsum(equation, query, self.key).result
        scores = self._masked(build.reshape(scores, self._score_shape()))
        weights = SoftmaxOp.along(scores, 3).result
        hides = self.hides_masked_rows()
        if hides and (self.mask or self.bool_of("causal")):
            weights = _zero_where_all_masked(scores, weights)
        weights = build.reshape(weights, (*shape_of(query)[:-1], shape_of(weights)[3]))
        equation = f"{lead}qk,{keys}kv->{lead}qv"
        result = ContractOp.einsum(equation, weights, self.value).result
        return (build.reshape(result, shape_of(self.result)),)

    def _score_shape(self) -> tuple[int, ...]:
        return (*shape_of(self.query)[:3], shape_of(self.key)[2])

    def _grouped(self) -> tuple[SSAValue, str, str]:
        """The query, its leading axes and those of the key: with fewer heads of keys,
        query heads are (heads of keys, heads that share one)."""
        if self.group() == 1:
            return self.query, "bh", "bh"
        b, _, *rows = shape_of(self.query)
        shape = (b, shape_of(self.key)[1], self.group(), *rows)
        return build.reshape(self.query, shape), "bgh", "bg"

    def _masked(self, scores: SSAValue) -> SSAValue:
        """Scaled, and -inf or shifted where the mask and causality say so."""
        element, lowest = element_of(scores), -math.inf

        def body(score: SSAValue, *mask: SSAValue) -> SSAValue:
            score = multiply(score, constant(self.float_of("scale"), element))
            for m in mask:
                if m.type == i1:
                    score = arith.SelectOp(m, score, constant(lowest, element)).result
                else:
                    score = add(score, m)
            if self.bool_of("causal"):
                keep = arith.CmpiOp(IndexOp(3).result, IndexOp(2).result, "sle").result
                score = arith.SelectOp(keep, score, constant(lowest, element)).result
            return score

        masks = [self.mask] if self.mask else []
        return build.elementwise([scores, *masks], shape_of(scores), element, body)


def _zero_where_all_masked(scores: SSAValue, weights: SSAValue) -> SSAValue:
    """A row whose largest score is -inf has no weights; NaN stays."""
    top = row_maximum(scores, 3)

    def body(weight: SSAValue, largest: SSAValue) -> SSAValue:
        lowest = constant(-math.inf, weight.type)
        masked = arith.CmpfOp(largest, lowest, "oeq").result
        return arith.SelectOp(masked, constant(0.0, weight.type), weight).result

    shape = shape_of(weights)
    return build.elementwise([weights, top], shape, element_of(weights), body)
