"""Functions with one unknown extent, and the same at a known one.

Every `?` of an argument stands for the same number. What is `?` further down follows:
named ops infer their results, others are sized by `tensor.dim`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from xdsl.dialects import arith, func, tensor
from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    ArrayAttr,
    DenseArrayBase,
    IntegerAttr,
    ModuleOp,
    i64,
)
from xdsl.dialects.linalg.abstract_ops import LinalgStructuredOperation
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.rewriter import Rewriter

from mbc.errors import InvalidInput
from mbc.ir.tensor_op import TensorOp, int_values
from mbc.ir.types import element_of, is_tensor, shape_of, tensor_type
from mbc.ir.types import tensor as tensor_of

RANGE = "mbc.extents"
"""Attribute of a module: between what its open extent may be, where that is limited."""
UNBOUNDED = 2**63 - 1


def set_range(module: ModuleOp, low: int, high: int) -> None:
    if (low, high) != (0, UNBOUNDED):
        module.attributes[RANGE] = DenseArrayBase.from_list(i64, [low, high])


def check_range(module: ModuleOp, extent: int) -> None:
    """`InvalidInput` where the model was not exported for such an extent."""
    limits = module.attributes.get(RANGE)
    low, high = int_values(limits) if limits is not None else (0, UNBOUNDED)
    if not low <= extent <= high:
        most = "" if high == UNBOUNDED else f" and at most {high}"
        raise InvalidInput(
            f"an extent of {extent}: the model was exported for at least {low}{most}"
        )


def is_dynamic(type: Attribute) -> bool:
    return is_tensor(type) and DYNAMIC_INDEX in type.get_shape()


def dynamic_function(module: ModuleOp) -> func.FuncOp | None:
    """The first function that has an argument of unknown extent."""
    functions = [op for op in module.body.block.ops if isinstance(op, func.FuncOp)]
    return next((f for f in functions if has_dynamic_argument(f)), None)


def has_dynamic_argument(function: func.FuncOp) -> bool:
    return any(map(is_dynamic, function.function_type.inputs))


def refuse_dynamic(module: ModuleOp) -> None:
    """`InvalidInput` where an extent is unknown."""
    if dynamic_function(module) is not None:
        raise InvalidInput(
            "the model has an extent that calls decide: run specialize{extent=N} first"
        )


Shape = tuple[int, ...]


def extent_among(function: func.FuncOp, shapes: Sequence[Shape | None]) -> int:
    """What the open extent is where arguments have these shapes, None for others."""
    found: set[int] = set()
    for arg, shape in zip(function.body.block.args, shapes):
        if is_tensor(arg.type) and shape is not None:
            pairs = zip(shape_of(arg), shape)
            found |= {have for want, have in pairs if want == DYNAMIC_INDEX}
    if len(found) != 1:
        listed = " and ".join(map(str, sorted(found))) or "none is given"
        raise InvalidInput(f"inputs must agree about their open extent: {listed}")
    return found.pop()


def specialized(module: ModuleOp, extent: int) -> ModuleOp:
    """A copy in which every extent is known, and every op verified again."""
    check_range(module, extent)
    clone = module.clone()
    clone.attributes.pop(RANGE, None)
    for op in clone.body.block.ops:
        if isinstance(op, func.FuncOp) and has_dynamic_argument(op):
            specialize_function(op, extent)
    clone.verify()
    return clone


def specialize_function(function: func.FuncOp, extent: int) -> None:
    """In place."""
    block = function.body.block
    for arg in block.args:
        if is_dynamic(arg.type):
            shape = [extent if n == DYNAMIC_INDEX else n for n in shape_of(arg)]
            _retype(arg, shape)
    sizes: dict[SSAValue, int] = {}
    for op in list(block.ops):
        if (size := _size_of(op, sizes)) is not None:
            sizes[op.results[0]] = size
        else:
            _specialize(op, sizes)
    for op in reversed(list(block.ops)):
        if any(v in sizes for v in op.results) and not op.results[0].first_use:
            op.detach()
            op.erase()
    function.update_function_type()


def _size_of(op: Operation, sizes: dict[SSAValue, int]) -> int | None:
    """The number that an op on sizes computes; None for any other op."""
    match op:
        case arith.ConstantOp(value=IntegerAttr() as number):
            return number.value.data
        case tensor.DimOp():
            return shape_of(op.source)[sizes[op.index]]
        case arith.MuliOp() if op.lhs in sizes and op.rhs in sizes:
            return sizes[op.lhs] * sizes[op.rhs]
        case arith.AddiOp() if op.lhs in sizes and op.rhs in sizes:
            return sizes[op.lhs] + sizes[op.rhs]
        case _:
            return None


def _specialize(op: Operation, sizes: dict[SSAValue, int]) -> None:
    match op:
        case TensorOp():
            types = op.tensor_operands()
            op.check(types)
            for result, type in zip(list(op.results), op.infer(types), strict=True):
                Rewriter.replace_value_with_new_type(result, type)
        case tensor.EmptyOp():
            _retype(op.tensor, _filled(shape_of(op.tensor), op.dynamic_sizes, sizes))
            op.operands = []
        case tensor.ExpandShapeOp():
            shape = _filled(shape_of(op.result), op.dynamic_output_shape, sizes)
            _retype(op.result, shape)
            op.operands = [op.src]
            op.static_output_shape = DenseArrayBase.from_list(i64, shape)
        case tensor.CollapseShapeOp():
            _retype(op.result, collapsed(shape_of(op.src), op.reassociation))
        case tensor.ExtractSliceOp():
            _replace_slice(op, sizes)
        case LinalgStructuredOperation():
            for result, init in zip(list(op.results), op.outputs, strict=True):
                Rewriter.replace_value_with_new_type(result, init.type)
        case _:
            if any(is_dynamic(result.type) for result in op.results):
                raise InvalidInput(f"'{op.name}' cannot have an extent that is open")


def _replace_slice(op: tensor.ExtractSliceOp, sizes: dict[SSAValue, int]) -> None:
    if op.offsets or op.strides:
        raise InvalidInput("a slice at an open offset or stride is not supported")
    shape = _filled(int_values(op.static_sizes), op.sizes, sizes)
    offsets, strides = int_values(op.static_offsets), int_values(op.static_strides)
    type = tensor_of(shape, element_of(op.source))
    new = tensor.ExtractSliceOp(op.source, offsets, shape, strides, type)
    new.location = op.location
    new.result.name_hint = op.result.name_hint
    Rewriter.replace_op(op, new)


def collapsed(
    shape: Sequence[int], groups: ArrayAttr[ArrayAttr[IntegerAttr]]
) -> list[int]:
    """The shape behind a collapse of runs of axes."""
    return [math.prod(shape[axis.value.data] for axis in group) for group in groups]


def _filled(
    shape: Sequence[int], given: Sequence[SSAValue], sizes: dict[SSAValue, int]
) -> list[int]:
    """`shape` with the sizes that stand for its unknown extents, in order."""
    values = iter(given)
    filled = [sizes[next(values)] if n == DYNAMIC_INDEX else n for n in shape]
    if any(n < 0 for n in filled):
        raise InvalidInput("the model has no meaning at so small an extent")
    return filled


def _retype(value: SSAValue, shape: Sequence[int]) -> None:
    type = tensor_of(shape, element_of(value))
    if tensor_type(value) != type:
        Rewriter.replace_value_with_new_type(value, type)
