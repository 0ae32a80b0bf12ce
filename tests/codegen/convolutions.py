"""Convolutions that every target's templates are checked with."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from xdsl.dialects.builtin import f32
from xdsl.ir import SSAValue

from mbc.ir import build
from mbc.ir.arithmetic import add, constant, maximum
from mbc.ir.ops.conv import ConvOp
from mbc.ir.ops.conv_transpose import ConvTransposeOp
from mbc.ir.ops.unpack import UnpackOp
from mbc.ir.types import shape_of

Body = Callable[..., SSAValue]
Shape = tuple[int, ...]


@dataclass(frozen=True)
class Convolution:
    """`swept` ones are tried with every value of every knob."""

    name: str
    shapes: tuple[Shape, ...]
    body: Body
    swept: bool = False


def conv(
    strides: Sequence[int] = (1, 1),
    low: Sequence[int] = (1, 1),
    high: Sequence[int] | None = None,
    dilation: Sequence[int] | None = None,
    groups: int = 1,
) -> Body:
    def body(x: SSAValue, w: SSAValue) -> SSAValue:
        return ConvOp.of(
            [x, w],
            strides=strides,
            low=low,
            high=low if high is None else high,
            dilation=dilation or (1,) * len(strides),
            groups=groups,
            acc="f32",
        ).result

    return body


def transposed(
    strides: Sequence[int],
    low: Sequence[int],
    added: Sequence[int] | None = None,
    dilation: Sequence[int] | None = None,
    groups: int = 1,
) -> Body:
    def body(x: SSAValue, w: SSAValue) -> SSAValue:
        return ConvTransposeOp.of(
            [x, w],
            strides=strides,
            low=low,
            high=low,
            output_padding=added or (0,) * len(strides),
            dilation=dilation or (1,) * len(strides),
            groups=groups,
            acc="f32",
        ).result

    return body


def residual(body: Body) -> Body:
    """relu(conv + bias + base)."""

    def made(x: SSAValue, w: SSAValue, bias: SSAValue, base: SSAValue) -> SSAValue:
        value = body(x, w)
        shape = shape_of(value)
        identity = build.identity_map(len(shape))

        def end(p: SSAValue, b: SSAValue, q: SSAValue) -> SSAValue:
            return maximum(add(add(p, b), q), constant(0.0, f32))

        maps = [identity, build.dims_map(len(shape), [1]), identity]
        return build.elementwise([value, bias, base], shape, f32, end, maps)

    return made


def packed(body: Body, filters: int, axis: int = 0) -> Body:
    """With the weight in panels."""

    def made(x: SSAValue, w: SSAValue) -> SSAValue:
        return body(x, UnpackOp.of([w], axis=axis, size=filters).result)

    return made


CONVOLUTIONS = [
    Convolution("plain", ((1, 3, 7, 9), (13, 3, 3, 3)), conv(), swept=True),
    Convolution("depthwise", ((2, 6, 9, 11), (6, 1, 3, 3)), conv(groups=6), swept=True),
    Convolution(
        "strided depthwise", ((2, 6, 9, 17), (12, 1, 3, 3)), conv((2, 2), groups=6)
    ),
    Convolution("valid", ((1, 4, 6, 37), (5, 4, 3, 2)), conv(low=(0, 0))),
    Convolution("wide", ((1, 2, 3, 131), (4, 2, 3, 3)), conv()),
    Convolution(
        "strides 2 and 3",
        ((2, 4, 19, 23), (6, 4, 3, 3)),
        conv((2, 3), (2, 1), (0, 3), (2, 3)),
    ),
    Convolution(
        "one of two columns", ((1, 6, 7, 9), (5, 6, 1, 1)), conv((2, 2), (0, 0))
    ),
    Convolution(
        "beyond the window", ((1, 2, 8, 8), (4, 2, 2, 2)), conv((3, 3), (0, 0))
    ),
    Convolution("line", ((2, 4, 50), (7, 4, 5)), conv((1,), (2,))),
    Convolution("valid line", ((2, 4, 50), (7, 4, 5)), conv((1,), (0,))),
    Convolution("strided line", ((1, 1, 200), (4, 1, 10)), conv((5,), (3,))),
    Convolution(
        "volume", ((1, 2, 5, 6, 11), (7, 2, 2, 3, 2)), conv((1, 2, 1), (1, 0, 1))
    ),
    Convolution(
        "narrow volume", ((1, 3, 5, 6, 11), (2, 3, 2, 3, 2)), conv((1, 2, 1), (1, 0, 1))
    ),
    Convolution("groups", ((1, 6, 5, 11), (8, 3, 3, 3)), conv(groups=2)),
    Convolution("groups of 3", ((1, 6, 5, 11), (9, 2, 3, 3)), conv(groups=3)),
    Convolution("tall window", ((1, 2, 40, 5), (2, 2, 31, 1)), conv(low=(15, 0))),
    Convolution("ones", ((1, 1, 1, 1), (1, 1, 1, 1)), conv(low=(0, 0))),
    Convolution("mostly zeros", ((1, 6, 1, 1), (8, 6, 3, 3)), conv()),
    Convolution(
        "residual", ((1, 6, 5, 11), (8, 6, 3, 3), (8,), (1, 8, 5, 11)), residual(conv())
    ),
    Convolution(
        "narrow residual",
        ((1, 6, 5, 11), (6, 1, 3, 3), (6,), (1, 6, 5, 11)),
        residual(conv(groups=6)),
    ),
    Convolution(
        "grouped residual",
        ((2, 4, 5, 11), (10, 2, 3, 3), (10,), (2, 10, 5, 11)),
        residual(conv(groups=2)),
    ),
]
"""Tails, primes, ones, strides, dilation, uneven zeros, groups, one to three axes."""

PACKED = [
    Convolution(
        "panels of 8", ((1, 3, 7, 9), (2, 3, 3, 3, 8)), packed(conv(), 13), swept=True
    ),
    Convolution("panels of 32", ((1, 3, 7, 9), (2, 3, 3, 3, 32)), packed(conv(), 40)),
    Convolution(
        "panels of groups", ((1, 6, 7, 9), (2, 3, 3, 3, 4)), packed(conv(groups=2), 8)
    ),
]

TRANSPOSED = [
    Convolution(
        "doubled",
        ((1, 3, 5, 7), (3, 6, 4, 4)),
        transposed((2, 2), (1, 1)),
        swept=True,
    ),
    Convolution(
        "narrow",
        ((1, 6, 5, 7), (6, 1, 3, 3)),
        transposed((2, 2), (1, 1), groups=6),
        True,
    ),
    Convolution(
        "narrow and wide",
        ((1, 4, 3, 150), (4, 1, 3, 4)),
        transposed((2, 2), (1, 1), groups=4),
    ),
    Convolution(
        "narrow, odd and wide",
        ((1, 4, 3, 150), (4, 1, 3, 3)),
        transposed((2, 2), (1, 1), groups=4),
    ),
    Convolution(
        "narrow thirds",
        ((1, 3, 4, 70), (3, 1, 2, 5)),
        transposed((1, 3), (0, 1), groups=3),
    ),
    Convolution(
        "narrow residual",
        ((1, 4, 5, 40), (4, 1, 4, 4), (4,), (1, 4, 10, 80)),
        residual(transposed((2, 2), (1, 1), groups=4)),
        swept=True,
    ),
    Convolution("stride 1", ((2, 3, 5, 7), (3, 5, 3, 3)), transposed((1, 1), (1, 0))),
    Convolution(
        "narrow of stride 1",
        ((1, 4, 6, 17), (4, 1, 3, 2)),
        transposed((1, 1), (1, 0), groups=4),
    ),
    Convolution(
        "dilated",
        ((1, 2, 4, 5), (2, 7, 3, 3)),
        transposed((3, 2), (2, 0), (1, 1), (2, 3)),
    ),
    Convolution("holes", ((1, 2, 4, 5), (2, 4, 2, 1)), transposed((3, 4), (0, 0))),
    Convolution("cut off", ((1, 2, 2, 2), (2, 4, 3, 3)), transposed((3, 3), (2, 2))),
    Convolution("line", ((2, 4, 9), (4, 5, 5)), transposed((3,), (2,), (1,))),
    Convolution(
        "volume", ((1, 2, 3, 4, 5), (2, 4, 2, 3, 2)), transposed((2, 1, 2), (0, 1, 0))
    ),
    Convolution(
        "narrow volume",
        ((1, 2, 3, 4, 5), (2, 1, 2, 3, 2)),
        transposed((2, 1, 3), (0, 1, 0), groups=2),
    ),
    Convolution(
        "groups", ((2, 4, 4, 5), (4, 5, 3, 3)), transposed((2, 2), (1, 1), groups=2)
    ),
    Convolution(
        "residual",
        ((1, 3, 4, 5), (3, 6, 2, 2), (6,), (1, 6, 8, 10)),
        residual(transposed((2, 2), (0, 0))),
    ),
    Convolution("ones", ((1, 1, 1, 1), (1, 1, 1, 1)), transposed((1, 1), (0, 0))),
]
"""Every residue of the stride, some without taps or results."""

PACKED_TRANSPOSED = [
    Convolution(
        "panels of 8",
        ((1, 3, 5, 7), (2, 3, 3, 3, 8)),
        packed(transposed((2, 2), (1, 1)), 13, axis=1),
    ),
    Convolution(
        "panels of groups",
        ((1, 4, 5, 7), (2, 4, 3, 3, 4)),
        packed(transposed((2, 1), (1, 1), groups=2), 8, axis=1),
    ),
]
