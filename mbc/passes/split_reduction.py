"""split-reduction: a sum in parts that run side by side."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from mbc.passes.support.knobs import knob_choices, set_knob


@dataclass(frozen=True)
class SplitReductionPass(ModulePass):
    """Sets how many parts of its reduced loop a kernel folds side by side.

    Before:
    ```mlir
    %0 = mbc.kernel "k3" (%x, %w) { ... mbc.contract ... }
    ```
    After `split-reduction{kernel=k3 parts=8}`:
    ```mlir
    %0 = mbc.kernel "k3" schedule <{split = 8 : i64}> (%x, %w) { ... mbc.contract ... }
    ```
    It is emitted as two launches: one writes the parts to scratch, one folds them and
    applies what stands behind the reduction. Few results of long sums keep a whole
    device busy that way; the sums are added in another order.
    Precondition: none without a target. On one, refuses where the family has no such
    knob on the target, where the parts would be too short, and where the value does
    not fit the rest of the schedule.
    """

    name = "split-reduction"

    kernel: str
    parts: int

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        set_knob(op, self.name, self.kernel, "split", (self.parts,))

    @classmethod
    def schedule_space(
        cls, ctx: Context, module_op: ModuleOp
    ) -> tuple[SplitReductionPass, ...]:
        choices = knob_choices(module_op, "split")
        return tuple(cls(label, value[0]) for label, value in choices)
