"""set-tile: the block of results that is computed together."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from mbc.passes.support.knobs import knob_choices, set_knob


@dataclass(frozen=True)
class SetTilePass(ModulePass):
    """Sets the block of results that a kernel computes together.

    Before:
    ```mlir
    %0 = mbc.kernel "k3" (%x, %w) {...}
    ```
    After `set-tile{kernel=k3 sizes=7}`:
    ```mlir
    %0 = mbc.kernel "k3" schedule <{tile = array<i64: 7>}> (%x, %w) {...}
    ```
    Precondition: none without a target. On one, refuses where the family has no
    such knob on the target, where the value is not in its space, and where it does
    not fit the rest of the schedule.
    """

    name = "set-tile"

    kernel: str
    sizes: tuple[int, ...]

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        set_knob(op, self.name, self.kernel, "tile", self.sizes)

    @classmethod
    def schedule_space(
        cls, ctx: Context, module_op: ModuleOp
    ) -> tuple[SetTilePass, ...]:
        choices = knob_choices(module_op, "tile")
        return tuple(cls(label, value) for label, value in choices)
