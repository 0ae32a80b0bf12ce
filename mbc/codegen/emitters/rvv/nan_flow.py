"""Which maxima of a row program need not propagate NaN themselves.

`vfmax` drops NaN, and keeping it costs instructions. In softmax that is not needed:
the NaN is in x, so it is in exp(x - m) whatever m is, and through its sum in every
result. This module proves that for a maximum or minimum over a row value.
"""

from __future__ import annotations

from xdsl.dialects.linalg import ops as linalg
from xdsl.ir import Operation, SSAValue

from mbc.codegen.families.row_program import RowProgram, Statement, Store
from mbc.codegen.loops import Access

PROPAGATING = frozenset(
    {
        "arith.addf",
        "arith.subf",
        "arith.mulf",
        "arith.divf",
        "arith.negf",
        "math.absf",
        "math.exp",
        "math.expm1",
        "math.log",
        "math.log1p",
        "math.sqrt",
        "math.rsqrt",
        "math.tanh",
    }
)
"""NaN whenever an operand is NaN."""

Key = Access | str


def nan_arrives_anyway(program: RowProgram, fold: Statement) -> bool:
    """A NaN in what `fold` reduces makes every stored element of the row NaN."""
    somewhere: set[Key] = {fold.inputs[0]}
    everywhere: set[Key] = set()
    statements: list[Statement] = []
    stores: list[Store] = []
    for step in program.passes:
        statements += [*step.first, *step.rows, *step.reduces, *step.scalars]
        stores += step.stores
    for statement in statements:
        if statement.result == fold.result:
            continue
        if _passes_on(statement, everywhere):
            everywhere.add(statement.result)
        elif _passes_on(statement, somewhere):
            sums = statement.kind == "reduce"
            (everywhere if sums else somewhere).add(statement.result)
    return all(store.name in everywhere for store in stores)


def _passes_on(statement: Statement, tainted: set[Key]) -> bool:
    op = statement.op
    if not isinstance(op, linalg.GenericOp):
        kept = op.str_of("kind") in ("sum", "mean", "prod")
        return kept and statement.inputs[0] in tainted
    block = op.body.block
    values: set[SSAValue] = {
        arg for arg, key in zip(block.args, statement.inputs) if key in tainted
    }
    for nested in block.ops:
        if isinstance(nested, linalg.YieldOp):
            return nested.operands[0] in values
        if _propagates(nested, values):
            values.update(nested.results)
    return False


def _propagates(op: Operation, values: set[SSAValue]) -> bool:
    return op.name in PROPAGATING and any(v in values for v in op.operands)
