"""set-vector: the vector width of a kernel."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from mbc.passes.support.knobs import knob_choices, set_knob


@dataclass(frozen=True)
class SetVectorPass(ModulePass):
    """Sets the vector width of a kernel: LMUL on RVV, lanes per access on SIMT targets.

    Before:
    ```mlir
    %0 = mbc.kernel "k3" (%x, %w) { ... mbc.softmax ... }
    ```
    After `set-vector{kernel=k3 width=8}`:
    ```mlir
    %0 = mbc.kernel "k3" schedule <{vector = 8 : i64}> (%x, %w) { ... mbc.softmax ... }
    ```
    Precondition: none without a target. On one, refuses where the family has no
    such knob on the target, where the value is not in its space, and where it does
    not fit the rest of the schedule.
    """

    name = "set-vector"

    kernel: str
    width: int

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        set_knob(op, self.name, self.kernel, "vector", (self.width,))

    @classmethod
    def schedule_space(
        cls, ctx: Context, module_op: ModuleOp
    ) -> tuple[SetVectorPass, ...]:
        choices = knob_choices(module_op, "vector")
        return tuple(cls(label, value[0]) for label, value in choices)
