"""choose-layout: an operand of a contraction with its axes in another order."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from xdsl.builder import ImplicitBuilder
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block, BlockArgument, Region, SSAValue
from xdsl.ir.affine import AffineMap
from xdsl.passes import ModulePass
from xdsl.rewriter import Rewriter

from mbc.codegen.families import match_kernel
from mbc.codegen.targets import module_target
from mbc.errors import PassRefused
from mbc.ir import build
from mbc.ir.attributes import target_of
from mbc.ir.kernel import (
    KernelOp,
    YieldOp,
    kernel_by_label,
    kernels,
    single_kernel_module,
)
from mbc.ir.ops.contract import ContractOp
from mbc.ir.types import shape_of
from mbc.passes.support.inline import replace
from mbc.passes.support.kernels import next_number


@dataclass(frozen=True)
class ChooseLayoutPass(ModulePass):
    """Lays an operand of a contraction out in another order of its axes.

    Before:
    ```mlir
    %0 = mbc.kernel "k0" (%x, %w) { ^bb0(%a, %b):
      ... mbc.contract %a, %b {indexing_maps = [..., (m, n, k) -> (n, k), ...]} ...
    }
    ```
    After `choose-layout{kernel=k0 operand=1 order=1,0}`:
    ```mlir
    %t = mbc.kernel "k1" (%w) { ... transposed ... }
    %0 = mbc.kernel "k0" (%x, %t) { ^bb0(%a, %b):
      ... mbc.contract %a, %b {indexing_maps = [..., (m, n, k) -> (k, n), ...]} ...
    }
    ```
    Axis i of the new operand is axis `order[i]` of the old one. Of a parameter, the
    transposition is hoisted by hoist-parameters and happens once.
    Precondition: only contractions of the kernel read the operand. Refuses an order
    that is none or changes nothing, a kernel with a source of its own, and what would
    lose its templates on the module's target.
    """

    name = "choose-layout"

    kernel: str
    operand: int
    order: tuple[int, ...]

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        kernel = kernel_by_label(op, self.kernel)
        reason = self._objection(kernel) or self.misfit(op, kernel)
        if reason:
            raise PassRefused(self.name, reason)
        self._lay_out(op, kernel)

    def _objection(self, kernel: KernelOp) -> str:
        if kernel.source is not None:
            return "a kernel with a source of its own keeps its operands"
        if self.operand not in _contracted(kernel):
            return (
                "the kernel has no operand of this number that contractions alone read"
            )
        rank = len(shape_of(kernel.ins[self.operand]))
        if sorted(self.order) != list(range(rank)):
            return f"the order is none of the axes 0 to {rank - 1}"
        return "" if self.order != tuple(range(rank)) else "the order changes nothing"

    def misfit(self, module: ModuleOp, kernel: KernelOp) -> str:
        """Why the kernel would lose its templates, or the empty string."""
        if target_of(module) is None:
            return ""
        target = module_target(module)
        before = match_kernel(kernel, target).family
        trial = single_kernel_module(kernel)
        (alone,) = kernels(trial)
        self._lay_out(trial, alone)
        after = match_kernel(alone, target).family
        if before == after or after != "nest":
            return ""
        return f"the kernel would leave the {before} family for a plain loop nest"

    def _lay_out(self, module: ModuleOp, kernel: KernelOp) -> None:
        label = f"k{next_number(module)}"
        moving = _moving_kernel(label, kernel.ins[self.operand], self.order)
        assert kernel.parent is not None
        kernel.parent.insert_op_before(moving, kernel)
        kernel.operands[self.operand] = moving.outs[0]
        argument = Rewriter.replace_value_with_new_type(
            kernel.block.args[self.operand], moving.outs[0].type
        )
        for op in kernel.ops():
            if isinstance(op, ContractOp) and argument in op.operands:
                replace(op, self._rewritten(op, argument))

    def _rewritten(self, op: ContractOp, argument: SSAValue) -> ContractOp:
        maps = [attribute.data for attribute in op.indexing_maps]
        for position, value in enumerate(op.operands):
            if value is argument:
                moved = tuple(maps[position].results[axis] for axis in self.order)
                maps[position] = AffineMap(maps[position].num_dims, 0, moved)
        return ContractOp.from_maps(op.lhs, op.rhs, maps, op.acc.data)

    @classmethod
    def schedule_space(
        cls, ctx: Context, module_op: ModuleOp
    ) -> tuple[ChooseLayoutPass, ...]:
        return tuple(_space(module_op))


def _space(module: ModuleOp) -> Iterator[ChooseLayoutPass]:
    """Every other axis as the innermost one."""
    for kernel in kernels(module):
        if kernel.source is not None:
            continue
        for operand in _contracted(kernel):
            rank = len(shape_of(kernel.ins[operand]))
            for last in range(rank - 1):
                order = (*(axis for axis in range(rank) if axis != last), last)
                instance = ChooseLayoutPass(kernel.label.data, operand, order)
                if not instance.misfit(module, kernel):
                    yield instance


def _contracted(kernel: KernelOp) -> list[int]:
    """The operands that contractions alone read."""
    return [
        argument.index
        for argument in kernel.block.args
        if list(argument.uses) and all(_is_contraction(argument))
    ]


def _is_contraction(argument: BlockArgument) -> list[bool]:
    return [isinstance(use.operation, ContractOp) for use in argument.uses]


def _moving_kernel(label: str, source: SSAValue, order: tuple[int, ...]) -> KernelOp:
    block = Block(arg_types=[source.type])
    with ImplicitBuilder(block):
        moved = build.transpose(block.args[0], order)
        YieldOp(moved)
    return KernelOp(label, [source], [moved.type], Region(block))
