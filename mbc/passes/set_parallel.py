"""set-parallel: the work-group shape of a kernel."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from mbc.passes.support.knobs import knob_choices, set_knob


@dataclass(frozen=True)
class SetParallelPass(ModulePass):
    """Sets the shape of a kernel's work groups.

    Before:
    ```mlir
    %0 = mbc.kernel "k3" (%x, %w) {...}
    ```
    After `set-parallel{kernel=k3 size=16,16}`:
    ```mlir
    %0 = mbc.kernel "k3" schedule <{parallel = array<i64: 16, 16>}> (%x, %w) {...}
    ```
    Precondition: none without a target. On one, refuses where the family has no
    such knob on the target, where the value is not in its space, and where it does
    not fit the rest of the schedule.
    """

    name = "set-parallel"

    kernel: str
    size: tuple[int, ...]

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        set_knob(op, self.name, self.kernel, "parallel", self.size)

    @classmethod
    def schedule_space(
        cls, ctx: Context, module_op: ModuleOp
    ) -> tuple[SetParallelPass, ...]:
        choices = knob_choices(module_op, "parallel")
        return tuple(cls(label, value) for label, value in choices)
