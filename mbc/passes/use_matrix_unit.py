"""use-matrix-unit: whether a kernel sums up in the matrix unit of a GPU."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from mbc.passes.support.knobs import knob_choices, set_knob


@dataclass(frozen=True)
class UseMatrixUnitPass(ModulePass):
    """Sets how many products the matrix unit makes for each pair of elements.

    Before:
    ```mlir
    %0 = mbc.kernel "k3" (%x, %w) { ... mbc.contract ... }
    ```
    After `use-matrix-unit{kernel=k3 products=3}`:
    ```mlir
    %0 = mbc.kernel "k3" schedule <{matrix = 3 : i64}> (%x, %w) { ... mbc.contract ... }
    ```
    The unit takes short floats. An f32 is the sum of two of them, and three products of
    halves are as accurate as one of f32; what is infinite is summed up again without
    the unit. With 0 it is not used.
    Precondition: none without a target. On one, refuses where the family has no such
    knob on the target, where results are too few, and where the tile does not divide
    into what the unit takes.
    """

    name = "use-matrix-unit"

    kernel: str
    products: int

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        set_knob(op, self.name, self.kernel, "matrix", (self.products,))

    @classmethod
    def schedule_space(
        cls, ctx: Context, module_op: ModuleOp
    ) -> tuple[UseMatrixUnitPass, ...]:
        choices = knob_choices(module_op, "matrix")
        return tuple(cls(label, value[0]) for label, value in choices)
