"""specialize: the extent that calls decide becomes a number."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from mbc.errors import PassRefused
from mbc.ir.specialize import (
    RANGE,
    check_range,
    dynamic_function,
    specialize_function,
)


@dataclass(frozen=True)
class SpecializePass(ModulePass):
    """Gives the open extent of arguments a value, and so everything that follows.

    Before:
    ```mlir
    func.func @forward(%x: tensor<?x4xf32>) -> tensor<?xf32> {
      %0 = mbc.reduce %x {axes = [1], ...} : (tensor<?x4xf32>) -> tensor<?xf32>
    ```
    After `specialize{extent=7}`:
    ```mlir
    func.func @forward(%x: tensor<7x4xf32>) -> tensor<7xf32> {
      %0 = mbc.reduce %x {axes = [1], ...} : (tensor<7x4xf32>) -> tensor<7xf32>
    ```
    Precondition: an argument has an open extent. Refuses where none has; an extent for
    which the model was not exported is an error.
    """

    name = "specialize"

    extent: int

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        function = dynamic_function(op)
        if function is None:
            raise PassRefused("specialize", "no argument has an open extent")
        check_range(op, self.extent)
        specialize_function(function, self.extent)
        op.attributes.pop(RANGE, None)

    @classmethod
    def schedule_space(
        cls, ctx: Context, module_op: ModuleOp
    ) -> tuple[SpecializePass, ...]:
        """None: calls decide, not a search."""
        return ()
