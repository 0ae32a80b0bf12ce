"""mbc.conv: convolution of any rank with strides, padding, dilation and groups."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence

import numpy as np
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


@irdl_op_definition
class ConvOp(TensorOp):
    """Input (batch, channels, spatial...), weight (out, channels / groups, window...).

    `low` and `high` are zero padding per spatial axis. Cross-correlation, as
    PyTorch's `conv1d`, `conv2d` and `conv3d`, without bias.
    """

    name = "mbc.conv"
    input = operand_def(TensorType)
    weight = operand_def(TensorType)
    result = result_def(TensorType)
    strides = prop_def(DenseArrayBase[IntegerType])
    low = prop_def(DenseArrayBase[IntegerType])
    high = prop_def(DenseArrayBase[IntegerType])
    dilation = prop_def(DenseArrayBase[IntegerType])
    groups = prop_def(IntegerAttr)
    acc = prop_def(StringAttr)
    traits = traits_def(Pure())

    def check(self, types: Sequence[Tensor]) -> None:
        input, weight = (type.get_shape() for type in types)
        spatial, groups = len(input) - 2, self.int_of("groups")
        require(1 <= spatial <= 3, f"mbc.conv: {types[0]} has no 1 to 3 spatial axes")
        require(
            len(weight) == len(input), f"mbc.conv: weight {types[1]} has other rank"
        )
        for name in ("strides", "low", "high", "dilation"):
            require(
                len(self.ints_of(name)) == spatial,
                f"mbc.conv: {name} needs {spatial} values",
            )
        require(
            groups > 0 and input[1] == weight[1] * groups and weight[0] % groups == 0,
            f"mbc.conv: {input[1]} channels, weight {types[1]} and {groups} groups "
            "do not fit",
        )
        require(
            all(extent > 0 for extent in self.spatial(input, weight)),
            f"mbc.conv: the window is larger than the padded input {types[0]}",
        )

    def spatial(self, input: Sequence[int], weight: Sequence[int]) -> list[int]:
        """Extents of the result's spatial axes."""
        rows = zip(
            input[2:],
            weight[2:],
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
        input, weight = (type.get_shape() for type in types)
        shape = [input[0], weight[0], *self.spatial(input, weight)]
        return (tensor(shape, types[0].element_type),)

    def dims(self) -> Dims:
        spatial = len(shape_of(self.input)) - 2
        fixed = ("",) * spatial
        single = self.int_of("groups") == 1
        channel, out = ("c", "f") if single else ("", "")
        free = tuple(LETTERS[:spatial])
        return Dims(
            (("n", channel, *free), (out, channel, *fixed)), (("n", out, *fixed),)
        )

    def flops(self) -> int:
        window = math.prod(shape_of(self.weight)[1:])
        return 2 * math.prod(shape_of(self.result)) * window

    def evaluate(self, *arrays: Array) -> tuple[Array, ...]:
        x, weight = arrays
        groups = self.int_of("groups")
        pads = zip(self.ints_of("low"), self.ints_of("high"), strict=True)
        x = np.pad(x, [(0, 0), (0, 0), *pads])
        out = self.spatial(arrays[0].shape, weight.shape)
        x = x.reshape(x.shape[0], groups, x.shape[1] // groups, *x.shape[2:])
        w = weight.reshape(groups, weight.shape[0] // groups, *weight.shape[1:])
        # Wide: taps are added one by one, which no implementation need be as bad as.
        wide = np.float64 if x.dtype.kind == "f" else x.dtype
        total = np.zeros((x.shape[0], groups, w.shape[1], *out), wide)
        for tap in itertools.product(*(range(k) for k in weight.shape[2:])):
            window = x[(slice(None),) * 3 + self._window(tap, out)]
            total += np.einsum(
                "ngc...,gfc->ngf...", window, w[(..., *tap)], optimize=True
            )
        return (total.reshape(total.shape[0], weight.shape[0], *out).astype(x.dtype),)

    def _window(self, tap: Sequence[int], out: Sequence[int]) -> tuple[slice, ...]:
        """Where in the padded input the results see window element `tap`."""
        rows = zip(
            tap, out, self.ints_of("strides"), self.ints_of("dilation"), strict=True
        )
        return tuple(
            slice(t * d, t * d + (n - 1) * s + 1, s) if n else slice(0, 0)
            for t, n, s, d in rows
        )

    def decompose(self) -> Sequence[SSAValue]:
        spatial, groups = len(shape_of(self.input)) - 2, self.int_of("groups")
        source, acc = element_of(self.input), element_type(self.acc.data)
        zeros = (0, 0)
        padded = PadOp.with_value(
            self.input,
            (*zeros, *self.ints_of("low")),
            (*zeros, *self.ints_of("high")),
            0.0,
        )
        n, channels, *extents = shape_of(padded)
        x = build.reshape(padded, (n, groups, channels // groups, *extents))
        f, c, *window = shape_of(self.weight)
        w = build.reshape(self.weight, (groups, f // groups, c, *window))
        out = shape_of(self.result)[2:]
        init = build.filled((n, groups, f // groups, *out), acc, 0)

        def multiply_add(a: SSAValue, b: SSAValue, total: SSAValue) -> SSAValue:
            return add(total, multiply(widen(a, acc), widen(b, acc)))

        kinds = ["parallel"] * (3 + spatial) + ["reduction"] * (1 + spatial)
        maps = self._loop_maps(spatial)
        total = build.generic([x, w], [init], maps, kinds, multiply_add)[0]
        return (build.narrow(build.reshape(total, (n, f, *out)), source),)

    def _loop_maps(self, spatial: int) -> list[AffineMap]:
        """Loops: batch, group, filter, result axes; channel, window axes."""
        loops = 4 + 2 * spatial
        d = [AffineExpr.dimension(i) for i in range(loops)]
        n, g, f, c = d[0], d[1], d[2], d[3 + spatial]
        out, window = d[3 : 3 + spatial], d[4 + spatial :]
        rows = zip(
            out, window, self.ints_of("strides"), self.ints_of("dilation"), strict=True
        )
        reads = [o * s + k * t for o, k, s, t in rows]
        return [
            AffineMap(loops, 0, (n, g, c, *reads)),
            AffineMap(loops, 0, (g, f, c, *window)),
            AffineMap(loops, 0, (n, g, f, *out)),
        ]
