"""pack-operand: an operand in panels that a kernel reads without strides."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block, Region, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import Rewriter

from mbc.codegen.families import PackChoice, family_named, match_kernel
from mbc.codegen.targets import Target, module_target
from mbc.errors import PassRefused
from mbc.ir.attributes import target_of
from mbc.ir.kernel import KernelOp, YieldOp, kernel_by_label, kernels
from mbc.ir.ops.pack import PackOp
from mbc.ir.ops.unpack import UnpackOp
from mbc.ir.types import shape_of
from mbc.passes.support.functions import forward_of, parameter_values
from mbc.passes.support.kernels import next_number


@dataclass(frozen=True)
class PackOperandPass(ModulePass):
    """Packs an operand of a kernel into panels, in a kernel of its own before it.

    Before:
    ```mlir
    %0 = mbc.kernel "k0" (%x, %w) { ^bb0(%a, %b): ... mbc.contract %a, %b ... }
    ```
    After `pack-operand{kernel=k0 operand=1 tile=32}`:
    ```mlir
    %p = mbc.kernel "k1" (%w) { ... mbc.pack {axis = 0 : i64, tile = 32 : i64} ... }
    %0 = mbc.kernel "k0" (%x, %p) { ^bb0(%a, %b):
      %u = mbc.unpack %b {axis = 0 : i64, size = 64 : i64}
      ... mbc.contract %a, %u ...
    }
    ```
    Precondition: the module has a target, and the kernel's family reads this operand
    in panels of this tile. Refuses everything else. Without a kernel it packs every
    such operand that parameters alone determine, with the family's first tile; the
    packing is hoisted by hoist-parameters.
    """

    name = "pack-operand"

    kernel: str | None = None
    operand: int | None = None
    tile: int | None = None

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        target = module_target(op)
        if self.kernel is not None:
            kernel = kernel_by_label(op, self.kernel)
            choice = self._choice(kernel, target)
            pack(op, kernel, choice, self.tile or choice.tiles[0])
            return
        constant = parameter_values(forward_of(op))
        for kernel in list(kernels(op)):
            for choice in packable(kernel, target):
                if kernel.ins[choice.operand] in constant and self._names(choice):
                    pack(op, kernel, choice, self.tile or choice.tiles[0])

    def _names(self, choice: PackChoice) -> bool:
        """Whether the choice has the operand and the tile that are asked for."""
        if self.operand is not None and self.operand != choice.operand:
            return False
        return self.tile is None or self.tile in choice.tiles

    def _choice(self, kernel: KernelOp, target: Target) -> PackChoice:
        choices = packable(kernel, target)
        if not choices:
            raise PassRefused(self.name, "the kernel reads no operand in panels")
        for choice in choices:
            if self._names(choice):
                return choice
        known = "; ".join(
            f"operand {c.operand} in tiles of {', '.join(map(str, c.tiles))}"
            for c in choices
        )
        raise PassRefused(self.name, f"the kernel reads in panels only {known}")

    @classmethod
    def schedule_space(
        cls, ctx: Context, module_op: ModuleOp
    ) -> tuple[PackOperandPass, ...]:
        return tuple(_space(module_op))


def _space(module: ModuleOp) -> Iterator[PackOperandPass]:
    if target_of(module) is None:
        return
    target = module_target(module)
    for kernel in kernels(module):
        for choice in packable(kernel, target):
            for tile in choice.tiles:
                yield PackOperandPass(kernel.label.data, choice.operand, tile)


def packable(kernel: KernelOp, target: Target) -> tuple[PackChoice, ...]:
    match = match_kernel(kernel, target)
    return family_named(match.family).packable(match, target)


def pack(module: ModuleOp, kernel: KernelOp, choice: PackChoice, tile: int) -> None:
    """Insert the packing kernel, and the unpack that keeps the body's meaning."""
    source = kernel.ins[choice.operand]
    packing = _packing_kernel(f"k{next_number(module)}", source, choice.axis, tile)
    assert kernel.parent is not None
    kernel.parent.insert_op_before(packing, kernel)
    kernel.operands[choice.operand] = packing.outs[0]
    block = kernel.block
    size = shape_of(source)[choice.axis]
    argument = Rewriter.replace_value_with_new_type(
        block.args[choice.operand], packing.outs[0].type
    )
    unpack = UnpackOp.of([argument], axis=choice.axis, size=size)
    argument.replace_uses_with_if(
        unpack.result, lambda use: use.operation is not unpack
    )
    assert block.first_op is not None
    block.insert_op_before(unpack, block.first_op)


def _packing_kernel(label: str, source: SSAValue, axis: int, tile: int) -> KernelOp:
    block = Block(arg_types=[source.type])
    packed = PackOp.of([block.args[0]], axis=axis, tile=tile)
    block.add_ops([packed, YieldOp(packed.result)])
    return KernelOp(label, [source], [packed.result.type], Region(block))
