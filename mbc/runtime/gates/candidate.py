"""A kernel to judge: what it must compute, and the text that claims to compute it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from mbc.codegen.emitters import emit_kernel, translation_unit
from mbc.codegen.memory_plan import Lifetime, plan_memory
from mbc.codegen.own_text import own_code
from mbc.codegen.program import Buffer, KernelCode, Program
from mbc.codegen.targets import Target
from mbc.ir.kernel import KernelOp
from mbc.ir.resize import resize


@dataclass(frozen=True)
class Candidate:
    """`kernel` is the reference; its schedule and label are the candidate's.

    `source` is hand- or model-written text in the place of the emitted one, with the
    extents and launches of `mbc/codegen/own_text.py`. It holds at the kernel's own
    extents only, unless `any_extents` says that it reads them.
    """

    kernel: KernelOp
    target: Target
    source: str = ""
    any_extents: bool = False

    @property
    def label(self) -> str:
        return self.kernel.label.data

    @property
    def resizable(self) -> bool:
        """Whether the candidate claims to be right at other extents."""
        return not self.source or self.any_extents

    def at(self, extents: Mapping[str, int]) -> KernelOp:
        """The reference at other extents; `PassRefused` where it does not exist."""
        return resize(self.kernel, extents) if extents else self.kernel

    def code(self, kernel: KernelOp) -> KernelCode:
        if not self.source:
            return emit_kernel(kernel, self.target)
        return own_code(kernel, self.target, self.source, self.any_extents)

    def program(self, kernel: KernelOp) -> Program:
        """The candidate alone as a program; buffers are a0, ..., r0, ..., s0, ..."""
        code = self.code(kernel)
        arena = plan_memory([Lifetime(b.name, b.nbytes, 0, 1) for b in code.scratch])
        scratch = [replace(b, offset=arena.offsets[b.name]) for b in code.scratch]
        buffers: tuple[Buffer, ...] = (*code.operands, *code.results, *scratch)
        options = self.target.build_options()
        source = translation_unit(self.target, [code])
        return Program(
            self.target.name, source, buffers, code.launches, arena.nbytes, options
        )
