"""Text of other compilers: its one function is @forward, its weights parameters."""

from __future__ import annotations

import numpy as np
from xdsl.dialects import arith, cf, func
from xdsl.dialects.builtin import (
    ArrayAttr,
    DenseIntOrFPElementsAttr,
    DictionaryAttr,
    IntegerType,
    ModuleOp,
    StringAttr,
    TensorType,
)
from xdsl.rewriter import Rewriter

from mbc.errors import InvalidInput
from mbc.ir.text import location_of
from mbc.ir.types import Array, element_of, is_float, numpy_dtype, shape_of, tensor_type

FORWARD = "forward"
MOST_ELEMENTS = {True: 4, False: 64}
"""A constant of more floats (weights), or of more integers (tables), is a parameter."""

Attributes = dict[str, StringAttr]


def adopt(module: ModuleOp) -> dict[str, Array]:
    """Make a module of another compiler one of ours, in place; its parameters.

    The only function becomes @forward. Dense constants of more than `MOST_ELEMENTS`
    elements that are not all equal become parameters `constant_<n>`. Assertions go:
    kernels cannot stop. `InvalidInput` where there is not exactly one function.
    """
    functions = [op for op in module.body.block.ops if isinstance(op, func.FuncOp)]
    if any(function.sym_name.data == FORWARD for function in functions):
        chosen = next(f for f in functions if f.sym_name.data == FORWARD)
    elif len(functions) == 1:
        (chosen,) = functions
        chosen.sym_name = StringAttr(FORWARD)
    else:
        names = ", ".join(f"@{f.sym_name.data}" for f in functions) or "none"
        raise InvalidInput(f"there is no @forward among the functions: {names}")
    for op in list(chosen.walk()):
        if isinstance(op, cf.AssertOp):
            op.detach()
            op.erase()
    return _parameters(chosen) if len(chosen.body.blocks) == 1 else {}


def _parameters(function: func.FuncOp) -> dict[str, Array]:
    """Turns large constants into arguments."""
    block = function.body.block
    entries = [_named(function, index) for index in range(len(block.args))]
    found: dict[str, Array] = {}
    for op in list(block.ops):
        if not isinstance(op, arith.ConstantOp) or not _is_large(op):
            continue
        name = f"constant_{len(found)}"
        found[name] = _array(op)
        argument = block.insert_arg(op.result.type, len(block.args))
        Rewriter.replace_op(op, [], [argument])
        entries.append({"mbc.parameter": StringAttr(name)})
    if found:
        function.arg_attrs = ArrayAttr(DictionaryAttr(entry) for entry in entries)
        function.update_function_type()
    return found


def _named(function: func.FuncOp, index: int) -> Attributes:
    """The attributes of an argument, with a name."""
    entries = list(function.arg_attrs or ())
    own = dict(entries[index].data) if index < len(entries) else {}
    if not any(key.startswith("mbc.") for key in own):
        own["mbc.input"] = StringAttr(f"arg{index}")
    return own  # pyright: ignore[reportReturnType]  # other attributes pass through


def _is_large(op: arith.ConstantOp) -> bool:
    value = op.value
    if not isinstance(value, DenseIntOrFPElementsAttr):
        return False
    if not isinstance(op.result.type, TensorType):
        return False
    if len(value) <= MOST_ELEMENTS[is_float(element_of(op.result))]:
        return False
    data = value.data.data  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType]  # bytes of any element type
    size = len(data) // len(value)  # pyright: ignore[reportUnknownArgumentType]
    return data != data[:size] * len(value)


def _array(op: arith.ConstantOp) -> Array:
    type = tensor_type(op.result)
    if type.element_type == IntegerType(1):
        raise InvalidInput("a large constant of i1 is not supported", location_of(op))
    value = op.value
    assert isinstance(value, DenseIntOrFPElementsAttr)
    data: bytes = value.data.data
    dtype = numpy_dtype(type.element_type)
    return np.frombuffer(data, dtype).reshape(shape_of(op.result)).copy()
