"""mbc.group_norm: normalization over groups of channels and all spatial axes."""

from __future__ import annotations

import math
from collections.abc import Sequence

from xdsl.dialects.builtin import FloatAttr, IntegerAttr, TensorType
from xdsl.ir import SSAValue
from xdsl.irdl import (
    irdl_op_definition,
    operand_def,
    prop_def,
    result_def,
    traits_def,
    var_operand_def,
)
from xdsl.traits import Pure

from mbc.ir import build
from mbc.ir.arithmetic import add, multiply
from mbc.ir.ops.layer_norm import normalize, scale_and_shift
from mbc.ir.tensor_op import Dims, TensorOp, require
from mbc.ir.types import Array, Tensor, element_of, is_float, shape_of


@irdl_op_definition
class GroupNormOp(TensorOp):
    """Input (batch, channels, ...): each group of channels is normalized as one.

    `affine` holds nothing, a scale, or a scale and a shift, one per channel. With
    one group per channel this is instance norm.
    """

    name = "mbc.group_norm"
    input = operand_def(TensorType)
    affine = var_operand_def(TensorType)
    result = result_def(TensorType)
    groups = prop_def(IntegerAttr)
    eps = prop_def(FloatAttr)
    traits = traits_def(Pure())

    def check(self, types: Sequence[Tensor]) -> None:
        shape, groups = types[0].get_shape(), self.int_of("groups")
        require(len(shape) >= 2, f"mbc.group_norm: {types[0]} has no channel axis")
        require(
            groups > 0 and shape[1] % groups == 0,
            f"mbc.group_norm: {shape[1]} channels do not divide into {groups} groups",
        )
        require(is_float(types[0].element_type), "mbc.group_norm needs floats")
        require(len(types) <= 3, "mbc.group_norm takes at most a scale and a shift")
        for type in types[1:]:
            require(
                type.get_shape() == (shape[1],),
                f"mbc.group_norm: {type} is not one value per channel",
            )

    def infer(self, types: Sequence[Tensor]) -> tuple[Tensor, ...]:
        return (types[0],)

    def dims(self) -> Dims:
        rank = len(shape_of(self.input))
        names = ("d0", "", *(f"d{i}" for i in range(2, rank)))
        return Dims((names, *(("",) for _ in self.affine)), (names,))

    def flops(self) -> int:
        return (5 + len(self.affine)) * math.prod(shape_of(self.input))

    def evaluate(self, *arrays: Array) -> tuple[Array, ...]:
        x, groups = arrays[0], self.int_of("groups")
        rows = x.reshape(x.shape[0], groups, x.shape[1] // groups, *x.shape[2:])
        axes = tuple(range(2, rows.ndim))
        centred = rows - rows.mean(axis=axes, keepdims=True)
        variance = (centred * centred).mean(axis=axes, keepdims=True)
        eps = x.dtype.type(self.float_of("eps"))
        result = (centred / (variance + eps) ** 0.5).reshape(x.shape).astype(x.dtype)
        per_channel = (-1,) + (1,) * (x.ndim - 2)
        affine = [value.reshape(per_channel) for value in arrays[1:]]
        return (scale_and_shift(result, affine),)

    def decompose(self) -> Sequence[SSAValue]:
        """In f32 where the input is narrower, as eps may not be a number there."""
        x, *affine = (build.widened(value) for value in self.operands)
        shape, element = shape_of(x), element_of(x)
        groups = self.int_of("groups")
        split = (groups, shape[1] // groups)
        grouped = (shape[0], *split, *shape[2:])
        axes = tuple(range(2, len(grouped)))
        rows = build.reshape(x, grouped)
        result = normalize(rows, axes, self.float_of("eps"))
        maps = [
            build.identity_map(len(grouped)),
            build.dims_map(len(grouped), [1, 2]),
        ]
        for value, combine in zip(affine, (multiply, add), strict=False):
            channels = build.reshape(value, split)
            result = build.elementwise(
                [result, channels], grouped, element, combine, maps
            )
        result = build.reshape(result, shape)
        return (build.narrowed(result, element_of(self.input)),)
