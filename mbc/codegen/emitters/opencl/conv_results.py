"""From finished sums of a convolution to stores, in vectors of filters or results."""

from __future__ import annotations

from dataclasses import dataclass, replace

from mbc.codegen.emitters.conv_index import ConvIndex
from mbc.codegen.emitters.opencl.elements import Lanes, Loader
from mbc.codegen.emitters.opencl.vector_body import Value
from mbc.codegen.loops import Access

FILTERS, COLUMNS = 1, 4
"""Loops of a result that vectors run along."""


@dataclass(frozen=True)
class Place:
    """A result: image n, filter f of group g, and `indices` of a phase by axis."""

    index: ConvIndex
    indices: tuple[str, str, str]

    def lanes(self, width: int, along: int, count: str = "", skip: str = "") -> Lanes:
        """`width` neighbours along loop number `along` of n, f, z, y, x."""
        loops = self.index.result_loops(self.indices)
        (axis,) = (
            position
            for position, loop in enumerate(loops)
            if loop.loop == along and loop.index != self.index.axes[2].phase
        )
        indices = tuple(loop.index for loop in loops)
        extents = tuple(loop.extent for loop in loops)
        return Lanes(width, indices, extents, axis, count, skip)

    def access(self, access: Access) -> Access:
        """With strides over the loops of `lanes`."""
        loops = self.index.result_loops(self.indices)
        return replace(access, strides=tuple(loop.stride(access) for loop in loops))


def epilogue(lanes: Lanes, total: str, place: Place) -> list[str]:
    """From the finished sums `total` to the stores of every result."""
    match = place.index.match
    results: tuple[Value, ...] = (Value(total),)
    lines: list[str] = []
    if match.epilogue is not None:
        loader = Loader(lanes)
        inputs = [
            Value("total") if access is None else loader.read(place.access(access))
            for access in match.extra
        ]
        printed = lanes.printer.body(match.epilogue.body.block, inputs, "t")
        declared = f"const {lanes.printer.type('float')} total = {total};"
        lines = [declared, *loader.uniform, *loader.lines, *printed.lines]
        results = printed.results
    stores = [
        lanes.store(place.access(access), value)
        for access, value in zip(match.out, results, strict=True)
    ]
    return [*lines, *stores]
