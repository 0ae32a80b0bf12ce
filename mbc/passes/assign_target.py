"""assign-target: what the module is compiled for."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from mbc.codegen.targets import TARGETS, target_named
from mbc.errors import InvalidInput
from mbc.ir.attributes import TARGET, Entry, target_of


@dataclass(frozen=True)
class AssignTargetPass(ModulePass):
    """Puts a target and its options on the module, for the passes that follow.

    Before:
    ```mlir
    builtin.module {
    }
    ```
    After `assign-target{target=rvv option="vlen=512"}`:
    ```mlir
    builtin.module attributes {mbc.target = #mbc.target<"rvv", {vlen = 512 : i64}>} {
    }
    ```
    Precondition: none; an earlier target is replaced. Refuses nothing; an unknown
    target, option or value is an error that names the known ones.
    """

    name = "assign-target"

    target: str
    option: tuple[str, ...] = ()

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        options = dict(parse_option(text) for text in self.option)
        op.attributes[TARGET] = target_named(self.target, options).attribute()

    @classmethod
    def schedule_space(
        cls, ctx: Context, module_op: ModuleOp
    ) -> tuple[AssignTargetPass, ...]:
        present = target_of(module_op)
        name = present.target.data if present is not None else ""
        return tuple(cls(target) for target in sorted(TARGETS) if target != name)


def parse_option(text: str) -> tuple[str, Entry]:
    """`vlen=256` as a name and a value; numbers are numbers."""
    name, equals, value = text.partition("=")
    if not equals or not name or not value:
        raise InvalidInput(f"target option '{text}' is not of the form name=value")
    return name, int(value) if value.lstrip("-").isdigit() else value
