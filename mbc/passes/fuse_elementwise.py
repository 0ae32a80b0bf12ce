"""fuse-elementwise: chains of elementwise kernels as one loop."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.dialects.builtin import ModuleOp

from mbc.codegen.targets import Target, module_target
from mbc.ir.attributes import target_of
from mbc.ir.kernel import KernelOp
from mbc.ir.structured import maps_of
from mbc.passes.support.fusion import FusionPass, only_consumer
from mbc.passes.support.inline import always, indices_known, is_move, points
from mbc.passes.support.kernels import map_of


@dataclass(frozen=True)
class FuseElementwisePass(FusionPass):
    """Computes an elementwise kernel inside the elementwise kernel that reads it.

    Before:
    ```mlir
    %0 = mbc.kernel "k0" (%x) { ... linalg.generic { math.exp } ... }
    %1 = mbc.kernel "k1" (%0, %y) { ... linalg.generic { arith.addf } ... }
    ```
    After `fuse-elementwise{kernel=k1}`:
    ```mlir
    %1 = mbc.kernel "k1" from ["k0"] (%x, %y) {
      ... linalg.generic { math.exp, arith.addf } ...
    }
    ```
    Precondition: both kernels are one elementwise generic, and nobody else reads the
    producer. Refuses where the consumer's accesses cannot be composed with the
    producer's, or where the result would lose its templates on the module's target.
    Without a kernel it takes every pair, but no costly producer that the consumer
    broadcasts and no work on parameters only.
    """

    name = "fuse-elementwise"

    rule = staticmethod(always)

    def target(self, module: ModuleOp) -> Target | None:
        return None if target_of(module) is None else module_target(module)

    def objection(self, producer: KernelOp, consumer: KernelOp) -> str:
        first, second = map_of(producer), map_of(consumer)
        if first is None or second is None:
            return "both kernels must be one elementwise operation"
        if not only_consumer(producer, consumer):
            return "the producer's result has other users"
        pairs = zip(consumer.block.args, consumer.ins)
        inner = {arg for arg, value in pairs if value is producer.outs[0]}
        if inner & set(second.outputs) or len(producer.outs) != 1:
            return "the consumer overwrites the producer's result"
        reads = [m for v, m in zip(second.inputs, maps_of(second)) if v in inner]
        if not all(indices_known(first, read) for read in reads):
            return "the producer computes with indices that the consumer changes"
        return ""

    def pays(self, producer: KernelOp, consumer: KernelOp) -> bool:
        first, second = map_of(producer), map_of(consumer)
        if first is None or second is None:
            return False
        return is_move(first) or points(first) >= points(second)
