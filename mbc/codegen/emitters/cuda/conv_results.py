"""From a finished sum of a convolution to the results of a thread."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from mbc.codegen.emitters.conv_index import ConvIndex
from mbc.codegen.emitters.cuda.lanes import Walk
from mbc.codegen.expression import ScalarPrinter
from mbc.codegen.loops import Access
from mbc.codegen.targets import target_named


def epilogue(index: ConvIndex, indices: Sequence[str], total: str) -> list[str]:
    """Loads, arithmetic and stores of the result at `indices` of a phase."""
    match, loops = index.match, index.result_loops(indices)
    walk = Walk(tuple(loop.index for loop in loops), [loop.extent for loop in loops], 1)

    def place(access: Access) -> Access:
        return replace(access, strides=tuple(loop.stride(access) for loop in loops))

    values, lines = [total], list[str]()
    if match.epilogue is not None:
        arguments = [
            total if access is None else walk.element(place(access))
            for access in match.extra
        ]
        arguments += ["uninitialized"] * len(match.out)
        printer = ScalarPrinter(target_named("cuda"))
        printed = printer.body(match.epilogue.body.block, arguments)
        lines, values = list(printed.lines), list(printed.results)
    stores = [
        walk.store(place(access), value)
        for access, value in zip(match.out, values, strict=True)
    ]
    return [*lines, *stores]
