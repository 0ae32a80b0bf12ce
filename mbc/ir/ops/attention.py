"""mbc.attention: scaled dot-product attention."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from xdsl.dialects import arith
from xdsl.dialects.builtin import BoolAttr, FloatAttr, TensorType, i1
from xdsl.dialects.linalg.ops import IndexOp
from xdsl.ir import SSAValue
from xdsl.irdl import (
    irdl_op_definition,
    operand_def,
    opt_operand_def,
    prop_def,
    result_def,
    traits_def,
)
from xdsl.traits import Pure

from mbc.ir import build
from mbc.ir.arithmetic import add, constant, multiply
from mbc.ir.ops.contract import ContractOp
from mbc.ir.ops.softmax import SoftmaxOp
from mbc.ir.tensor_op import Dims, TensorOp, require
from mbc.ir.types import Array, Tensor, element_of, is_float, shape_of, tensor


@irdl_op_definition
class AttentionOp(TensorOp):
    """softmax(query @ key^T * scale + mask) @ value.

    Shapes (batch, heads, length, depth). A boolean mask keeps where true; another is
    added. `causal` keeps key j for query i where j <= i. A row with every key masked
    out gives 0, as PyTorch does.
    """

    name = "mbc.attention"
    query = operand_def(TensorType)
    key = operand_def(TensorType)
    value = operand_def(TensorType)
    mask = opt_operand_def(TensorType)
    result = result_def(TensorType)
    scale = prop_def(FloatAttr)
    causal = prop_def(BoolAttr)
    traits = traits_def(Pure())

    def check(self, types: Sequence[Tensor]) -> None:
        query, key, value = (type.get_shape() for type in types[:3])
        require(
            all(len(shape) == 4 for shape in (query, key, value)),
            "mbc.attention takes (batch, heads, length, depth)",
        )
        require(is_float(types[0].element_type), "mbc.attention needs floats")
        require(
            query[:2] == key[:2] == value[:2],
            "mbc.attention: batch or heads differ between query, key and value",
        )
        require(
            query[3] == key[3] and key[2] == value[2],
            "mbc.attention: depth of the key or length of the value does not match",
        )
        if len(types) == 4:
            full = (query[0], query[1], query[2], key[2])
            mask = types[3].get_shape()
            require(
                len(mask) == 4
                and all(m in (1, f) for m, f in zip(mask, full, strict=True)),
                f"mbc.attention: mask {types[3]} does not broadcast to the scores",
            )

    def infer(self, types: Sequence[Tensor]) -> tuple[Tensor, ...]:
        shape = [*types[0].get_shape()[:3], types[2].get_shape()[3]]
        return (tensor(shape, types[0].element_type),)

    def dims(self) -> Dims:
        query, key, value = (
            ("b", "h", "q", "d"),
            ("b", "h", "k", "d"),
            ("b", "h", "k", "v"),
        )
        operands: list[tuple[str, ...]] = [query, key, value]
        if self.mask:
            extents = zip(shape_of(self.mask), ("b", "h", "q", "k"), strict=True)
            operands.append(tuple(n if e != 1 else "" for e, n in extents))
        return Dims(tuple(operands), (("b", "h", "q", "v"),))

    def flops(self) -> int:
        b, h, q, d = shape_of(self.query)
        k, v = shape_of(self.value)[2:]
        return b * h * q * k * (2 * d + 2 * v + 5)

    def evaluate(self, *arrays: Array) -> tuple[Array, ...]:
        query, key, value = arrays[:3]
        scores = query @ np.swapaxes(key, -1, -2)
        scores = scores * query.dtype.type(self.float_of("scale"))
        if len(arrays) == 4 and arrays[3].dtype == np.bool_:
            scores = np.where(arrays[3], scores, -np.inf)
        elif len(arrays) == 4:
            scores = scores + arrays[3]
        if self.bool_of("causal"):
            keep = np.tril(np.ones(scores.shape[-2:], np.bool_))
            scores = np.where(keep, scores, -np.inf)
        top = np.max(scores, axis=-1, keepdims=True)
        weights = np.exp(scores - np.where(top == -np.inf, 0, top))
        total = np.sum(weights, axis=-1, keepdims=True)
        weights = weights / np.where(total == 0, 1, total)
        return ((weights.astype(query.dtype) @ value),)

    def decompose(self) -> Sequence[SSAValue]:
        element = element_of(self.query)
        scores = ContractOp.einsum("bhqd,bhkd->bhqk", self.query, self.key).result
        shape = shape_of(scores)
        lowest = -math.inf

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
        scores = build.elementwise([scores, *masks], shape, element, body)
        weights = SoftmaxOp.along(scores, 3).result

        def zero_if_nan(x: SSAValue) -> SSAValue:
            ordered = arith.CmpfOp(x, x, "ord").result
            return arith.SelectOp(ordered, x, constant(0.0, element)).result

        if masks or self.bool_of("causal"):
            weights = build.elementwise([weights], shape, element, zero_if_nan)
        return (ContractOp.einsum("bhqk,bhkv->bhqv", weights, self.value).result,)
