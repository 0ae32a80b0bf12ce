"""nest: the plain loop nest, the last resort that recognizes everything.

Named ops are decomposed; each remaining op becomes one stage, a loop nest of scalar
code of its own, with intermediates in scratch. A report says when it was used.
"""

from __future__ import annotations

from dataclasses import dataclass

from mbc.codegen.families import Cost, Match, PackChoice, Schedule, Space
from mbc.codegen.targets import Target
from mbc.ir.cost import fewest_bytes, flops
from mbc.ir.decompose import decompose_ops
from mbc.ir.kernel import KernelOp


@dataclass(frozen=True)
class NestMatch(Match):
    body: KernelOp
    """A copy of the kernel with named ops decomposed where upstream can say them."""


class NestFamily:
    """Knob on SIMT targets: `parallel`, the work-group size."""

    def match(self, kernel: KernelOp, target: Target) -> NestMatch | None:
        clone = kernel.copy()
        decompose_ops(clone.block)
        return NestMatch("nest", kernel, clone)

    def space(self, match: Match, target: Target) -> Space:
        return {"parallel": (64, 128, 256)} if target.simt else {}

    def refusal(self, match: Match, target: Target, schedule: Schedule) -> str:
        return ""

    def packable(self, match: Match, target: Target) -> tuple[PackChoice, ...]:
        return ()

    def cost(self, match: Match, target: Target, schedule: Schedule) -> Cost:
        work, bytes = flops(match.kernel), fewest_bytes(match.kernel)
        results = sum(t.element_count() for t in match.kernel.result_tensors())
        return Cost(work, bytes, results, 1.0 / target.peaks.lanes)
