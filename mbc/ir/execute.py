"""Runs any module at any level on NumPy: the oracle that everything is judged by.

`execute` computes in the given dtypes, or in float64 where only implicit precision
is widened: integers, booleans and explicit casts keep their types and roundings.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import EllipsisType
from typing import Any, Literal

import numpy as np
from xdsl.dialects import arith, func, tensor
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.linalg import ops as linalg
from xdsl.dialects.linalg.abstract_ops import LinalgStructuredOperation
from xdsl.ir import Attribute, Block, Operation, SSAValue

from mbc.errors import InvalidInput
from mbc.ir.kernel import KernelOp
from mbc.ir.scalars import CASTS, CMPF, CMPI, SCALARS, cast, constant_value
from mbc.ir.specialize import (
    check_range,
    extent_among,
    has_dynamic_argument,
    specialize_function,
)
from mbc.ir.structured import iterators_of, loop_extents, maps_of
from mbc.ir.tensor_op import TensorOp, int_values
from mbc.ir.types import (
    Array,
    element_of,
    is_float,
    is_tensor,
    numpy_dtype,
    shape_of,
)

Mode = Literal["given", "float64"]
Values = dict[SSAValue, Array]
TERMINATORS = ("func.return", "mbc.yield", "linalg.yield", "tensor.yield")


def execute(
    op: ModuleOp | func.FuncOp | KernelOp,
    arguments: Sequence[Array],
    mode: Mode = "given",
    function: str = "forward",
) -> tuple[Array, ...]:
    """The results of `function` of a module (or of a function or kernel) as arrays.

    `arguments` have the shapes of the block arguments; `InvalidInput` otherwise. In
    mode "float64" floating results are float64 arrays.
    """
    body = function_named(op, function) if isinstance(op, ModuleOp) else op
    if isinstance(body, func.FuncOp) and has_dynamic_argument(body):
        extent = extent_among(body, [np.shape(array) for array in arguments])
        if isinstance(op, ModuleOp):
            check_range(op, extent)
        body = body.clone()
        specialize_function(body, extent)
    with np.errstate(all="ignore"):
        return Evaluator(mode).block(body.body.block, arguments)


def known_value(value: SSAValue, ops: Sequence[Operation]) -> Array:
    """What a tensor is that `ops`, in order, make from nothing."""
    values: Values = {}
    with np.errstate(all="ignore"):
        for op in ops:
            Evaluator("given").step(op, values)
    return values[value]


def function_named(module: ModuleOp, name: str) -> func.FuncOp:
    """The function; the only one besides @prepare stands in for @forward."""
    found = [op for op in module.body.block.ops if isinstance(op, func.FuncOp)]
    exact = [op for op in found if op.sym_name.data == name]
    entries = [op for op in found if op.sym_name.data != "prepare"]
    if not exact and name == "forward" and len(entries) == 1:
        return entries[0]
    if not exact:
        raise InvalidInput(f"the module has no function @{name}")
    return exact[0]


@dataclass(frozen=True)
class Evaluator:
    mode: Mode

    def block(self, block: Block, arguments: Sequence[Array]) -> tuple[Array, ...]:
        if len(arguments) != len(block.args):
            raise InvalidInput(
                f"{len(block.args)} arrays are needed, {len(arguments)} were given"
            )
        values: Values = {}
        for index, (arg, array) in enumerate(zip(block.args, arguments, strict=True)):
            values[arg] = self.argument(index, arg.type, array)
        return self.run(block, values)

    def argument(self, index: int, type: Attribute, array: Array) -> Array:
        array = np.asarray(array)
        shape = tuple(type.get_shape()) if is_tensor(type) else ()
        fits = len(shape) == array.ndim and all(
            want in (-1, have) for want, have in zip(shape, array.shape, strict=True)
        )
        if not fits:
            raise InvalidInput(
                f"argument {index} has shape {array.shape}, expected {type}"
            )
        return self.conform(array, type)

    def conform(self, array: Array, type: Attribute) -> Array:
        """The array in the dtype that `type` has in this mode."""
        element = type.element_type if is_tensor(type) else type
        if self.mode == "float64" and is_float(element):
            return np.asarray(array, np.float64)
        return np.asarray(array).astype(numpy_dtype(element), copy=False)

    def run(self, block: Block, values: Values) -> tuple[Array, ...]:
        for op in block.ops:
            if op.name in TERMINATORS:
                return tuple(values[value] for value in op.operands)
            self.step(op, values)
        raise InvalidInput("a block has no terminator")

    def step(self, op: Operation, values: Values) -> None:
        """Add the results of one op."""
        results = self.op(op, [values[value] for value in op.operands], values)
        for result, array in zip(op.results, results, strict=True):
            values[result] = self.conform(array, result.type)

    def op(self, op: Operation, arrays: list[Array], values: Values) -> Sequence[Array]:
        if isinstance(op, KernelOp):
            return self.block(op.body.block, arrays)
        if isinstance(op, TensorOp):
            return op.evaluate(*(self.widened(array) for array in arrays))
        if isinstance(op, arith.ConstantOp):
            return [constant_value(op)]
        if isinstance(op, tensor.PadOp):
            return [self.padded(op, arrays[0], values)]
        if op.name in TENSORS:
            return [TENSORS[op.name](self, op, arrays)]
        if isinstance(op, LinalgStructuredOperation):
            return self.structured(op, arrays, values)
        raise InvalidInput(f"cannot execute '{op.name}'")

    def widened(self, array: Array) -> Array:
        """Named ops accumulate narrow floats in f32."""
        narrow = array.dtype.itemsize == 2 and array.dtype.kind not in "iub"
        return array.astype(np.float32) if narrow else array

    def padded(self, op: tensor.PadOp, array: Array, outer: Values) -> Array:
        low, high = (int_values(v) for v in (op.static_low, op.static_high))
        indices = [np.zeros(())] * len(low)
        (fill,) = self.scalar_block(op.region.block, indices, outer, [])
        return np.pad(array, list(zip(low, high, strict=True)), constant_values=fill)

    def structured(
        self, op: LinalgStructuredOperation, arrays: list[Array], outer: Values
    ) -> list[Array]:
        """All parallel loops at once, reduction loops one step after the other."""
        extents, kinds, maps = loop_extents(op), iterators_of(op), maps_of(op)
        inputs = len(op.inputs)
        outputs = [np.array(array) for array in arrays[inputs:]]
        steps = [n if kind == "reduction" else 1 for n, kind in zip(extents, kinds)]
        grid: Sequence[Array] = (
            np.ogrid[
                tuple(
                    slice(0, 1 if kind == "reduction" else n)
                    for n, kind in zip(extents, kinds)
                )
            ]
            if extents
            else []
        )
        for step in np.ndindex(*steps):
            index = [axis + offset for axis, offset in zip(grid, step)]
            at = [_positions(map.results, index) for map in maps]
            scalars = [a[p] for a, p in zip(arrays[:inputs], at)]
            scalars += [a[p] for a, p in zip(outputs, at[inputs:])]
            results = self.scalar_block(op.body.block, scalars, outer, index)
            for output, where, value in zip(outputs, at[inputs:], results):
                place = output[where].shape
                # Without axes there is one element, whatever loops led to it.
                fitting = value if place else np.reshape(value, ())
                output[where] = np.broadcast_to(fitting, place)
        return outputs

    def scalar_block(
        self,
        block: Block,
        arguments: Sequence[Array],
        outer: Values,
        index: list[Array],
    ) -> list[Array]:
        values = dict(outer)
        values.update(zip(block.args, arguments, strict=True))
        for op in block.ops:
            operands = [values[value] for value in op.operands]
            if op.name in TERMINATORS:
                return operands
            result = self.scalar(op, operands, index)
            values[op.results[0]] = self.conform(result, op.results[0].type)
        raise InvalidInput("a linalg body has no terminator")

    def scalar(self, op: Operation, values: list[Array], index: list[Array]) -> Array:
        if op.name in SCALARS:
            return SCALARS[op.name](*values)
        if op.name in CASTS:
            return cast(op, values[0], self.mode == "float64")
        if isinstance(op, arith.ConstantOp):
            return constant_value(op)
        if isinstance(op, arith.CmpfOp):
            return CMPF[op.predicate.value.data](*values)
        if isinstance(op, arith.CmpiOp):
            return CMPI[op.predicate.value.data](*values)
        if isinstance(op, linalg.IndexOp):
            return np.asarray(index[op.dim.value.data])
        if isinstance(op, tensor.ExtractOp):
            return values[0][tuple(np.broadcast_arrays(*values[1:]))]
        raise InvalidInput(f"cannot execute '{op.name}' in a linalg body")


def _positions(
    exprs: Sequence[Any], index: Sequence[Array]
) -> tuple[Array | EllipsisType, ...]:
    """Index arrays of a map's results over the open grid of loop indices."""
    if not exprs:
        return (Ellipsis,)
    found = [np.asarray(expr.eval(list(index), [])) for expr in exprs]
    return tuple(np.broadcast_arrays(*found, *(np.zeros((1,) * len(index), int),)))[:-1]


