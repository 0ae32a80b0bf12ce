"""Dialects of other compilers that mbc does not read, and what converts them.

mbc reads linalg on tensors. The commands are those of the projects that define the
dialects: StableHLO's `stablehlo-opt`, MLIR's `mlir-opt`, torch-mlir's `torch-mlir-opt`.
"""

from __future__ import annotations

import re

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation

CONVERTERS = {
    "stablehlo": "stablehlo-opt --stablehlo-legalize-to-linalg",
    "chlo": "stablehlo-opt --chlo-legalize-to-stablehlo --stablehlo-legalize-to-linalg",
    "tosa": "mlir-opt --tosa-to-linalg-pipeline --tosa-to-arith --tosa-to-tensor",
    "torch": "torch-mlir-opt --torch-backend-to-linalg-on-tensors-backend-pipeline",
}
PREFIXES = tuple(f"{name}." for name in CONVERTERS)
NAMED = re.compile(rf"\b({'|'.join(CONVERTERS)})\.[a-z_]\w*(?:\.\w+)*")


def refusal(text: str) -> str:
    """One sentence if `text` names an op or type of such a dialect, else nothing."""
    found = NAMED.search(text)
    if found is None:
        return ""
    converter = CONVERTERS[found[1]]
    return (
        f"'{found[0]}' is of a dialect that mbc does not read: convert the file to "
        f"linalg on tensors with '{converter}'"
    )


def first_foreign(module: ModuleOp) -> Operation | None:
    """The first op of such a dialect; xDSL has some of TOSA's."""
    ops = (op for op in module.walk() if op.name.startswith(PREFIXES))
    return next(ops, None)
