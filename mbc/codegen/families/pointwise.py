"""pointwise: elementwise work that no vector templates say; a statement per element.

Integers, truth values, float64, mixed types, indices and elements picked by them: the
loops are such that the compilers of all targets put them in vectors themselves.
"""

from __future__ import annotations

from xdsl.dialects.linalg import ops as linalg

from mbc.codegen.families import Cost, Match, PackChoice, Schedule, Space
from mbc.codegen.families.body import buffer_names, compute_ops, yields_each_once
from mbc.codegen.families.map import MapMatch
from mbc.codegen.loops import collapse, nest_of
from mbc.codegen.targets import Target
from mbc.ir.cost import fewest_bytes, flops
from mbc.ir.kernel import KernelOp
from mbc.ir.structured import is_elementwise, is_projection, maps_of


class PointwiseFamily:
    """Knobs on SIMT targets: `parallel` is elements of a work item (cpu) or work items
    of a group (gpu), `unroll` elements of a work item, a whole grid apart."""

    def match(self, kernel: KernelOp, target: Target) -> MapMatch | None:
        ops = compute_ops(kernel)
        if len(ops) != 1 or not is_elementwise(ops[0]) or not yields_each_once(kernel):
            return None
        (op,) = ops
        assert isinstance(op, linalg.GenericOp)
        if set(op.results) != set(kernel.terminator.values) or not _is_linear(op):
            return None
        nest = nest_of(op, buffer_names(kernel))
        if nest.points() == 0:
            return None
        # Collapsed loops would have other indices.
        indexed = any(isinstance(o, linalg.IndexOp) for o in op.body.block.ops)
        return MapMatch("pointwise", kernel, op, nest if indexed else collapse(nest))

    def space(self, match: Match, target: Target) -> Space:
        if not target.simt:
            return {}
        if target.is_cpu_style:
            return {"parallel": (1024, 256, 4096)}
        return {"unroll": (4, 1, 2), "parallel": (256, 128, 512)}

    def refusal(self, match: Match, target: Target, schedule: Schedule) -> str:
        return ""

    def packable(self, match: Match, target: Target) -> tuple[PackChoice, ...]:
        return ()

    def cost(self, match: Match, target: Target, schedule: Schedule) -> Cost:
        assert isinstance(match, MapMatch)
        work, bytes = flops(match.kernel), fewest_bytes(match.kernel)
        return Cost(work, bytes, match.nest.points(), 1.0)


def _is_linear(op: linalg.GenericOp) -> bool:
    """Every access is, and the body reads nothing from where it writes."""
    inits = op.body.block.args[len(op.inputs) :]
    return all(map(is_projection, maps_of(op))) and not any(i.uses for i in inits)