def _result_shape(op: Operation) -> tuple[int, ...]:
    return shape_of(op.results[0])


def _empty(run: Evaluator, op: Operation, arrays: list[Array]) -> Array:
    return np.zeros(_result_shape(op), numpy_dtype(element_of(op.results[0])))


def _reshape(run: Evaluator, op: Operation, arrays: list[Array]) -> Array:
    return arrays[0].reshape(_result_shape(op))


def _box(op: Operation) -> tuple[slice, ...]:
    rows = zip(
        int_values(op.properties["static_offsets"]),
        int_values(op.properties["static_sizes"]),
        int_values(op.properties["static_strides"]),
        strict=True,
    )
    return tuple(slice(o, o + (n - 1) * s + 1 if n else o, s) for o, n, s in rows)


def _extract_slice(run: Evaluator, op: Operation, arrays: list[Array]) -> Array:
    return arrays[0][_box(op)].reshape(_result_shape(op))


def _insert_slice(run: Evaluator, op: Operation, arrays: list[Array]) -> Array:
    result = np.array(arrays[1])
    result[_box(op)] = arrays[0].reshape(result[_box(op)].shape)
    return result


def _concat(run: Evaluator, op: Operation, arrays: list[Array]) -> Array:
    assert isinstance(op, tensor.ConcatOp)
    return np.concatenate(arrays, axis=op.dim.value.data)


