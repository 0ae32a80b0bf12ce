"""decompose-ops: named ops as the upstream ops and smaller named ops they stand for."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation
from xdsl.passes import ModulePass

from mbc.errors import PassRefused
from mbc.ir.decompose import decompose_ops
from mbc.ir.ops import OPS
from mbc.ir.types import NUMPY_DTYPES, element_of
from mbc.passes.support.functions import forward_of


@dataclass(frozen=True)
class DecomposeOpsPass(ModulePass):
    """Replaces the named ops called `ops` by what they stand for, one level deep.

    Ops with a result of an element type in `keep` stay: a family takes them whole.

    Before:
    ```mlir
    %0 = mbc.attention %q, %k, %v {scale = 0.5 : f64, causal = false}
    ```
    After `decompose-ops{ops=attention}`:
    ```mlir
    %1 = mbc.contract %q, %k {...}
    %2 = linalg.generic ins(%1) { arith.mulf }
    %3 = mbc.softmax %2 {axis = 3 : i64, log = false}
    %0 = mbc.contract %3, %v {...}
    ```
    Precondition: kernels are not formed yet. An op that upstream cannot say (a scan,
    a recurrence) stays. Refuses a name that is no op of the dialect
    or no element type.
    """

    name = "decompose-ops"

    ops: tuple[str, ...]
    keep: tuple[str, ...] = ()

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        wanted = {f"mbc.{name}" for name in self.ops}
        for name in sorted(wanted - set(OPS)):
            raise PassRefused(self.name, f"'{name}' is no op of the dialect")
        for name in sorted(set(self.keep) - set(NUMPY_DTYPES)):
            raise PassRefused(self.name, f"'{name}' is no element type")

        def is_wanted(inner: Operation) -> bool:
            return inner.name in wanted and not is_kept(inner)

        def is_kept(inner: Operation) -> bool:
            return any(str(element_of(r)) in self.keep for r in inner.results)

        decompose_ops(forward_of(op).body.block, is_wanted)
