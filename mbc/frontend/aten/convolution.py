"""Convolutions as `mbc.conv` and `mbc.conv_transpose`; a bias is added behind."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.ir import SSAValue

from mbc.frontend.aten.call import Call, Lowering, integers
from mbc.frontend.unsupported import Unsupported
from mbc.ir import build
from mbc.ir.arithmetic import add
from mbc.ir.ops.conv import ConvOp
from mbc.ir.ops.conv_transpose import ConvTransposeOp
from mbc.ir.types import accumulator, element_of, shape_of

Extents = int | Sequence[int]
MAX_SPATIAL = 3


def convolution(
    call: Call,
    x: SSAValue,
    weight: SSAValue,
    bias: SSAValue | None = None,
    stride: Extents = 1,
    padding: Extents | str = 0,
    dilation: Extents = 1,
    groups: int = 1,
) -> SSAValue:
    spatial = _spatial(weight)
    steps = integers(dilation, spatial)
    low, high = _padding(padding, shape_of(weight)[2:], steps)
    result = ConvOp.of(
        [_batched(x, spatial), weight],
        strides=integers(stride, spatial),
        low=low,
        high=high,
        dilation=steps,
        groups=groups,
        acc=str(accumulator(element_of(x))),
    ).result
    return _finished(call, result, bias)


def transposed_convolution(
    call: Call,
    x: SSAValue,
    weight: SSAValue,
    bias: SSAValue | None = None,
    stride: Extents = 1,
    padding: Extents = 0,
    output_padding: Extents = 0,
    groups: int = 1,
    dilation: Extents = 1,
) -> SSAValue:
    spatial = _spatial(weight)
    amounts = integers(padding, spatial)
    result = ConvTransposeOp.of(
        [_batched(x, spatial), weight],
        strides=integers(stride, spatial),
        low=amounts,
        high=amounts,
        output_padding=integers(output_padding, spatial),
        dilation=integers(dilation, spatial),
        groups=groups,
        acc=str(accumulator(element_of(x))),
    ).result
    return _finished(call, result, bias)


def either_convolution(
    call: Call,
    x: SSAValue,
    weight: SSAValue,
    bias: SSAValue | None,
    stride: Extents,
    padding: Extents,
    dilation: Extents,
    transposed: bool,
    output_padding: Extents,
    groups: int,
) -> SSAValue:
    if not transposed:
        return convolution(call, x, weight, bias, stride, padding, dilation, groups)
    return transposed_convolution(
        call, x, weight, bias, stride, padding, output_padding, groups, dilation
    )


def _spatial(weight: SSAValue) -> int:
    spatial = len(shape_of(weight)) - 2
    if spatial > MAX_SPATIAL:
        raise Unsupported(f"{spatial} spatial axes")
    return spatial


def _batched(x: SSAValue, spatial: int) -> SSAValue:
    """A missing batch axis is one of extent 1."""
    batch = shape_of(x)[: -spatial - 1] or (1,)
    return build.reshape(x, (*batch, *shape_of(x)[-spatial - 1 :]))


def _finished(call: Call, result: SSAValue, bias: SSAValue | None) -> SSAValue:
    if bias is not None:
        result = add_per_channel(result, bias)
    return build.reshape(result, call.shape)


def _padding(
    padding: Extents | str, window: Sequence[int], dilation: Sequence[int]
) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Zeros before and behind each axis; "same" puts the odd one behind."""
    if not isinstance(padding, str):
        amounts = integers(padding, len(window))
        return amounts, amounts
    if padding == "valid":
        return (0,) * len(window), (0,) * len(window)
    totals = [d * (k - 1) for k, d in zip(window, dilation, strict=True)]
    low = tuple(total // 2 for total in totals)
    return low, tuple(total - a for total, a in zip(totals, low, strict=True))


def add_per_channel(value: SSAValue, bias: SSAValue) -> SSAValue:
    shape = shape_of(value)
    maps = [build.identity_map(len(shape)), build.dims_map(len(shape), [1])]
    return build.elementwise([value, bias], shape, element_of(value), add, maps)


FORWARD: dict[str, Lowering] = {
    f"conv{rank}d.{form}": convolution
    for rank in range(1, MAX_SPATIAL + 1)
    for form in ("default", "padding")
}
LOWERINGS: dict[str, Lowering] = {
    **FORWARD,
    "conv_transpose1d.default": transposed_convolution,
    "conv_transpose2d.input": transposed_convolution,
    "conv_transpose3d.input": transposed_convolution,
    "convolution.default": either_convolution,
}
