"""sort: rows in order, by whole numbers that say an element's rank and its place."""

from __future__ import annotations

import math
from dataclasses import dataclass

from mbc.codegen.families import Cost, Match, PackChoice, Schedule, Space
from mbc.codegen.families.body import compute_ops, yields_each_once
from mbc.codegen.program import DTYPE_BYTES
from mbc.codegen.targets import Target
from mbc.ir.cost import fewest_bytes, flops
from mbc.ir.kernel import KernelOp
from mbc.ir.ops.sort import SortOp
from mbc.ir.types import element_of, shape_of

SHORT_KEY = 4
"""Bytes of an element that fits a number of 64 bits beside a place of 32; the number
of a longer one is its place, and keys are compared."""
FEW = 64
"""As many are selected by insertion; more are sorted first."""
LOCAL_ROW = 2048
"""Elements of a row that a group sorts in local memory."""


@dataclass(frozen=True)
class SortMatch(Match):
    """`outer` x `inner` rows of `length`, whose elements are `inner` apart."""

    op: SortOp
    outer: int
    length: int
    inner: int
    count: int
    dtype: str

    @property
    def has_keys(self) -> bool:
        """Whether keys do not fit the numbers that are sorted."""
        return DTYPE_BYTES[self.dtype] > SHORT_KEY

    @property
    def rows(self) -> int:
        return self.outer * self.inner

    @property
    def selects(self) -> bool:
        """Few of many are kept in order while the row is read once."""
        return self.count <= FEW and 2 * self.count <= self.length

    @property
    def padded(self) -> int:
        """The next power of two, which a network of comparators needs."""
        return 1 << max(0, self.length - 1).bit_length()


class SortFamily:
    """Knob on GPUs: `parallel`, the work items of a group."""

    def match(self, kernel: KernelOp, target: Target) -> SortMatch | None:
        ops = compute_ops(kernel)
        op = ops[0] if len(ops) == 1 else None
        if not isinstance(op, SortOp):
            return None
        if not yields_each_once(kernel) or len(kernel.terminator.values) != 2:
            return None
        shape, axis = shape_of(op.input), op.int_of("axis")
        dtype, count = str(element_of(op.input)), op.int_of("count")
        if 0 in shape or not count:
            return None
        around = math.prod(shape[:axis]), math.prod(shape[axis + 1 :])
        return SortMatch(
            "sort", kernel, op, around[0], shape[axis], around[1], count, dtype
        )

    def space(self, match: Match, target: Target) -> Space:
        one_item = not target.simt or target.is_cpu_style
        return {} if one_item else {"parallel": (256, 128, 512)}

    def refusal(self, match: Match, target: Target, schedule: Schedule) -> str:
        return ""

    def packable(self, match: Match, target: Target) -> tuple[PackChoice, ...]:
        return ()

    def cost(self, match: Match, target: Target, schedule: Schedule) -> Cost:
        """Comparisons one at a time on hosts, a row at once on GPUs."""
        assert isinstance(match, SortMatch)
        wide = target.simt and not target.is_cpu_style
        use = 1.0 if wide else 1 / target.peaks.lanes
        parallel = match.rows * (match.length if wide else 1)
        return Cost(flops(match.kernel), fewest_bytes(match.kernel), parallel, use)
