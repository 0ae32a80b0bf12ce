"""use-source: hand- or model-written text in place of the emitted one."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, SymbolRefAttr
from xdsl.passes import ModulePass

from mbc.errors import PassRefused
from mbc.ir.kernel import SourceOp, kernel_by_label


@dataclass(frozen=True)
class UseSourcePass(ModulePass):
    """Gives a kernel a source of its own; its body stays what it means.

    Before:
    ```mlir
    %0 = mbc.kernel "k0" (%x) {...}
    ```
    After `use-source{kernel=k0 file="fast.c"}`:
    ```mlir
    mbc.source @s_1f2e3d4c "..."
    %0 = mbc.kernel "k0" source @s_1f2e3d4c (%x) {...}
    ```
    Precondition: the file is UTF-8 text. Refuses a file that is missing, empty or not
    text. The source is checked against the body before anyone believes it.
    """

    name = "use-source"

    kernel: str
    file: str

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        kernel = kernel_by_label(op, self.kernel)
        text = _text_of(Path(self.file))
        symbol = "s_" + hashlib.sha256(text.encode()).hexdigest()[:8]
        known = [inner for inner in op.body.block.ops if isinstance(inner, SourceOp)]
        if symbol not in {source.sym_name.data for source in known}:
            first = op.body.block.first_op
            assert first is not None
            op.body.block.insert_op_before(SourceOp(symbol, text), first)
        kernel.source = SymbolRefAttr(symbol)

    @classmethod
    def schedule_space(
        cls, ctx: Context, module_op: ModuleOp
    ) -> tuple[UseSourcePass, ...]:
        """None: sources come from outside the module."""
        return ()


def _text_of(file: Path) -> str:
    try:
        text = file.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise PassRefused(UseSourcePass.name, "the file cannot be read") from error
    if not text.strip():
        raise PassRefused(UseSourcePass.name, "the file is empty")
    return text
