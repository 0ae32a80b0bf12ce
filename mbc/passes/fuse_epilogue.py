"""fuse-epilogue: elementwise work on a result, before it is written."""

from __future__ import annotations

from dataclasses import dataclass

from mbc.ir.kernel import KernelOp
from mbc.passes.support.fusion import FusionPass, only_consumer
from mbc.passes.support.kernels import map_of


@dataclass(frozen=True)
class FuseEpiloguePass(FusionPass):
    """Applies an elementwise kernel to the result of the kernel that it reads.

    Before:
    ```mlir
    %0 = mbc.kernel "k0" (%x, %w) { ... mbc.contract ... }
    %1 = mbc.kernel "k1" (%0, %bias) { ... linalg.generic { arith.addf } ... }
    ```
    After `fuse-epilogue{kernel=k1}`:
    ```mlir
    %1 = mbc.kernel "k1" from ["k0"] (%x, %w, %bias) {
      ... mbc.contract ... linalg.generic { arith.addf } ...
    }
    ```
    Precondition: the kernel is one elementwise generic and the only reader of a
    kernel that is not. Refuses where the fused kernel would lose its templates on the
    module's target.
    """

    name = "fuse-epilogue"

    def objection(self, producer: KernelOp, consumer: KernelOp) -> str:
        if map_of(consumer) is None:
            return "the kernel is not one elementwise operation"
        if map_of(producer) is not None:
            return "no operand comes from a kernel with more than elementwise work"
        if not only_consumer(producer, consumer):
            return "the producer's result has other users"
        return ""
