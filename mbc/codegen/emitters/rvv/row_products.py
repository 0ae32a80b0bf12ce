"""Products of a row program that a sum takes in as one multiply-add.

`x * x` that only feeds a sum, or `y * scale` that only a later `+ shift` reads, is
never made: its factors go where it is added.
"""

from __future__ import annotations

from collections import Counter

from xdsl.dialects import arith
from xdsl.dialects.linalg import ops as linalg

from mbc.codegen.families.row_program import Pass, Statement
from mbc.codegen.loops import Access
from mbc.ir.ops.reduce import ReduceOp


def added_products(step: Pass) -> set[str]:
    """The row values of a pass that are products, and read by one addition alone."""
    rows, varying = {s.result: s for s in step.rows}, _varying(step)
    uses = Counter(
        source
        for reader in (*step.rows, *step.reduces)
        for source in reader.inputs
        if isinstance(source, str)
    )
    uses.update([*step.keeps, *(store.name for store in step.stores)])
    return {
        source
        for reader in (*step.rows, *step.reduces)
        for place, source in enumerate(reader.inputs)
        if isinstance(source, str)
        and uses[source] == 1
        and source in rows
        and source in varying
        and _is_product(rows[source])
        and _adds(reader, place, varying)
    }


def _varying(step: Pass) -> set[Access | str]:
    """What is not the same for all elements of a row, or of its segment."""
    found: set[Access | str] = set(step.loads)
    for statement in step.rows:
        found.update(
            i for i in statement.inputs if isinstance(i, Access) and i.strides[-1]
        )
        if any(source in found for source in statement.inputs):
            found.add(statement.result)
    return found


def _is_product(statement: Statement) -> bool:
    assert isinstance(statement.op, linalg.GenericOp)
    block = statement.op.body.block
    first, *rest = block.ops
    return (
        isinstance(first, arith.MulfOp)
        and len(rest) == 1
        and all(value in block.args for value in first.operands)
    )


def _adds(reader: Statement, place: int, varying: set[Access | str]) -> bool:
    """Whether input number `place` is only added to what differs along the row."""
    if isinstance(reader.op, ReduceOp):
        return reader.op.str_of("kind") in ("sum", "mean")
    block = reader.op.body.block
    argument = block.args[place]
    uses = list(argument.uses)
    if len(uses) != 1 or not isinstance(uses[0].operation, arith.AddfOp):
        return False
    addends = [v for v in uses[0].operation.operands if v is not argument]
    return len(addends) == 1 and any(
        addends[0] is other and source in varying
        for other, source in zip(block.args, reader.inputs)
    )