def _fill(run: Evaluator, op: Operation, arrays: list[Array]) -> Array:
    return np.full_like(arrays[1], arrays[0])


def _transpose(run: Evaluator, op: Operation, arrays: list[Array]) -> Array:
    return arrays[0].transpose(int_values(op.properties["permutation"]))


def _broadcast(run: Evaluator, op: Operation, arrays: list[Array]) -> Array:
    axes = tuple(sorted(int_values(op.properties["dimensions"])))
    return np.broadcast_to(np.expand_dims(arrays[0], axes), _result_shape(op))


def _splat(run: Evaluator, op: Operation, arrays: list[Array]) -> Array:
    return np.full(_result_shape(op), arrays[0])


TENSORS: Mapping[str, Callable[[Evaluator, Operation, list[Array]], Array]] = {
    "linalg.broadcast": _broadcast,
    "linalg.fill": _fill,
    "linalg.transpose": _transpose,
    "tensor.cast": lambda run, op, arrays: arrays[0],
    "tensor.collapse_shape": _reshape,
    "tensor.concat": _concat,
    "tensor.empty": _empty,
    "tensor.expand_shape": _reshape,
    "tensor.extract_slice": _extract_slice,
    "tensor.insert_slice": _insert_slice,
    "tensor.splat": _splat,
}
