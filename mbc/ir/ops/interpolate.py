"""mbc.interpolate: images resampled: nearest, linear and cubic, in any rank."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import reduce

import numpy as np
from xdsl.dialects import arith
from xdsl.dialects import math as math_dialect
from xdsl.dialects.builtin import (
    BoolAttr,
    DenseArrayBase,
    Float64Type,
    IndexType,
    IntegerType,
    StringAttr,
    TensorType,
    f32,
    f64,
    i64,
)
from xdsl.dialects.linalg.ops import IndexOp
from xdsl.dialects.tensor import ExtractOp
from xdsl.ir import Attribute, SSAValue
from xdsl.irdl import irdl_op_definition, operand_def, prop_def, result_def, traits_def
from xdsl.traits import Pure

from mbc.ir import build
from mbc.ir.arithmetic import add, constant, multiply, subtract, widen
from mbc.ir.tensor_op import Dims, TensorOp, require
from mbc.ir.types import (
    FLOATS,
    Array,
    Tensor,
    accumulator,
    element_of,
    is_float,
    shape_of,
)
from mbc.ir.types import tensor as tensor_of

A = -0.75
"""The parameter of PyTorch's cubic kernel."""

WEIGHTS: dict[str, dict[int, tuple[float, ...]]] = {
    "linear": {0: (1, -1), 1: (0, 1)},
    "cubic": {
        -1: (0, A, -2 * A, A),
        0: (1, 0, -A - 3, A + 2),
        1: (0, -A, 2 * A + 3, -A - 2),
        2: (0, 0, A, -A),
    },
}
"""Per tap, as an offset from the element below: its weight as a polynomial in the
distance from there, constant term first. Keys' convolution of degree 1 and 3."""

TAPS = {"nearest": 1, **{mode: len(taps) for mode, taps in WEIGHTS.items()}}


