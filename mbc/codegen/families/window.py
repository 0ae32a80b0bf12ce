"""window: maximum or average over windows of the spatial axes, epilogue behind it.

An element of the input is read by several windows, so elementwise work on it belongs
to the kernel that made it: there is no prologue.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from xdsl.dialects.linalg import ops as linalg

from mbc.codegen.families import Cost, Match, PackChoice, Schedule, Space
from mbc.codegen.families.body import Anchored, anchored, buffer_names
from mbc.codegen.families.vectors import body_vectorizes, lane_use
from mbc.codegen.loops import Access, access, row_major
from mbc.codegen.targets import Target
from mbc.ir.cost import fewest_bytes, flops
from mbc.ir.kernel import KernelOp
from mbc.ir.ops.pool import PoolOp
from mbc.ir.structured import maps_of
from mbc.ir.types import element_of, shape_of


@dataclass(frozen=True)
class WindowAxis:
    """Window o takes elements `o * stride + t * dilation - low` for every tap t."""

    extent: int
    out: int
    taps: int
    stride: int
    low: int
    dilation: int

    @property
    def span(self) -> int:
        """Elements from the first tap of a window to its last."""
        return (self.taps - 1) * self.dilation + 1

    def every_window_reads(self) -> bool:
        """Whether no window lies in padding alone."""
        places = np.arange(self.out)[:, None] * self.stride - self.low
        places = places + np.arange(self.taps) * self.dilation
        inside = (places >= 0) & (places < self.extent)
        return bool(inside.any(axis=1).all())


@dataclass(frozen=True)
class WindowMatch(Match):
    """result[p, o] = epilogue(fold over taps t of input[p, o * stride + t - low]).

    Accesses of `extra` (epilogue inputs; None is the fold itself) and `out` have
    strides over the loops (planes..., results...). `planes` is one extent where batch
    and channels are one loop to all of them, else two.
    """

    op: PoolOp
    source: str
    """The buffer of the input."""
    planes: tuple[int, ...]
    axes: tuple[WindowAxis, ...]
    epilogue: linalg.GenericOp | None
    extra: tuple[Access | None, ...]
    out: tuple[Access, ...]

    @property
    def kind(self) -> str:
        """The fold: max or sum."""
        return "max" if self.op.str_of("kind") == "max" else "sum"

    @property
    def rows(self) -> tuple[WindowAxis, ...]:
        return self.axes[:-1]

    @property
    def columns(self) -> WindowAxis:
        """Along the innermost axis."""
        return self.axes[-1]

    @property
    def row_taps(self) -> int:
        """Rows of the input under one window."""
        return math.prod(axis.taps for axis in self.rows)

    def divisor(self) -> int:
        """The one count that every sum is divided by; 0 where they differ."""
        if self.kind == "max":
            return 1
        counts = np.unique(self.op.counts(shape_of(self.op.input)))
        return int(counts[0]) if counts.size == 1 else 0

    @property
    def margins(self) -> tuple[int, ...]:
        """How much padding counts towards a divisor, per axis."""
        counts = self.op.bool_of("count_padding")
        return tuple(axis.low if counts else 0 for axis in self.axes)


class WindowFamily:
    """Knobs: `vector` (LMUL on RVV, lanes on CPUs) along the innermost axis, and
    `parallel` (vectors of a row per work item on CPUs, group size on GPUs)."""

    def match(self, kernel: KernelOp, target: Target) -> WindowMatch | None:
        found = anchored(kernel, PoolOp)
        if found is None or found.packed or found.prologues:
            return None
        op, epilogue = found.anchor, found.epilogue
        assert isinstance(op, PoolOp)
        if epilogue is not None and not body_vectorizes(epilogue, target):
            return None
        if op.with_indices or str(element_of(op.input)) != "f32":
            return None
        if 0 in shape_of(op.result):
            return None
        axes = window_axes(op)
        if not all(axis.every_window_reads() for axis in axes[:-1]):
            return None
        return _normal_form(kernel, found, op, axes)

    def space(self, match: Match, target: Target) -> Space:
        if not target.simt:
            return {"vector": (8, 4, 2, 1)}
        if target.is_cpu_style:
            return {"vector": (16, 8, 4), "parallel": (8, 2, 32)}
        return {"parallel": (256, 128, 64, 512)}

    def refusal(self, match: Match, target: Target, schedule: Schedule) -> str:
        return ""

    def packable(self, match: Match, target: Target) -> tuple[PackChoice, ...]:
        return ()

    def cost(self, match: Match, target: Target, schedule: Schedule) -> Cost:
        """Arithmetic as written: folding rows first only makes it less."""
        assert isinstance(match, WindowMatch)
        width, row = lane_use(target, schedule), match.columns
        vectors = -(-row.out // width)
        return Cost(
            flops(match.kernel),
            fewest_bytes(match.kernel),
            max(1.0, math.prod(shape_of(match.op.result)) / width),
            row.out / (vectors * width),
        )


def window_axes(op: PoolOp) -> tuple[WindowAxis, ...]:
    names = ("window", "strides", "low", "dilation")
    rows = zip(
        shape_of(op.input)[2:],
        shape_of(op.result)[2:],
        *(op.ints_of(name) for name in names),
        strict=True,
    )
    return tuple(WindowAxis(*row) for row in rows)


def _normal_form(
    kernel: KernelOp, found: Anchored, op: PoolOp, axes: tuple[WindowAxis, ...]
) -> WindowMatch:
    names = buffer_names(kernel)
    extra: list[Access | None] = []
    if found.epilogue is not None:
        for value, map in zip(found.epilogue.inputs, maps_of(found.epilogue)):
            own = value is op.result
            read = None if own else access(map, shape_of(value), names[value], "f32")
            extra.append(read)
    last = found.epilogue or op
    out = [Access(names[r], "f32", 0, row_major(shape_of(r))) for r in last.results]
    present = [a for a in (*extra, *out) if a is not None]
    batch, channels = shape_of(op.result)[:2]
    planes: tuple[int, ...] = (batch, channels)
    if batch == 1 or _one_loop(present, channels):
        planes = (batch * channels,)
        extra = [None if a is None else _inner(a) for a in extra]
        out = [_inner(a) for a in out]
    return WindowMatch(
        "window",
        kernel,
        op,
        names[op.input],
        planes,
        axes,
        found.epilogue,
        tuple(extra),
        tuple(out),
    )


def _inner(access: Access) -> Access:
    """Without its first loop."""
    return replace(access, strides=access.strides[1:])


def _one_loop(accesses: Sequence[Access], inner: int) -> bool:
    """The first two loops, the second of extent `inner`, can be one."""
    return all(a.strides[0] == a.strides[1] * inner for a in accesses)
