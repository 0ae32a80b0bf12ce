"""set-unroll: how often the inner loop of a kernel is unrolled."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from mbc.passes.support.knobs import knob_choices, set_knob


@dataclass(frozen=True)
class SetUnrollPass(ModulePass):
    """Sets how many steps of its inner loop a kernel takes at once.

    Before:
    ```mlir
    %0 = mbc.kernel "k3" (%x, %w) { ... mbc.softmax ... }
    ```
    After `set-unroll{kernel=k3 factor=2}`:
    ```mlir
    %0 = mbc.kernel "k3" schedule <{unroll = 2 : i64}> (%x, %w) { ... mbc.softmax ... }
    ```
    Precondition: none without a target. On one, refuses where the family has no
    such knob on the target, where the value is not in its space, and where it does
    not fit the rest of the schedule.
    """

    name = "set-unroll"

    kernel: str
    factor: int

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        set_knob(op, self.name, self.kernel, "unroll", (self.factor,))

    @classmethod
    def schedule_space(
        cls, ctx: Context, module_op: ModuleOp
    ) -> tuple[SetUnrollPass, ...]:
        choices = knob_choices(module_op, "unroll")
        return tuple(cls(label, value[0]) for label, value in choices)
