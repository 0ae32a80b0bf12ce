"""mbc.conv_transpose: the transpose of a convolution, of any rank, as a gather."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from xdsl.dialects import tensor as tensor_dialect
from xdsl.dialects.builtin import (
    DenseArrayBase,
    IntegerAttr,
    IntegerType,
    StringAttr,
    TensorType,
)
from xdsl.ir import SSAValue
from xdsl.ir.affine import AffineExpr, AffineMap
from xdsl.irdl import irdl_op_definition, operand_def, prop_def, result_def, traits_def
from xdsl.traits import Pure

from mbc.ir import build
from mbc.ir.arithmetic import add, multiply, widen
from mbc.ir.ops.pad import PadOp
from mbc.ir.tensor_op import Dims, TensorOp, require
from mbc.ir.types import Array, Tensor, element_of, element_type, shape_of, tensor

LETTERS = "xyz"
AMOUNTS = ("strides", "low", "high", "output_padding", "dilation")


@dataclass(frozen=True)
class Tap:
    """Result first + q * stride reads input start + q at one element of the window."""

    first: int
    results: int
    start: int


@irdl_op_definition
class ConvTransposeOp(TensorOp):
    """Input (batch, channels, spatial...), weight (channels, out / groups, window...).

    As PyTorch's `conv_transpose1d`, `2d` and `3d`, without bias: input i adds to
    result i * stride + k * dilation - low through element k of the window. `low` and
    `high` results are cut off, `output_padding` ones added behind. The input is zero
    outside, and is never spread out with zeros.
    """

    name = "mbc.conv_transpose"
    input = operand_def(TensorType)
    weight = operand_def(TensorType)
    result = result_def(TensorType)
    strides = prop_def(DenseArrayBase[IntegerType])
    low = prop_def(DenseArrayBase[IntegerType])
    high = prop_def(DenseArrayBase[IntegerType])
    output_padding = prop_def(DenseArrayBase[IntegerType])
    dilation = prop_def(DenseArrayBase[IntegerType])
    groups = prop_def(IntegerAttr)
    acc = prop_def(StringAttr)
    traits = traits_def(Pure())

    def check(self, types: Sequence[Tensor]) -> None:
        input, weight = (type.get_shape() for type in types)
        spatial, groups = len(input) - 2, self.int_of("groups")
        require(
            1 <= spatial <= 3, f"{self.name}: {types[0]} has no 1 to 3 spatial axes"
        )
        require(
            len(weight) == len(input), f"{self.name}: weight {types[1]} has other rank"
        )
        for name in AMOUNTS:
            require(
                len(self.ints_of(name)) == spatial,
                f"{self.name}: {name} needs {spatial} values",
            )
        require(
            groups > 0 and input[1] == weight[0] and input[1] % groups == 0,
            f"{self.name}: {input[1]} channels, weight {types[1]} and {groups} groups "
            "do not fit",
        )
        steps = zip(self.ints_of("strides"), self.ints_of("dilation"), strict=True)
        require(
            all(
                0 <= added < max(pair)
                for added, pair in zip(self.ints_of("output_padding"), steps)
            ),
            f"{self.name}: output_padding is not below stride or dilation",
        )
        require(
            all(extent > 0 for extent in self.spatial(input, weight)),
            f"{self.name}: no results are left of {types[0]}",
        )

    def spatial(self, input: Sequence[int], weight: Sequence[int]) -> list[int]:
        """Extents of the result's spatial axes."""
        amounts = (self.ints_of(name) for name in AMOUNTS)
        rows = zip(input[2:], weight[2:], *amounts, strict=True)
        return [
            (extent - 1) * stride + (window - 1) * dilation + 1 - low - high + added
            for extent, window, stride, low, high, added, dilation in rows
        ]

    def infer(self, types: Sequence[Tensor]) -> tuple[Tensor, ...]:
        input, weight = (type.get_shape() for type in types)
        filters = weight[1] * self.int_of("groups")
        shape = [input[0], filters, *self.spatial(input, weight)]
        return (tensor(shape, types[0].element_type),)

    def dims(self) -> Dims:
        spatial = len(shape_of(self.input)) - 2
        fixed = ("",) * spatial
        single = self.int_of("groups") == 1
        channel, out = ("c", "f") if single else ("", "")
        free = tuple(LETTERS[:spatial])
        return Dims(
            (("n", channel, *free), (channel, out, *fixed)), (("n", out, *fixed),)
        )

    def flops(self) -> int:
        """Of the products that results gather, zeros outside the input among them."""
        n, channels = shape_of(self.input)[:2]
        pairs = math.prod(
            sum(tap.results for tap in taps)
            for taps in self.taps(shape_of(self.weight)[2:], shape_of(self.result)[2:])
        )
        return 2 * n * channels * shape_of(self.weight)[1] * pairs

    def taps(self, window: Sequence[int], out: Sequence[int]) -> list[list[Tap]]:
        """Per axis, what each element of the window does."""
        names = ("strides", "low", "dilation")
        rows = zip(window, out, *(self.ints_of(name) for name in names), strict=True)
        return [
            [_tap(k * dilation - low, extent, stride) for k in range(elements)]
            for elements, extent, stride, low, dilation in rows
        ]

    def evaluate(self, *arrays: Array) -> tuple[Array, ...]:
        x, weight = arrays
        groups, strides = self.int_of("groups"), self.ints_of("strides")
        out = self.spatial(x.shape, weight.shape)
        axes = self.taps(weight.shape[2:], out)
        low, high = _zeros(axes, x.shape[2:])
        x = np.pad(x, [(0, 0), (0, 0), *zip(low, high, strict=True)])
        x = x.reshape(x.shape[0], groups, x.shape[1] // groups, *x.shape[2:])
        w = weight.reshape(groups, weight.shape[0] // groups, *weight.shape[1:])
        # Wide: taps are added one by one, which no implementation need be as bad as.
        wide = np.float64 if x.dtype.kind == "f" else x.dtype
        total = np.zeros((x.shape[0], groups, w.shape[2], *out), wide)
        for element in itertools.product(*(range(k) for k in weight.shape[2:])):
            taps = [axis[k] for axis, k in zip(axes, element, strict=True)]
            read = tuple(
                slice(t.start + before, t.start + before + t.results)
                for t, before in zip(taps, low, strict=True)
            )
            written = tuple(
                slice(t.first, None, stride)
                for t, stride in zip(taps, strides, strict=True)
            )
            seen, factor = x[(slice(None),) * 3 + read], w[(..., *element)]
            total[(slice(None),) * 3 + written] += np.einsum(
                "ngc...,gcf->ngf...", seen, factor, optimize=True
            )
        total = total.reshape(total.shape[0], groups * w.shape[2], *out)
        return (total.astype(x.dtype),)

    def decompose(self) -> Sequence[SSAValue]:
        """One convolution of stride 1 per residue of the result, put in its place."""
        source, acc = element_of(self.input), element_type(self.acc.data)
        strides, groups = self.ints_of("strides"), self.int_of("groups")
        n, filters, *out = shape_of(self.result)
        axes = self.taps(shape_of(self.weight)[2:], out)
        low, high = _zeros(axes, shape_of(self.input)[2:])
        padded = PadOp.with_value(self.input, (0, 0, *low), (0, 0, *high), 0.0)
        whole = build.filled((n, groups, filters // groups, *out), acc, 0)
        for phase in itertools.product(*(range(s) for s in strides)):
            chosen = [
                [k for k, tap in enumerate(axis) if tap.first == first and tap.results]
                for axis, first in zip(axes, phase, strict=True)
            ]
            if not all(chosen):
                continue
            firsts = [axis[ks[0]] for axis, ks in zip(axes, chosen, strict=True)]
            starts = [t.start + a for t, a in zip(firsts, low, strict=True)]
            part = self._phase(padded, chosen, [t.results for t in firsts], starts)
            whole = _inserted(part, whole, phase, strides)
        result = build.reshape(whole, (n, filters, *out))
        return (build.narrow(result, source),)

    def _phase(
        self,
        padded: SSAValue,
        chosen: Sequence[Sequence[int]],
        results: Sequence[int],
        starts: Sequence[int],
    ) -> SSAValue:
        """(batch, group, filter, results...) from the `chosen` elements per axis."""
        groups, acc = self.int_of("groups"), element_type(self.acc.data)
        weight, spatial = self._elements(chosen), len(chosen)
        n, channels, *extents = shape_of(padded)
        each = channels // groups
        x = build.reshape(padded, (n, groups, each, *extents))
        c, f, *window = shape_of(weight)
        w = build.reshape(weight, (groups, c // groups, f, *window))
        maps = self._loop_maps(spatial, starts)

        def multiply_add(a: SSAValue, b: SSAValue, total: SSAValue) -> SSAValue:
            return add(total, multiply(widen(a, acc), widen(b, acc)))

        kinds = ["parallel"] * (3 + spatial) + ["reduction"] * (1 + spatial)
        init = build.filled((n, groups, f, *results), acc, 0)
        return build.generic([x, w], [init], maps, kinds, multiply_add)[0]

    def _loop_maps(self, spatial: int, starts: Sequence[int]) -> list[AffineMap]:
        """Loops: batch, group, filter, result axes; channel, window axes.

        Inputs are read from `starts` on, backwards through the window.
        """
        loops = 4 + 2 * spatial
        d = [AffineExpr.dimension(i) for i in range(loops)]
        n, g, f, c = d[0], d[1], d[2], d[3 + spatial]
        out, window = d[3 : 3 + spatial], d[4 + spatial :]
        rows = zip(out, window, self.ints_of("dilation"), self.ints_of("strides"))
        reads = [
            o - t * (dilation // math.gcd(dilation, stride)) + start
            for (o, t, dilation, stride), start in zip(rows, starts, strict=True)
        ]
        return [
            AffineMap(loops, 0, (n, g, c, *reads)),
            AffineMap(loops, 0, (g, c, f, *window)),
            AffineMap(loops, 0, (n, g, f, *out)),
        ]

    def _elements(self, chosen: Sequence[Sequence[int]]) -> SSAValue:
        """The weight at every few elements of its window."""
        c, f, *_ = shape_of(self.weight)
        steps = [ks[1] - ks[0] if len(ks) > 1 else 1 for ks in chosen]
        return build.extract_slice(
            self.weight,
            (0, 0, *(ks[0] for ks in chosen)),
            (c, f, *(len(ks) for ks in chosen)),
            (1, 1, *steps),
        )


def _tap(shift: int, extent: int, stride: int) -> Tap:
    """Input i adds to result i * stride + shift."""
    first = shift % stride
    results = max(0, -(-(extent - first) // stride))
    return Tap(first, results, (first - shift) // stride)


def _zeros(
    axes: Sequence[Sequence[Tap]], extents: Sequence[int]
) -> tuple[list[int], list[int]]:
    """How many zeros before and behind the input are read, per axis."""
    low = [max([0, *(-tap.start for tap in axis if tap.results)]) for axis in axes]
    high = [
        max([0, *(t.start + t.results - extent for t in axis if t.results)])
        for axis, extent in zip(axes, extents, strict=True)
    ]
    return low, high


def _inserted(
    part: SSAValue, whole: SSAValue, phase: Sequence[int], strides: Sequence[int]
) -> SSAValue:
    """`whole` with `part` at every few of its results, from `phase` on."""
    return tensor_dialect.InsertSliceOp.from_static_parameters(
        part, whole, (0, 0, 0, *phase), shape_of(part), (1, 1, 1, *strides)
    ).result