@irdl_op_definition
class InterpolateOp(TensorOp):
    """The last axes of `input`, behind batch and channels, at `sizes` elements.

    Element i of an axis reads around i * step, or (i + 0.5) * step - 0.5 with
    `half_pixel`, of its input axis; `steps` are exact in f32, as PyTorch computes
    them. "nearest" takes the element below (the nearest one with `half_pixel`),
    "linear" weighs two, "cubic" four. Elements outside are those at the border.
    """

    name = "mbc.interpolate"
    input = operand_def(TensorType)
    result = result_def(TensorType)
    mode = prop_def(StringAttr)
    sizes = prop_def(DenseArrayBase[IntegerType])
    steps = prop_def(DenseArrayBase[Float64Type])
    half_pixel = prop_def(BoolAttr)
    traits = traits_def(Pure())

    @classmethod
    def resized(
        cls,
        input: SSAValue,
        mode: str,
        sizes: Sequence[int],
        steps: Sequence[float],
        half_pixel: bool,
    ) -> SSAValue:
        return cls.of(
            [input],
            mode=mode,
            sizes=tuple(sizes),
            steps=DenseArrayBase.from_list(f64, list(steps)),
            half_pixel=half_pixel,
        ).result

    @property
    def step_values(self) -> tuple[float, ...]:
        return tuple(float(value) for value in self.steps.get_values())

    def check(self, types: Sequence[Tensor]) -> None:
        shape, sizes = types[0].get_shape(), self.ints_of("sizes")
        known = ", ".join(TAPS)
        require(
            self.str_of("mode") in TAPS, f"mbc.interpolate: mode is none of {known}"
        )
        require(len(sizes) > 0, "mbc.interpolate: no axis to resample")
        require(
            len(shape) == len(sizes) + 2,
            "mbc.interpolate: needs a batch and a channel axis before the resampled",
        )
        require(
            len(self.step_values) == len(sizes), "mbc.interpolate: one step per axis"
        )
        require(min(sizes) >= 0, "mbc.interpolate: a size is negative")
        require(0 not in shape[2:], "mbc.interpolate: nothing to resample")
        moves = self.str_of("mode") == "nearest"
        require(
            moves or is_float(types[0].element_type), "mbc.interpolate needs floats"
        )

    def infer(self, types: Sequence[Tensor]) -> tuple[Tensor, ...]:
        shape = (*types[0].get_shape()[:2], *self.ints_of("sizes"))
        return (tensor_of(shape, types[0].element_type),)

    def dims(self) -> Dims:
        fixed = ("",) * len(self.ints_of("sizes"))
        return Dims((("n", "c", *fixed),), (("n", "c", *fixed),))

    def flops(self) -> int:
        """A multiply-add per tap; weights are not counted."""
        taps = TAPS[self.str_of("mode")]
        if taps == 1:
            return 0
        return 2 * taps ** len(self.ints_of("sizes")) * math.prod(shape_of(self.result))

    def evaluate(self, *arrays: Array) -> tuple[Array, ...]:
        """One axis after the other."""
        value = arrays[0]
        for axis, (size, step) in enumerate(
            zip(self.ints_of("sizes"), self.step_values, strict=True), start=2
        ):
            value = self._resampled(value, axis, size, step)
        return (value,)

    def _resampled(self, value: Array, axis: int, size: int, step: float) -> Array:
        mode, half = self.str_of("mode"), self.bool_of("half_pixel")
        extent = value.shape[axis]
        if mode == "nearest":
            at = nearest_places(size, step, half)
            return np.take(value, np.clip(at, 0, extent - 1), axis)
        kind = value.dtype
        half_step, steps = (np.asarray(x, kind) for x in (0.5 if half else 0, step))
        place = (np.arange(size, dtype=kind) + half_step) * steps - half_step
        place = np.maximum(place, 0) if mode == "linear" else place
        first = np.floor(place)
        shape = [size if d == axis else 1 for d in range(value.ndim)]
        parts: list[Array] = []
        for offset, terms in WEIGHTS[mode].items():
            weight: Array = np.polynomial.polynomial.polyval(place - first, terms)
            source = np.clip(first.astype(np.int64) + offset, 0, extent - 1)
            taken = np.take(value, source, axis)
            parts.append(weight.astype(kind).reshape(shape) * taken)
        return reduce(np.add, parts)

    def decompose(self) -> Sequence[SSAValue]:
        shape, element = shape_of(self.result), element_of(self.result)
        around = range(2)
        nearest = self.str_of("mode") == "nearest"

        def body() -> SSAValue:
            place = [IndexOp(axis).result for axis in around]
            if nearest:
                at = [self._nearest(axis) for axis in range(len(shape) - 2)]
                return ExtractOp(self.input, [*place, *at], element).result
            total = self._weighted(place)
            if total.type == element:
                return total
            return arith.TruncFOp(total, element).result

        return (build.elementwise([], shape, element, body),)

    def _nearest(self, axis: int) -> SSAValue:
        """The place in f32, from an exact product in f64."""
        at = loop_number(axis + 2, f64)
        if self.bool_of("half_pixel"):
            at = add(at, constant(0.5, f64))
        exact = multiply(at, constant(self.step_values[axis], f64))
        rounded = arith.TruncFOp(exact, f32).result
        floor = math_dialect.FloorOp(rounded).result
        return self._inside(axis, arith.FPToSIOp(floor, i64).result)

    def _inside(self, axis: int, at: SSAValue) -> SSAValue:
        last = shape_of(self.input)[axis + 2] - 1
        above = arith.MaxSIOp(at, constant(0, i64)).result
        below = arith.MinSIOp(above, constant(last, i64)).result
        return arith.IndexCastOp(below, IndexType()).result

    def _weighted(self, place: Sequence[SSAValue]) -> SSAValue:
        """The weighted sum over the taps of the axes that are left."""
        axis, element = len(place) - 2, element_of(self.input)
        wide = accumulator(element)
        if axis == len(self.ints_of("sizes")):
            return widen(ExtractOp(self.input, list(place), element).result, wide)
        at = loop_number(axis + 2, wide)
        step = constant(self.step_values[axis], wide)
        if self.bool_of("half_pixel"):
            half = constant(0.5, wide)
            at = subtract(multiply(add(at, half), step), half)
        else:
            at = multiply(at, step)
        return self._sum_of_taps(axis, at, place)

    def _sum_of_taps(
        self, axis: int, at: SSAValue, place: Sequence[SSAValue]
    ) -> SSAValue:
        mode = self.str_of("mode")
        if mode == "linear":
            at = arith.MaximumfOp(at, constant(0.0, at.type)).result
        floor = math_dialect.FloorOp(at).result
        first = arith.FPToSIOp(floor, i64).result
        parts = [
            multiply(
                polynomial(terms, subtract(at, floor)),
                self._tap(axis, first, offset, place),
            )
            for offset, terms in WEIGHTS[mode].items()
        ]
        return reduce(add, parts)

    def _tap(
        self, axis: int, first: SSAValue, offset: int, place: Sequence[SSAValue]
    ) -> SSAValue:
        source = self._inside(axis, add(first, constant(offset, i64)))
        return self._weighted([*place, source])


def nearest_places(size: int, step: float, half_pixel: bool) -> Array:
    """The element below i * step in f32 arithmetic, as PyTorch rounds it."""
    at = np.arange(size, dtype=np.float64) + (0.5 if half_pixel else 0.0)
    return np.floor((at * step).astype(np.float32)).astype(np.int64)


def loop_number(axis: int, element: Attribute) -> SSAValue:
    """The loop index as a float."""
    assert isinstance(element, FLOATS)
    at = arith.IndexCastOp(IndexOp(axis).result, i64).result
    return arith.SIToFPOp(at, element).result


def polynomial(terms: Sequence[float], x: SSAValue) -> SSAValue:
    """By Horner's rule, the constant term first in `terms`."""
    total = constant(terms[-1], x.type)
    for term in reversed(terms[:-1]):
        total = multiply(total, x)
        total = add(total, constant(term, x.type)) if term else total
    return total
