"""Static slices of row-major tensors: which box they take, and whether it is a run."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.dialects import tensor
from xdsl.ir import Operation

from mbc.ir.tensor_op import int_values
from mbc.ir.types import nbytes, shape_of


@dataclass(frozen=True)
class Box:
    """Per axis: where it starts, how many elements, how far apart."""

    offsets: tuple[int, ...]
    sizes: tuple[int, ...]
    strides: tuple[int, ...]

    def is_run(self, shape: Sequence[int]) -> bool:
        """Whether the box of a tensor of `shape` is one run of memory: full axes
        behind the first one longer than 1."""
        partial = False
        for extent, size, stride in zip(shape, self.sizes, self.strides, strict=True):
            if partial and size != extent:
                return False
            if size == 1:
                continue
            if stride != 1:
                return False
            partial = True
        return True

    def start(self, shape: Sequence[int]) -> int:
        """Elements before the first one of the box."""
        return sum(
            offset * math.prod(shape[axis + 1 :])
            for axis, offset in enumerate(self.offsets)
        )


def static_box(op: Operation) -> Box:
    """The box of a slice op whose offsets, sizes and strides are all static."""
    names = ("static_offsets", "static_sizes", "static_strides")
    offsets, sizes, strides = (tuple(int_values(op.properties[n])) for n in names)
    return Box(offsets, sizes, strides)


def is_aligned_run(op: tensor.ExtractSliceOp, alignment: int) -> bool:
    """Whether a slice is a run that starts at a multiple of `alignment` bytes."""
    if op.offsets or op.sizes or op.strides:
        return False
    box, shape = static_box(op), shape_of(op.source)
    width = nbytes(op.source.type) // max(1, math.prod(shape))
    return box.is_run(shape) and box.start(shape) * width % alignment == 0
