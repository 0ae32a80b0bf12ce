"""mbc.reduce: sum, mean, product, maximum or minimum over axes."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from xdsl.dialects import arith
from xdsl.dialects.builtin import (
    BoolAttr,
    DenseArrayBase,
    IntegerType,
    StringAttr,
    TensorType,
)
from xdsl.ir import Attribute, SSAValue
from xdsl.irdl import irdl_op_definition, operand_def, prop_def, result_def, traits_def
from xdsl.traits import Pure

from mbc.ir import build
from mbc.ir.arithmetic import (
    add,
    extreme_value,
    maximum,
    minimum,
    multiply,
    widen,
)
from mbc.ir.tensor_op import Dims, TensorOp, axis_in, require
from mbc.ir.types import Array, Tensor, accumulator, element_of, is_float, shape_of
from mbc.ir.types import tensor as tensor_of

Combine = Callable[[SSAValue, SSAValue], SSAValue]

KINDS = ("sum", "mean", "prod", "max", "min")


@irdl_op_definition
class ReduceOp(TensorOp):
    """Folds `axes` away; with `keepdims` they stay with extent 1.

    max and min propagate NaN. A mean of floats divides the sum by the extent.
    """

    name = "mbc.reduce"
    input = operand_def(TensorType)
    result = result_def(TensorType)
    kind = prop_def(StringAttr)
    axes = prop_def(DenseArrayBase[IntegerType])
    keepdims = prop_def(BoolAttr)
    traits = traits_def(Pure())

    @classmethod
    def over(
        cls, value: SSAValue, kind: str, axes: Sequence[int], keepdims: bool = False
    ) -> ReduceOp:
        return cls.of([value], kind=kind, axes=tuple(axes), keepdims=keepdims)

    def check(self, types: Sequence[Tensor]) -> None:
        kind, axes = self.str_of("kind"), self.ints_of("axes")
        require(
            kind in KINDS, f"mbc.reduce: kind '{kind}' is none of {', '.join(KINDS)}"
        )
        for axis in axes:
            axis_in(self, axis, len(types[0].get_shape()))
        require(len(set(axes)) == len(axes), "mbc.reduce: an axis is named twice")
        require(
            kind != "mean" or is_float(types[0].element_type),
            "mbc.reduce: a mean needs floats",
        )

    def infer(self, types: Sequence[Tensor]) -> tuple[Tensor, ...]:
        axes, keep = self.ints_of("axes"), self.bool_of("keepdims")
        shape = [
            1 if i in axes else extent
            for i, extent in enumerate(types[0].get_shape())
            if keep or i not in axes
        ]
        return (tensor_of(shape, types[0].element_type),)

    def dims(self) -> Dims:
        axes, keep = self.ints_of("axes"), self.bool_of("keepdims")
        names = tuple(f"d{i}" for i in range(len(shape_of(self.input))))
        out = tuple(
            "" if i in axes else n for i, n in enumerate(names) if keep or i not in axes
        )
        return Dims((names,), (out,))

    def reduced_extent(self) -> int:
        shape = shape_of(self.input)
        return math.prod(shape[axis] for axis in self.ints_of("axes"))

    def flops(self) -> int:
        return math.prod(shape_of(self.input))

    def evaluate(self, *arrays: Array) -> tuple[Array, ...]:
        functions: dict[str, Callable[..., Any]] = {
            "sum": np.sum,
            "mean": np.mean,
            "prod": np.prod,
            "max": np.max,
            "min": np.min,
        }
        value, axes = arrays[0], self.ints_of("axes")
        function = functions[self.str_of("kind")]
        keep = self.bool_of("keepdims")
        if value.dtype.kind in "iub" and function in (np.sum, np.prod):
            return (function(value, axis=axes, dtype=value.dtype, keepdims=keep),)
        if function in (np.max, np.min) and not self.reduced_extent():
            return (np.full(shape_of(self.result), self._neutral(), value.dtype),)
        return (np.asarray(function(value, axis=axes, keepdims=keep)),)

    def _neutral(self) -> float | int:
        return fold(self.str_of("kind"), element_of(self.input))[0]

    def decompose(self) -> Sequence[SSAValue]:
        kind, axes = self.str_of("kind"), self.ints_of("axes")
        element = element_of(self.input)
        acc = accumulator(element)
        start, combine = fold(kind, acc)

        def step(x: SSAValue, carried: SSAValue) -> SSAValue:
            return combine(carried, widen(x, acc))

        total = build.reduction(self.input, axes, acc, start, step)
        if kind == "mean":
            count = self.reduced_extent()
            total = build.elementwise(
                [total],
                shape_of(total),
                acc,
                lambda x: arith.DivfOp(x, build.constant(count, acc)).result,
            )
        total = build.narrow(total, element)
        return (build.reshape(total, shape_of(self.result)),)


def fold(kind: str, element: Attribute) -> tuple[float | int, Combine]:
    """The neutral element of a reduction kind and its combining function."""
    match kind:
        case "sum" | "mean":
            return 0, add
        case "prod":
            return 1, multiply
        case "max":
            return extreme_value(element, "lowest"), maximum
        case _:
            return extreme_value(element, "highest"), minimum
