"""random: draws of a counter-based generator, each element by itself."""

from __future__ import annotations

import math
from dataclasses import dataclass

from mbc.codegen.families import Cost, Match, PackChoice, Schedule, Space
from mbc.codegen.families.body import compute_ops, yields_each_once
from mbc.codegen.families.vectors import lane_use
from mbc.codegen.targets import Target
from mbc.ir.cost import fewest_bytes, flops
from mbc.ir.kernel import KernelOp
from mbc.ir.ops.random import RandomOp


@dataclass(frozen=True)
class RandomMatch(Match):
    op: RandomOp
    elements: int

    @property
    def kind(self) -> str:
        """uniform, normal or bits."""
        return self.op.str_of("kind")

    @property
    def dtype(self) -> str:
        return self.op.str_of("dtype")


class RandomFamily:
    """Knobs: `vector`, the LMUL of a word (RVV); `parallel`, elements of a work item
    (cpu style) or items of a group, which draw `unroll` elements each (GPUs)."""

    def match(self, kernel: KernelOp, target: Target) -> RandomMatch | None:
        ops = compute_ops(kernel)
        op = ops[0] if len(ops) == 1 else None
        if not isinstance(op, RandomOp) or not yields_each_once(kernel):
            return None
        elements = math.prod(op.ints_of("shape"))
        in_doubles = op.str_of("kind") == "normal" and op.str_of("dtype") == "f64"
        if not elements or (in_doubles and not target.simt):
            return None
        return RandomMatch("random", kernel, op, elements)

    def space(self, match: Match, target: Target) -> Space:
        if not target.simt:
            return {"vector": (4, 2, 1)}
        if target.is_cpu_style:
            return {"parallel": (1024, 256, 4096)}
        return {"parallel": (256, 128, 512), "unroll": (4, 1, 2)}

    def refusal(self, match: Match, target: Target, schedule: Schedule) -> str:
        return ""

    def packable(self, match: Match, target: Target) -> tuple[PackChoice, ...]:
        return ()

    def cost(self, match: Match, target: Target, schedule: Schedule) -> Cost:
        assert isinstance(match, RandomMatch)
        width = lane_use(target, schedule)
        vectors = -(-match.elements // width)
        work, bytes = flops(match.kernel), fewest_bytes(match.kernel)
        return Cost(work, bytes, vectors, match.elements / (vectors * width))
