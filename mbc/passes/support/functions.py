"""@forward and @prepare: their arguments, and which values parameters determine."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from xdsl.dialects import func
from xdsl.dialects.builtin import (
    ArrayAttr,
    DictionaryAttr,
    FunctionType,
    IntegerAttr,
    ModuleOp,
    StringAttr,
)
from xdsl.ir import Attribute, Block, Operation, SSAValue

from mbc.errors import InvalidInput
from mbc.ir.execute import function_named as entry_function
from mbc.passes.support.ops import needs

PARAMETER, PREPARED, DONATED = "mbc.parameter", "mbc.prepared", "mbc.donated"


def function_named(module: ModuleOp, name: str) -> func.FuncOp | None:
    for op in module.body.block.ops:
        if isinstance(op, func.FuncOp) and op.sym_name.data == name:
            return op
    return None


def forward_of(module: ModuleOp) -> func.FuncOp:
    """@forward, or the only function; `InvalidInput` unless its body is one block."""
    function = entry_function(module, "forward")
    name = function.sym_name.data
    if not function.body.blocks:
        raise InvalidInput(f"the function @{name} has no body")
    if len(function.body.blocks) > 1:
        raise InvalidInput(f"the function @{name} has branches, which mbc cannot take")
    return function


def terminator(block: Block) -> Operation:
    assert block.last_op is not None
    return block.last_op


def attributes_of(function: func.FuncOp) -> list[dict[str, Attribute]]:
    """The attribute dictionary of every argument."""
    if function.arg_attrs is None:
        return [{} for _ in function.body.block.args]
    return [dict(entry.data) for entry in function.arg_attrs]


def set_signature(
    function: func.FuncOp, attributes: Sequence[Mapping[str, Attribute]]
) -> None:
    """Make the type follow the body, with these attributes of the arguments."""
    block = function.body.block
    function.function_type = FunctionType.from_lists(
        [arg.type for arg in block.args],
        [value.type for value in terminator(block).operands],
    )
    described = any(attributes)
    function.arg_attrs = (
        ArrayAttr(DictionaryAttr(entry) for entry in attributes) if described else None
    )


def parameter_name(attributes: Mapping[str, Attribute]) -> str | None:
    """The name of a parameter that no call changes."""
    name = attributes.get(PARAMETER)
    if not isinstance(name, StringAttr) or DONATED in attributes:
        return None
    return name.data


def prepared_index(attributes: Mapping[str, Attribute]) -> int | None:
    """Which result of @prepare an argument is."""
    index = attributes.get(PREPARED)
    return index.value.data if isinstance(index, IntegerAttr) else None


def parameter_values(function: func.FuncOp) -> set[SSAValue]:
    """Values that parameters and constants alone determine."""
    known: set[SSAValue] = set()
    rows = zip(function.body.block.args, attributes_of(function), strict=True)
    for arg, entry in rows:
        if parameter_name(entry) is not None or prepared_index(entry) is not None:
            known.add(arg)
    for op in function.body.block.ops:
        if all(value in known for value in needs(op)):
            known.update(op.results)
    return known
