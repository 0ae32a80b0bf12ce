"""mbc.pad: a constant border."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from xdsl.builder import ImplicitBuilder
from xdsl.dialects import tensor as tensor_dialect
from xdsl.dialects.builtin import (
    DenseArrayBase,
    FloatAttr,
    IndexType,
    IntegerType,
    TensorType,
)
from xdsl.ir import Block, Region, SSAValue
from xdsl.irdl import irdl_op_definition, operand_def, prop_def, result_def, traits_def
from xdsl.traits import Pure

from mbc.ir.arithmetic import constant
from mbc.ir.tensor_op import Dims, TensorOp, require
from mbc.ir.types import Array, Tensor, element_of, shape_of
from mbc.ir.types import tensor as tensor_of


@irdl_op_definition
class PadOp(TensorOp):
    """`low` and `high` elements of `value` before and behind each axis.

    Negative padding is not legal: it is a slice.
    """

    name = "mbc.pad"
    input = operand_def(TensorType)
    result = result_def(TensorType)
    low = prop_def(DenseArrayBase[IntegerType])
    high = prop_def(DenseArrayBase[IntegerType])
    value = prop_def(FloatAttr)
    traits = traits_def(Pure())

    @classmethod
    def with_value(
        cls, input: SSAValue, low: Sequence[int], high: Sequence[int], value: float
    ) -> SSAValue:
        """The padded value; `input` itself where nothing is added."""
        if not any((*low, *high)):
            return input
        return cls.of([input], low=tuple(low), high=tuple(high), value=value).result

    def check(self, types: Sequence[Tensor]) -> None:
        rank = len(types[0].get_shape())
        for name in ("low", "high"):
            amounts = self.ints_of(name)
            require(len(amounts) == rank, f"mbc.pad: {name} needs {rank} values")
            require(min(amounts, default=0) >= 0, f"mbc.pad: {name} is negative")

    def infer(self, types: Sequence[Tensor]) -> tuple[Tensor, ...]:
        rows = zip(
            types[0].get_shape(), self.ints_of("low"), self.ints_of("high"), strict=True
        )
        shape = [extent if extent < 0 else extent + a + b for extent, a, b in rows]
        return (tensor_of(shape, types[0].element_type),)

    def dims(self) -> Dims:
        names = tuple(f"d{i}" for i in range(len(shape_of(self.input))))
        rows = zip(names, self.ints_of("low"), self.ints_of("high"), strict=True)
        return Dims((names,), (tuple("" if a or b else n for n, a, b in rows),))

    def flops(self) -> int:
        return 0

    def evaluate(self, *arrays: Array) -> tuple[Array, ...]:
        amounts = list(zip(self.ints_of("low"), self.ints_of("high"), strict=True))
        if not amounts:
            return arrays
        value = np.asarray(self.float_of("value")).astype(arrays[0].dtype)
        return (np.pad(arrays[0], amounts, constant_values=value),)

    def decompose(self) -> Sequence[SSAValue]:
        low, high = self.ints_of("low"), self.ints_of("high")
        block = Block(arg_types=[IndexType()] * len(low))
        with ImplicitBuilder(block):
            fill = constant(self.float_of("value"), element_of(self.input))
            tensor_dialect.YieldOp(fill)
        op = tensor_dialect.PadOp(
            self.input, [], [], Region(block), low, high, self.tensor_results()[0]
        )
        return (op.result,)
