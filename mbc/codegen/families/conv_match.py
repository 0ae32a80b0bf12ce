"""A kernel seen as a convolution: groups, filters, channels, axes, an epilogue."""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass, replace

from xdsl.dialects.linalg import ops as linalg
from xdsl.ir import SSAValue

from mbc.codegen.families import Match
from mbc.codegen.families.body import Anchored, anchored, buffer_names
from mbc.codegen.families.conv_axes import (
    Axis,
    forward_axis,
    padded_to_three,
    transposed_axis,
)
from mbc.codegen.families.vectors import body_vectorizes
from mbc.codegen.loops import Access, access, row_major
from mbc.codegen.targets import Target
from mbc.ir.kernel import KernelOp
from mbc.ir.ops.conv import ConvOp
from mbc.ir.ops.conv_transpose import ConvTransposeOp
from mbc.ir.structured import maps_of
from mbc.ir.types import element_of, shape_of

FEW_FILTERS = 4
"""Fewer filters of a group than this are not worth a tile of filters."""

MOST_PRODUCTS = 64
"""In one block of straight-line text."""


@dataclass(frozen=True)
class Weight:
    """Where the weight of filter f, channel c and window element k of a group is.

    At `group` g + `filter` f + `channel` c + `tap` k; with `panel` > 0 filters lie
    together in panels, `filter` apart, and f % panel is the position in one.
    """

    buffer: str
    panel: int
    group: int
    filter: int
    channel: int
    tap: int


@dataclass(frozen=True)
class ConvMatch(Match):
    """out[n, g, f, o] = epilogue(sum over c, k of x[n, g, c, o and k] * w[g, f, c, k]).

    Axes are always three: z, y, x; those that the operands lack have extent 1.
    Results and epilogue inputs have strides over (n, g * f, z, y, x).
    """

    batch: int
    groups: int
    filters: int
    """Of a group, as `channels`."""
    channels: int
    filter_axis: int
    """Of the weight."""
    axes: tuple[Axis, Axis, Axis]
    input: str
    weight: Weight
    out: tuple[Access, ...]
    """One per result of the kernel."""
    epilogue: linalg.GenericOp | None
    extra: tuple[Access | None, ...]
    """Per input of the epilogue; None stands for the convolution's own value."""

    @property
    def is_narrow(self) -> bool:
        """Depthwise, for one: results share input along rows, not among filters."""
        return self.filters < FEW_FILTERS

    def shares_rows(self, rows: int) -> bool:
        """Whether a tile of rows is written out: of one phase, and not too many."""
        y = self.axes[1]
        short = rows * y.window <= MOST_PRODUCTS
        return self.is_narrow and len(y.phases) == 1 and short

    @property
    def runs_on(self) -> bool:
        """Neighbouring results of several rows read neighbours, but for row ends."""
        single = all(a.stride == len(a.phases) == 1 for a in self.axes[1:])
        return single and self.axes[1].out > 1

    @property
    def window(self) -> int:
        return math.prod(axis.window for axis in self.axes)

    @property
    def results(self) -> int:
        """Per image and filter."""
        return math.prod(axis.out for axis in self.axes)

    def phase_results(self) -> list[int]:
        """Of every combination of phases."""
        combinations = itertools.product(*(axis.phases for axis in self.axes))
        return [math.prod(p.results for p in phases) for phases in combinations]

    @property
    def longest(self) -> int:
        return max(self.phase_results())

    @property
    def padded(self) -> int:
        """Elements of a channel between its zeros."""
        return math.prod(axis.padded for axis in self.axes)

    @property
    def is_plain(self) -> bool:
        """Nothing is read outside the input."""
        return all(axis.is_plain for axis in self.axes)


def match_conv(kernel: KernelOp, target: Target) -> ConvMatch | None:
    found = anchored(kernel, ConvOp) or anchored(kernel, ConvTransposeOp)
    if found is None or found.prologues or 0 in found.packed:
        return None
    values = [*found.anchor.operands, *found.anchor.results]
    if any(str(element_of(v)) != "f32" or 0 in shape_of(v) for v in values):
        return None
    if found.epilogue and not body_vectorizes(found.epilogue, target):
        return None
    op = found.anchor
    assert isinstance(op, ConvOp | ConvTransposeOp)
    return _seen(kernel, op, found)


def _seen(
    kernel: KernelOp, op: ConvOp | ConvTransposeOp, found: Anchored
) -> ConvMatch | None:
    names, groups = buffer_names(kernel), op.int_of("groups")
    filter_axis = 0 if isinstance(op, ConvOp) else 1
    packed = found.packed.get(1)
    if packed is not None and packed.int_of("axis") != filter_axis:
        return None
    source = op.weight if packed is None else packed.input
    panel = 0 if packed is None else shape_of(source)[-1]
    batch, filters = shape_of(op.result)[0], shape_of(op.result)[1] // groups
    channels = shape_of(op.input)[1] // groups
    if panel and groups > 1 and filters % panel:
        return None
    strides = _weight_strides(op, panel, groups, filters, channels)
    last = found.epilogue or op
    plain = row_major(shape_of(op.result))
    out = tuple(_five(Access(names[r], "f32", 0, plain)) for r in last.results)
    return ConvMatch(
        "conv",
        kernel,
        batch,
        groups,
        filters,
        channels,
        filter_axis,
        padded_to_three(_axes(op)),
        names[op.input],
        Weight(names[source], panel, *strides),
        out,
        found.epilogue,
        _extra(found.epilogue, op.result, names),
    )


def _axes(op: ConvOp | ConvTransposeOp) -> list[Axis]:
    rows = zip(
        shape_of(op.input)[2:],
        shape_of(op.weight)[2:],
        shape_of(op.result)[2:],
        op.ints_of("strides"),
        op.ints_of("low"),
        op.ints_of("dilation"),
        strict=True,
    )
    form = forward_axis if isinstance(op, ConvOp) else transposed_axis
    return [form(*row) for row in rows]


def _weight_strides(
    op: ConvOp | ConvTransposeOp, panel: int, groups: int, filters: int, channels: int
) -> tuple[int, int, int, int]:
    """Of group, filter or panel of filters, channel and window element.

    (groups * filters, channels, window) or, transposed, (groups * channels, filters,
    window); packed, (panels, channels, window, panel) with the channels of all groups
    where it is transposed.
    """
    window, together = math.prod(shape_of(op.weight)[2:]), panel or 1
    whole = channels * window
    if isinstance(op, ConvOp):
        return filters * whole, whole * together, window * together, together
    if panel:
        return whole * panel, groups * whole * panel, window * panel, panel
    return filters * whole, window, filters * window, 1


def _five(access: Access) -> Access:
    """Strides over (n, f, z, y, x) from those over the axes that are there."""
    n, f, *spatial = access.strides
    missing = (0,) * (3 - len(spatial))
    return replace(access, strides=(n, f, *missing, *spatial))


def _extra(
    epilogue: linalg.GenericOp | None, result: SSAValue, names: dict[SSAValue, str]
) -> tuple[Access | None, ...]:
    if epilogue is None:
        return ()
    return tuple(
        None
        if value is result
        else _five(access(map, shape_of(value), names[value], "f32"))
        for value, map in zip(epilogue.inputs, maps_of(epilogue))
    )
