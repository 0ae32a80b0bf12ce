"""conv: convolutions without gathered columns, with a fused epilogue."""

from __future__ import annotations

from mbc.codegen.families import Cost, Match, PackChoice, Schedule, Space
from mbc.codegen.families.conv_match import ConvMatch, match_conv
from mbc.codegen.families.conv_spaces import (
    cpu_space,
    gpu_refusal,
    gpu_space,
    rvv_panels,
    rvv_refusal,
    rvv_space,
    tile_of,
)
from mbc.codegen.targets import Target
from mbc.ir.cost import fewest_bytes, flops
from mbc.ir.kernel import KernelOp


class ConvFamily:
    """Knobs: `tile` (what is summed up together), `vector` (LMUL on RVV, lanes of a
    CPU's work item), `parallel` (work-group shape of a GPU), `matrix` (products in the
    matrix unit per pair of elements, on CUDA; 0 is without it).

    A tile is filters and rows on RVV, results and vectors of filters on a CPU, filters,
    results and products on a GPU; with few filters, rows alone on SIMT targets.
    """

    def match(self, kernel: KernelOp, target: Target) -> ConvMatch | None:
        return match_conv(kernel, target)

    def space(self, match: Match, target: Target) -> Space:
        assert isinstance(match, ConvMatch)
        if not target.simt:
            return rvv_space(match, target)
        return cpu_space(match) if target.is_cpu_style else gpu_space(match, target)

    def refusal(self, match: Match, target: Target, schedule: Schedule) -> str:
        assert isinstance(match, ConvMatch)
        if not target.simt:
            return rvv_refusal(match, schedule)
        return "" if target.is_cpu_style else gpu_refusal(match, target, schedule)

    def packable(self, match: Match, target: Target) -> tuple[PackChoice, ...]:
        """The weight in panels of filters, which never span two groups."""
        assert isinstance(match, ConvMatch)
        weight = match.weight
        if weight.panel or match.is_narrow or weight.buffer[0] != "a":
            return ()
        tiles = _panels(match, target)
        if match.groups > 1:
            tiles = tuple(t for t in tiles if match.filters % t == 0)
        if not tiles:
            return ()
        return (PackChoice(int(weight.buffer[1:]), match.filter_axis, tiles),)

    def cost(self, match: Match, target: Target, schedule: Schedule) -> Cost:
        """The input is read again for every tile of filters."""
        assert isinstance(match, ConvMatch)
        filters, results = tile_of(match, target, schedule)
        tiles = -(-match.filters // filters)
        images = match.batch * match.groups
        read = 4 * images * match.channels * match.padded
        traffic = fewest_bytes(match.kernel) + read * (tiles - 1)
        blocks = images * tiles * -(-match.results // results)
        useful = images * match.filters * match.results
        use = useful / (blocks * filters * results)
        return Cost(flops(match.kernel), traffic, blocks, min(1.0, use))


def _panels(match: ConvMatch, target: Target) -> tuple[int, ...]:
    """Filters that lie together: on GPUs, as neighbouring work items load them."""
    if not target.simt:
        return rvv_panels(match)
    if target.is_cpu_style:
        return (16, 8, 32, 4)
    return tuple(t for t in (64, 32, 16) if t < 2 * match.filters)
