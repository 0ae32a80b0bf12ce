"""fuse-prologue: elementwise work on an operand, while it is read."""

from __future__ import annotations

from dataclasses import dataclass

from mbc.ir.kernel import KernelOp
from mbc.passes.support.fusion import FusionPass, only_consumer
from mbc.passes.support.kernels import map_of


@dataclass(frozen=True)
class FuseProloguePass(FusionPass):
    """Computes an elementwise kernel inside the reducing kernel that reads it.

    Before:
    ```mlir
    %0 = mbc.kernel "k0" (%x) { ... linalg.generic { arith.mulf } ... }
    %1 = mbc.kernel "k1" (%0) { ... mbc.softmax ... }
    ```
    After `fuse-prologue{kernel=k1}`:
    ```mlir
    %1 = mbc.kernel "k1" from ["k0"] (%x) {
      ... linalg.generic { arith.mulf } ... mbc.softmax ...
    }
    ```
    Precondition: the kernel does more than elementwise work and is the only reader of
    an elementwise kernel. Refuses where the fused kernel would lose its templates on
    the module's target. Without a kernel it leaves out work on parameters only.
    """

    name = "fuse-prologue"

    def objection(self, producer: KernelOp, consumer: KernelOp) -> str:
        if map_of(consumer) is not None:
            return "the kernel has elementwise work only"
        if map_of(producer) is None:
            return "no operand comes from an elementwise kernel"
        if not only_consumer(producer, consumer):
            return "the producer's result has other users"
        return ""
