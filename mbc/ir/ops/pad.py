"""mbc.pad: a border of one value, or of what lies inside."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from xdsl.builder import ImplicitBuilder
from xdsl.dialects import arith
from xdsl.dialects import tensor as tensor_dialect
from xdsl.dialects.builtin import (
    DenseArrayBase,
    FloatAttr,
    IndexType,
    IntegerType,
    StringAttr,
    TensorType,
)
from xdsl.dialects.linalg.ops import IndexOp
from xdsl.ir import Block, Region, SSAValue
from xdsl.irdl import (
    irdl_op_definition,
    operand_def,
    opt_prop_def,
    prop_def,
    result_def,
    traits_def,
)
from xdsl.traits import Pure

from mbc.ir import build
from mbc.ir.arithmetic import add, constant, subtract
from mbc.ir.tensor_op import Dims, TensorOp, require
from mbc.ir.types import Array, Tensor, element_of, shape_of
from mbc.ir.types import tensor as tensor_of


@irdl_op_definition
class PadOp(TensorOp):
    """`low` and `high` elements before and behind each axis.

    `mode` says which: "constant" (`value`, and the mode where none is given),
    "reflect" (mirrored at the border, which is not repeated), "replicate" (the border
    itself) or "circular" (from the other end). Negative padding is not legal: it is a
    slice.
    """

    name = "mbc.pad"
    input = operand_def(TensorType)
    result = result_def(TensorType)
    low = prop_def(DenseArrayBase[IntegerType])
    high = prop_def(DenseArrayBase[IntegerType])
    value = prop_def(FloatAttr)
    mode = opt_prop_def(StringAttr)
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
        shape = types[0].get_shape()
        known = ", ".join(LONGEST)
        require(self.kind in LONGEST, f"mbc.pad: mode is none of {known}")
        for name in ("low", "high"):
            amounts = self.ints_of(name)
            rank = len(shape)
            require(len(amounts) == rank, f"mbc.pad: {name} needs {rank} values")
            require(min(amounts, default=0) >= 0, f"mbc.pad: {name} is negative")
            fits = all(a <= LONGEST[self.kind](n) for n, a in zip(shape, amounts) if a)
            require(fits, f"mbc.pad: {name} is more than {self.kind} can take inside")

    @property
    def kind(self) -> str:
        """The mode, which need not be written."""
        return "constant" if self.mode is None else self.mode.data

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
        if self.kind != "constant":
            modes: Any = {"reflect": "reflect", "replicate": "edge", "circular": "wrap"}
            return (np.pad(arrays[0], amounts, modes[self.kind]),)
        value = np.asarray(self.float_of("value")).astype(arrays[0].dtype)
        return (np.pad(arrays[0], amounts, constant_values=value),)

    def decompose(self) -> Sequence[SSAValue]:
        low, high = self.ints_of("low"), self.ints_of("high")
        if self.kind != "constant":
            return (self._from_inside(low),)
        block = Block(arg_types=[IndexType()] * len(low))
        with ImplicitBuilder(block):
            fill = constant(self.float_of("value"), element_of(self.input))
            tensor_dialect.YieldOp(fill)
        op = tensor_dialect.PadOp(
            self.input, [], [], Region(block), low, high, self.tensor_results()[0]
        )
        return (op.result,)

    def _from_inside(self, low: Sequence[int]) -> SSAValue:
        """Every element read where its mode finds it."""
        shape, element = shape_of(self.input), element_of(self.input)

        def body() -> SSAValue:
            places = [
                INSIDE[self.kind](shifted_index(axis, -before), extent)
                if before or extent != padded
                else IndexOp(axis).result
                for axis, (before, extent, padded) in enumerate(
                    zip(low, shape, shape_of(self.result), strict=True)
                )
            ]
            return tensor_dialect.ExtractOp(self.input, places, element).result

        return build.elementwise([], shape_of(self.result), element, body)


def shifted_index(axis: int, by: int) -> SSAValue:
    """The loop index of an axis plus a constant."""
    at = IndexOp(axis).result
    return add(at, index_constant(by))


def index_constant(value: int) -> SSAValue:
    return constant(value, IndexType())


def _replicate(at: SSAValue, extent: int) -> SSAValue:
    inside = arith.MaxSIOp(at, index_constant(0)).result
    return arith.MinSIOp(inside, index_constant(extent - 1)).result


def _reflect(at: SSAValue, extent: int) -> SSAValue:
    """|at| before the end, and as far from the end behind it."""
    mirrored = arith.MaxSIOp(at, subtract(index_constant(0), at)).result
    back = subtract(index_constant(2 * (extent - 1)), mirrored)
    return arith.MinSIOp(mirrored, back).result


def _circular(at: SSAValue, extent: int) -> SSAValue:
    positive = add(at, index_constant(extent))
    return arith.RemSIOp(positive, index_constant(extent)).result


INSIDE: dict[str, Callable[[SSAValue, int], SSAValue]] = {
    "reflect": _reflect,
    "replicate": _replicate,
    "circular": _circular,
}

LONGEST: dict[str, Callable[[int], float]] = {
    "constant": lambda extent: math.inf,
    "reflect": lambda extent: extent - 1,
    "replicate": lambda extent: math.inf if extent else 0,
    "circular": lambda extent: extent,
}
"""The largest border of an axis in each mode."""
