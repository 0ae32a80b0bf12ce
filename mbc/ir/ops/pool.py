"""mbc.pool: maximum or average over windows of the spatial axes."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence

import numpy as np
from xdsl.dialects import arith
from xdsl.dialects import tensor as tensor_dialect
from xdsl.dialects.builtin import (
    AnyFloat,
    BoolAttr,
    DenseArrayBase,
    IndexType,
    IntegerAttr,
    IntegerType,
    StringAttr,
    TensorType,
    i64,
)
from xdsl.dialects.linalg import ops as linalg
from xdsl.ir import Attribute, SSAValue
from xdsl.ir.affine import AffineExpr, AffineMap
from xdsl.irdl import (
    irdl_op_definition,
    operand_def,
    opt_prop_def,
    opt_result_def,
    prop_def,
    result_def,
    traits_def,
)
from xdsl.traits import Pure

from mbc.ir import build
from mbc.ir.arithmetic import (
    add,
    constant,
    divide,
    maximum,
    minimum,
    multiply,
    subtract,
    widen,
)
from mbc.ir.ops.pad import PadOp
from mbc.ir.ops.reduce import fold
from mbc.ir.tensor_op import Dims, TensorOp, require
from mbc.ir.types import (
    Array,
    Tensor,
    accumulator,
    element_of,
    is_float,
    shape_of,
    tensor,
)


@irdl_op_definition
class PoolOp(TensorOp):
    """Input (batch, channels, spatial...), kind "max" or "avg".

    `low` and `high` pad each spatial axis: with the lowest value for max; for avg
    with zeros, of which only the first `low` and as many behind count towards the
    divisor where `count_padding` says so (`high` may hold more, for a ceiling-mode
    window that hangs over the edge). `divisor` replaces the count where positive.
    With `indices` a maximum has a second result: where in its plane, as i64, it was
    met first; the last NaN of a window wins.
    """

    name = "mbc.pool"
    input = operand_def(TensorType)
    result = result_def(TensorType)
    where = opt_result_def(TensorType)
    kind = prop_def(StringAttr)
    window = prop_def(DenseArrayBase[IntegerType])
    strides = prop_def(DenseArrayBase[IntegerType])
    low = prop_def(DenseArrayBase[IntegerType])
    high = prop_def(DenseArrayBase[IntegerType])
    dilation = prop_def(DenseArrayBase[IntegerType])
    count_padding = prop_def(BoolAttr)
    divisor = prop_def(IntegerAttr)
    indices = opt_prop_def(BoolAttr)
    traits = traits_def(Pure())

    @property
    def with_indices(self) -> bool:
        return "indices" in self.properties and self.bool_of("indices")

    def check(self, types: Sequence[Tensor]) -> None:
        shape = types[0].get_shape()
        spatial = len(self.ints_of("window"))
        require(
            1 <= spatial <= 3 and len(shape) == spatial + 2,
            f"mbc.pool: {types[0]} does not have {spatial} spatial axes",
        )
        require(self.str_of("kind") in ("max", "avg"), "mbc.pool: kind is max or avg")
        for name in ("strides", "low", "high", "dilation"):
            require(
                len(self.ints_of(name)) == spatial,
                f"mbc.pool: {name} needs {spatial} values",
            )
        require(
            all(extent > 0 for extent in self.spatial(shape)),
            f"mbc.pool: the window is larger than the padded input {types[0]}",
        )
        require(
            not self.with_indices or self.str_of("kind") == "max",
            "mbc.pool: indices are of a maximum",
        )

    def spatial(self, input: Sequence[int]) -> list[int]:
        rows = zip(
            input[2:],
            self.ints_of("window"),
            self.ints_of("strides"),
            self.ints_of("low"),
            self.ints_of("high"),
            self.ints_of("dilation"),
            strict=True,
        )
        return [
            (extent + low + high - dilation * (window - 1) - 1) // stride + 1
            for extent, window, stride, low, high, dilation in rows
        ]

    def infer(self, types: Sequence[Tensor]) -> tuple[Tensor, ...]:
        shape = types[0].get_shape()
        result = [*shape[:2], *self.spatial(shape)]
        value = tensor(result, types[0].element_type)
        return (value, tensor(result, i64)) if self.with_indices else (value,)

    def dims(self) -> Dims:
        spatial = len(self.ints_of("window"))
        out = ("n", "c", *("",) * spatial)
        return Dims((("n", "c", *"xyz"[:spatial]),), (out,) * len(self.results))

    def flops(self) -> int:
        return math.prod(shape_of(self.result)) * math.prod(self.ints_of("window"))

    def fill(self) -> float:
        if self.str_of("kind") == "avg":
            return 0.0
        return float(fold("max", element_of(self.input))[0])

    def counts(self, input: Sequence[int]) -> Array:
        """The divisor of every result position of an average."""
        if self.int_of("divisor") > 0:
            return np.asarray(self.int_of("divisor"))
        total = np.ones((), np.int64)
        rows = zip(
            input[2:],
            self.spatial(input),
            self.ints_of("window"),
            self.ints_of("strides"),
            self.ints_of("low"),
            strict=True,
        )
        for extent, out, window, stride, low in rows:
            margin = low if self.bool_of("count_padding") else 0
            first, last = -margin, extent + margin
            starts = np.arange(out) * stride - low
            ends = np.minimum(starts + window, last)
            total = np.multiply.outer(total, ends - np.maximum(starts, first))
        return total

    def evaluate(self, *arrays: Array) -> tuple[Array, ...]:
        (x,) = arrays
        maximum = self.str_of("kind") == "max"
        out = self.spatial(x.shape)
        pads = zip(self.ints_of("low"), self.ints_of("high"), strict=True)
        fill = np.asarray(self.fill()).astype(x.dtype)
        padded = np.pad(x, [(0, 0), (0, 0), *pads], constant_values=fill)
        total = np.full((*x.shape[:2], *out), fill, x.dtype)
        for tap in itertools.product(*(range(k) for k in self.ints_of("window"))):
            window = padded[(slice(None),) * 2 + self._window(tap, out)]
            total = np.maximum(total, window) if maximum else total + window
        if self.with_indices:
            return (total, self._indices(x))
        if maximum:
            return (total,)
        return ((total / self.counts(x.shape)).astype(x.dtype),)

    def _indices(self, x: Array) -> Array:
        """Where the maximum of every window is, by walking its taps in order."""
        extents, out = x.shape[2:], self.spatial(x.shape)
        places = np.arange(math.prod(extents)).reshape(extents)
        pads = list(zip(self.ints_of("low"), self.ints_of("high"), strict=True))
        places = np.pad(places, pads, constant_values=-1)
        padded = np.pad(x, [(0, 0), (0, 0), *pads])
        best = np.zeros((*x.shape[:2], *out), x.dtype)
        found = np.full((*x.shape[:2], *out), -1)
        for tap in itertools.product(*(range(k) for k in self.ints_of("window"))):
            window = self._window(tap, out)
            value, place = padded[(slice(None),) * 2 + window], places[window]
            larger = (found < 0) | (value > best) | (value != value)
            take = larger & (place >= 0)
            best, found = np.where(take, value, best), np.where(take, place, found)
        return np.maximum(found, 0).astype(np.int64)

    def _window(self, tap: Sequence[int], out: Sequence[int]) -> tuple[slice, ...]:
        rows = zip(
            tap, out, self.ints_of("strides"), self.ints_of("dilation"), strict=True
        )
        return tuple(
            slice(t * d, t * d + (n - 1) * s + 1, s) if n else slice(0, 0)
            for t, n, s, d in rows
        )

    def decompose(self) -> Sequence[SSAValue]:
        if self.with_indices:
            return self._decompose_indices()
        input = shape_of(self.input)
        element = element_of(self.input)
        acc = accumulator(element)
        spatial, out = len(input) - 2, shape_of(self.result)
        zeros = (0, 0)
        padded = PadOp.with_value(
            self.input,
            (*zeros, *self.ints_of("low")),
            (*zeros, *self.ints_of("high")),
            self.fill(),
        )
        kind = "max" if self.str_of("kind") == "max" else "sum"
        start, combine = fold(kind, acc)
        init = build.filled(out, acc, start)
        window = build.empty(self.ints_of("window"), element)
        kinds = ["parallel"] * (2 + spatial) + ["reduction"] * spatial
        total = build.generic(
            [padded, window],
            [init],
            self._loop_maps(spatial),
            kinds,
            lambda x, _, carried: combine(carried, widen(x, acc)),
        )[0]
        if kind == "sum":
            total = build.elementwise(
                [total], out, acc, lambda x: divide(x, self._divisor(acc))
            )
        return (build.narrow(total, element),)

    def _decompose_indices(self) -> Sequence[SSAValue]:
        """Windows over the input itself; what lies outside is read at its edge."""
        element, out = element_of(self.input), shape_of(self.result)
        spatial = len(out) - 2
        window = build.empty(self.ints_of("window"), element)
        inits = [build.filled(out, element, self.fill()), build.filled(out, i64, -1)]
        maps = self._loop_maps(spatial)[1:]
        kinds = ["parallel"] * (2 + spatial) + ["reduction"] * spatial

        def step(_: SSAValue, best: SSAValue, where: SSAValue) -> list[SSAValue]:
            inside, places = self._places(spatial)
            axes = [linalg.IndexOp(axis).result for axis in (0, 1)]
            x = tensor_dialect.ExtractOp(self.input, [*axes, *places], element).result
            flat = places[0]
            for extent, place in zip(shape_of(self.input)[3:], places[1:]):
                flat = add(multiply(flat, number(extent)), place)
            first = arith.CmpiOp(where, constant(-1, i64), "eq").result
            take = arith.OrIOp(first, exceeds(x, best)).result
            take = arith.AndIOp(take, inside).result
            here = arith.IndexCastOp(flat, i64).result
            return [
                arith.SelectOp(take, x, best).result,
                arith.SelectOp(take, here, where).result,
            ]

        value, where = build.generic([window], inits, [*maps, maps[-1]], kinds, step)
        found = build.elementwise(
            [where], out, i64, lambda w: maximum(w, constant(0, i64))
        )
        return (value, found)

    def _places(self, spatial: int) -> tuple[SSAValue, list[SSAValue]]:
        """Whether a tap lies inside the input, and its place or the nearest one."""
        inside = constant(1, IntegerType(1))
        places: list[SSAValue] = []
        rows = zip(
            shape_of(self.input)[2:],
            self.ints_of("strides"),
            self.ints_of("low"),
            self.ints_of("dilation"),
            strict=True,
        )
        for axis, (extent, stride, low, dilation) in enumerate(rows):
            start = multiply(linalg.IndexOp(2 + axis).result, number(stride))
            tap = multiply(linalg.IndexOp(2 + spatial + axis).result, number(dilation))
            place = subtract(add(start, tap), number(low))
            near = minimum(maximum(place, number(0)), number(extent - 1))
            same = arith.CmpiOp(place, near, "eq").result
            inside = arith.AndIOp(inside, same).result
            places.append(near)
        return inside, places

    def _divisor(self, acc: Attribute) -> SSAValue:
        """`counts` as scalar code: a constant where every position has the same."""
        input = shape_of(self.input)
        counts = np.unique(self.counts(input))
        if counts.size == 1:
            return constant(float(counts[0]), acc)
        names = ("window", "strides", "low")
        rows = zip(input[2:], *(self.ints_of(name) for name in names), strict=True)
        total = number(1)
        for axis, (extent, window, stride, low) in enumerate(rows):
            margin = low if self.bool_of("count_padding") else 0
            place = multiply(linalg.IndexOp(2 + axis).result, number(stride))
            start = subtract(place, number(low))
            end = minimum(add(start, number(window)), number(extent + margin))
            total = multiply(total, subtract(end, maximum(start, number(-margin))))
        assert isinstance(acc, AnyFloat)
        return arith.SIToFPOp(arith.IndexCastOp(total, i64).result, acc).result

    def _loop_maps(self, spatial: int) -> list[AffineMap]:
        loops = 2 + 2 * spatial
        d = [AffineExpr.dimension(i) for i in range(loops)]
        out, window = d[2 : 2 + spatial], d[2 + spatial :]
        rows = zip(
            out, window, self.ints_of("strides"), self.ints_of("dilation"), strict=True
        )
        reads = [o * s + k * t for o, k, s, t in rows]
        return [
            AffineMap(loops, 0, (d[0], d[1], *reads)),
            AffineMap(loops, 0, tuple(window)),
            AffineMap(loops, 0, (d[0], d[1], *out)),
        ]


def exceeds(x: SSAValue, best: SSAValue) -> SSAValue:
    """Whether `x` is larger than `best` or no number."""
    if not is_float(x.type):
        return arith.CmpiOp(x, best, "sgt").result
    larger = arith.CmpfOp(x, best, "ogt").result
    return arith.OrIOp(larger, arith.CmpfOp(x, x, "uno").result).result


def number(value: int) -> SSAValue:
    return constant(value, IndexType())
