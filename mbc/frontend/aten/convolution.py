"""Convolutions as `mbc.conv`; a bias is added behind it."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.ir import SSAValue

from mbc.frontend.aten.call import Call, Lowering, integers
from mbc.frontend.unsupported import Unsupported
from mbc.ir import build
from mbc.ir.arithmetic import add
from mbc.ir.ops.conv import ConvOp
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
    spatial = len(shape_of(weight)) - 2
    if spatial > MAX_SPATIAL:
        raise Unsupported(f"{spatial} spatial axes")
    # A missing batch axis is one of extent 1.
    batch = shape_of(x)[: -spatial - 1] or (1,)
    batched = build.reshape(x, (*batch, *shape_of(x)[-spatial - 1 :]))
    steps = integers(dilation, spatial)
    low, high = _padding(padding, shape_of(weight)[2:], steps)
    result = ConvOp.of(
        [batched, weight],
        strides=integers(stride, spatial),
        low=low,
        high=high,
        dilation=steps,
        groups=groups,
        acc=str(accumulator(element_of(x))),
    ).result
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


LOWERINGS: dict[str, Lowering] = {
    f"conv{rank}d.{form}": convolution
    for rank in range(1, MAX_SPATIAL + 1)
    for form in ("default", "padding")
}
