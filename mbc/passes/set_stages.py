"""set-stages: how many tiles of an operand a kernel keeps on chip."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from mbc.passes.support.knobs import knob_choices, set_knob


@dataclass(frozen=True)
class SetStagesPass(ModulePass):
    """Sets how many tiles of each operand a kernel keeps in shared memory.

    Before:
    ```mlir
    %0 = mbc.kernel "k3" (%x, %w) { ... mbc.contract ... }
    ```
    After `set-stages{kernel=k3 count=1}`:
    ```mlir
    %0 = mbc.kernel "k3" schedule <{stages = 1 : i64}> (%x, %w) { ... mbc.contract ... }
    ```
    With two, one tile is computed from while the next one is written, with one barrier
    per step; with one, there are two barriers and half as much memory, so that more
    groups may share a unit.
    Precondition: none without a target. On one, refuses where the family has no
    such knob on the target, where the value is not in its space, and where it does
    not fit the rest of the schedule.
    """

    name = "set-stages"

    kernel: str
    count: int

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        set_knob(op, self.name, self.kernel, "stages", (self.count,))

    @classmethod
    def schedule_space(
        cls, ctx: Context, module_op: ModuleOp
    ) -> tuple[SetStagesPass, ...]:
        choices = knob_choices(module_op, "stages")
        return tuple(cls(label, value[0]) for label, value in choices)
