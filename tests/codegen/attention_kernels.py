"""Attention kernels that every target is checked with, and their arguments."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from xdsl.builder import ImplicitBuilder
from xdsl.dialects.builtin import f32, i1
from xdsl.ir import Block, Region

from mbc.codegen.families import Space
from mbc.ir.attributes import Entry
from mbc.ir.kernel import KernelOp, YieldOp
from mbc.ir.ops.attention import AttentionOp
from mbc.ir.types import Array, tensor

OUTER_BLOCKS: list[Block] = []
"""Keeps the owners of operands alive for as long as their kernels."""


@dataclass(frozen=True)
class Case:
    """(batch, heads, groups, queries, keys, depth, width) and what masks a score."""

    extents: tuple[int, int, int, int, int, int, int]
    causal: bool = False
    mask: tuple[int, int, int, int] | None = None
    boolean: bool = False
    schedule: dict[str, Entry] = field(default_factory=dict[str, Entry])

    def kernel(self, label: str) -> KernelOp:
        b, h, g, q, k, d, v = self.extents
        types = [tensor(s, f32) for s in ((b, h, q, d), (b, g, k, d), (b, g, k, v))]
        if self.mask:
            types.append(tensor(self.mask, i1 if self.boolean else f32))
        body, outer = Block(arg_types=types), Block(arg_types=types)
        with ImplicitBuilder(body):
            op = AttentionOp.of(body.args, scale=0.3, causal=self.causal)
            YieldOp(op.result)
        kernel = KernelOp(label, outer.args, [op.result.type], Region(body))
        OUTER_BLOCKS.append(outer)
        kernel.verify()
        return kernel

    def arguments(self, seed: int) -> list[Array]:
        """The first queries are masked out entirely where a mask has rows."""
        rng = np.random.default_rng(seed)
        b, h, g, q, k, d, v = self.extents
        shapes = ((b, h, q, d), (b, g, k, d), (b, g, k, v))
        arrays: list[Array] = [
            rng.normal(size=shape).astype(np.float32) * 2 for shape in shapes
        ]
        if self.mask is None:
            return arrays
        keep = rng.random(self.mask) < 0.6
        keep[:, :, 0] &= self.mask[2] == 1
        added = np.where(keep, rng.normal(size=self.mask), -np.inf)
        arrays.append(keep if self.boolean else added.astype(np.float32))
        return arrays


ODD: list[Case] = [
    Case((1, 1, 1, 1, 1, 1, 1)),
    Case((1, 1, 1, 1, 37, 5, 3)),
    Case((2, 4, 2, 1, 41, 8, 16)),
    Case((1, 2, 2, 7, 1, 4, 4), causal=True),
    Case((2, 3, 3, 13, 17, 7, 11)),
    Case((1, 6, 2, 9, 19, 16, 33), causal=True),
    Case((1, 1, 1, 23, 11, 3, 70), causal=True),
    Case((2, 2, 1, 5, 67, 8, 8), mask=(2, 2, 5, 67)),
    Case((2, 2, 1, 5, 67, 8, 8), mask=(1, 1, 5, 67), boolean=True),
    Case((2, 2, 2, 5, 29, 8, 8), mask=(2, 1, 1, 29), boolean=True, causal=True),
    Case((2, 2, 2, 5, 29, 8, 8), mask=(1, 2, 5, 1)),
    Case((2, 2, 2, 5, 29, 8, 8), mask=(2, 1, 5, 1), boolean=True),
    Case((1, 2, 2, 31, 300, 8, 20)),
    Case((1, 2, 2, 31, 300, 8, 20), causal=True),
]
SWEPT = Case((1, 2, 1, 15, 137, 9, 21), causal=True, mask=(1, 1, 15, 137))
"""For every value of every knob: more than one tile of each loop, none of them full."""


def knob_cases(space: Space) -> list[Case]:
    """SWEPT under each legal value, the other knobs by default."""
    e = SWEPT
    return [
        Case(e.extents, e.causal, e.mask, e.boolean, {knob: value})
        for knob, values in space.items()
        for value in values
    ]


def special(case: Case, seed: int) -> list[Array]:
    """NaN in a query, infinities in keys and in values that causality masks."""
    arrays = case.arguments(seed)
    arrays[0][0, 0, 1, 0] = np.nan
    arrays[1][0, 0, -1, 0] = np.inf
    arrays[2][0, -1, -1, 0] = -np.inf
    return arrays
