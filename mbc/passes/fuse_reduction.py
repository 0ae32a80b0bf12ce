"""fuse-reduction: several kernels over the same rows as one."""

from __future__ import annotations

from dataclasses import dataclass

from mbc.codegen.targets import Target
from mbc.ir.kernel import KernelOp
from mbc.passes.support.fusion import FusionPass, family
from mbc.passes.support.kernels import map_of


@dataclass(frozen=True)
class FuseReductionPass(FusionPass):
    """Joins kernels over the same rows, so that a row is reduced and used on chip.

    Before:
    ```mlir
    %0 = mbc.kernel "k0" (%x) { ... mbc.reduce {kind = "max", axes = [1]} ... }
    %1 = mbc.kernel "k1" (%x, %0) { ... linalg.generic { arith.subf, math.exp } ... }
    ```
    After `fuse-reduction{kernel=k1}`:
    ```mlir
    %1 = mbc.kernel "k1" from ["k0"] (%x) {
      ... mbc.reduce ... linalg.generic { arith.subf, math.exp } ...
    }
    ```
    Precondition: one of the kernels reduces rows, and the joined kernel belongs to
    the rowwise family on the module's target. A result that others read too is
    written as well. Refuses everything else, and a producer whose result is needed
    before the consumer runs.
    """

    name = "fuse-reduction"

    def objection(self, producer: KernelOp, consumer: KernelOp) -> str:
        if map_of(producer) is not None and map_of(consumer) is not None:
            return "neither kernel reduces rows"
        return ""

    def misfit(
        self, producer: KernelOp, consumer: KernelOp, joined: KernelOp, target: Target
    ) -> str:
        if family(joined, target) != "rowwise":
            return "the kernels do not walk the same rows"
        return ""
