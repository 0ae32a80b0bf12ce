"""map: elementwise work, one generic with parallel loops."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.dialects.linalg import ops as linalg

from mbc.codegen.families import Cost, Match, PackChoice, Schedule, Space
from mbc.codegen.families.body import buffer_names, compute_ops, yields_each_once
from mbc.codegen.families.vectors import lane_use, map_space, map_vectorizes
from mbc.codegen.loops import Nest, collapse, nest_of
from mbc.codegen.targets import Target
from mbc.ir.cost import fewest_bytes, flops
from mbc.ir.kernel import KernelOp
from mbc.ir.structured import is_elementwise


@dataclass(frozen=True)
class MapMatch(Match):
    """`nest` is collapsed; its last loop is the one that vectors run along.

    In the last loop every input is contiguous (stride 1), invariant (0) or strided,
    and every output contiguous.
    """

    op: linalg.GenericOp
    nest: Nest

    @property
    def inner(self) -> int:
        return self.nest.extents[-1] if self.nest.extents else 1


class MapFamily:
    """Knobs: `vector` (LMUL on RVV, lanes per access on SIMT), `unroll`, `parallel`
    (work-group size on SIMT)."""

    def match(self, kernel: KernelOp, target: Target) -> MapMatch | None:
        ops = compute_ops(kernel)
        if len(ops) != 1 or not is_elementwise(ops[0]) or not yields_each_once(kernel):
            return None
        (op,) = ops
        assert isinstance(op, linalg.GenericOp)
        if not map_vectorizes(op, target) or set(op.results) != set(
            kernel.terminator.values
        ):
            return None
        nest = collapse(nest_of(op, buffer_names(kernel)))
        if nest.points() == 0:
            return None
        return MapMatch("map", kernel, op, nest)

    def space(self, match: Match, target: Target) -> Space:
        return map_space(target)

    def refusal(self, match: Match, target: Target, schedule: Schedule) -> str:
        return ""

    def packable(self, match: Match, target: Target) -> tuple[PackChoice, ...]:
        return ()

    def cost(self, match: Match, target: Target, schedule: Schedule) -> Cost:
        assert isinstance(match, MapMatch)
        width = lane_use(target, schedule)
        vectors = -(-match.inner // width)
        return Cost(
            flops(match.kernel),
            fewest_bytes(match.kernel),
            match.nest.points() / width,
            match.inner / (vectors * width),
        )
