"""Rebuilds a kernel at other extents: the base of shape fuzzing and cost scaling.

The axes of a kernel's operands fall into classes of equal extent, from every op's
`dims` and every generic's indexing maps. A class that some op fixes cannot be
chosen. `resize` sets the extents of free classes on the operands and infers
everything behind them again; where that contradicts itself it refuses.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from xdsl.dialects import tensor as tensor_dialect
from xdsl.dialects.builtin import TensorType
from xdsl.dialects.linalg import ops as linalg
from xdsl.ir import Operation, SSAValue
from xdsl.rewriter import Rewriter
from xdsl.utils.exceptions import VerifyException

from mbc.errors import InvalidInput, PassRefused
from mbc.ir.kernel import KernelOp, YieldOp
from mbc.ir.structured import axis_of, extents_from, maps_of
from mbc.ir.tensor_op import TensorOp
from mbc.ir.types import shape_of, tensor, tensor_type

Axis = tuple[SSAValue, int]


@dataclass
class _Classes:
    """Union-find over axes; `fixed` holds axes that no one may choose."""

    parent: dict[Axis, Axis] = field(default_factory=dict[Axis, Axis])
    fixed: set[Axis] = field(default_factory=set[Axis])

    def find(self, axis: Axis) -> Axis:
        while self.parent.setdefault(axis, axis) != axis:
            axis = self.parent[axis]
        return axis

    def tie(self, a: Axis, b: Axis) -> None:
        self.parent[self.find(a)] = self.find(b)


def dimension_classes(kernel: KernelOp) -> dict[str, list[Axis]]:
    """Free classes by name `N0`, `N1`, ... in order of first appearance.

    Each class lists its operand axes; equal extents by chance are two classes.
    """
    classes = _Classes()
    for op in kernel.ops():
        _tie(op, classes)
    fixed = {classes.find(axis) for axis in classes.fixed}
    members: dict[Axis, list[Axis]] = {}
    for arg in kernel.block.args:
        for index in range(len(shape_of(arg))):
            root = classes.find((arg, index))
            if root not in fixed:
                members.setdefault(root, []).append((arg, index))
    return {f"N{i}": axes for i, axes in enumerate(members.values())}


def extents(kernel: KernelOp) -> dict[str, int]:
    """The extent of every free class."""
    classes = dimension_classes(kernel)
    return {name: shape_of(axes[0][0])[axes[0][1]] for name, axes in classes.items()}


def resize(kernel: KernelOp, wanted: Mapping[str, int]) -> KernelOp:
    """A detached copy of `kernel` with free classes at `wanted` extents.

    Raises `PassRefused` where a name is unknown or the body does not hold there.
    """
    clone = kernel.copy()
    classes = dimension_classes(clone)
    unknown = sorted(set(wanted) - set(classes))
    if unknown:
        raise PassRefused("resize", f"no free extent is called {unknown[0]}")
    shapes = [list(shape_of(arg)) for arg in clone.block.args]
    positions: dict[SSAValue, int] = {arg: i for i, arg in enumerate(clone.block.args)}
    for name, extent in wanted.items():
        for value, index in classes[name]:
            shapes[positions[value]][index] = extent
    for position, shape in enumerate(shapes):
        _retype(clone.block.args[position], shape)
        _retype(clone.ins[position], shape)
    try:
        for op in clone.ops():
            _infer(op)
    except (VerifyException, InvalidInput) as error:
        raise PassRefused("resize", str(error)) from error
    results = [value.type for value in clone.terminator.values]
    for out, type in zip(list(clone.outs), results, strict=True):
        Rewriter.replace_value_with_new_type(out, type)
    return clone


def _retype(value: SSAValue, shape: list[int]) -> None:
    type = tensor(shape, tensor_type(value).element_type)
    Rewriter.replace_value_with_new_type(value, type)


def _tie(op: Operation, classes: _Classes) -> None:
    if isinstance(op, linalg.GenericOp):
        _tie_generic(op, classes)
    elif isinstance(op, TensorOp):
        _tie_named(op, classes)
    elif not isinstance(op, tensor_dialect.EmptyOp | YieldOp):
        _fix(op, classes)


def _fix(op: Operation, classes: _Classes) -> None:
    """A view or another op whose extents are written into it."""
    for value in (*op.operands, *op.results):
        if isinstance(value.type, TensorType):
            classes.fixed.update((value, i) for i in range(len(shape_of(value))))


def _tie_generic(op: linalg.GenericOp, classes: _Classes) -> None:
    outputs = maps_of(op)[len(op.inputs) :]
    values = [*op.operands, *op.results]
    for value, map in zip(values, [*maps_of(op), *outputs], strict=True):
        for index, expr in enumerate(map.results):
            loop = axis_of(expr)
            if loop is None:
                classes.fixed.add((value, index))
            else:
                classes.tie((value, index), (op.results[0], -1 - loop))
    if any(nested.name == "tensor.extract" for nested in op.body.block.ops):
        outer = [v for n in op.body.block.ops for v in n.operands]
        for value in outer:
            if isinstance(value.type, TensorType):
                classes.fixed.update((value, i) for i in range(len(shape_of(value))))


def _tie_named(op: TensorOp, classes: _Classes) -> None:
    dims = op.dims()
    rows = zip(
        (*op.operands, *op.results), (*dims.operands, *dims.results), strict=True
    )
    first: dict[str, Axis] = {}
    for value, names in rows:
        for index, name in enumerate(names):
            if not name:
                classes.fixed.add((value, index))
            else:
                classes.tie((value, index), first.setdefault(name, (value, index)))


def _infer(op: Operation) -> None:
    if isinstance(op, TensorOp):
        types = op.tensor_operands()
        op.check(types)
        for result, type in zip(list(op.results), op.infer(types), strict=True):
            Rewriter.replace_value_with_new_type(result, type)
    elif isinstance(op, linalg.GenericOp):
        _infer_generic(op)


def _infer_generic(op: linalg.GenericOp) -> None:
    """Loop extents follow from the inputs; inits and results follow from them."""
    maps, inputs = maps_of(op), len(op.inputs)
    shapes = [shape_of(value) for value in op.inputs]
    loops = maps[0].num_dims
    bound = {axis_of(e) for map in maps[:inputs] for e in map.results}
    inits = list(zip(op.outputs, maps[inputs:], strict=True))
    if not set(range(loops)) <= bound:
        shapes += [shape_of(value) for value in op.outputs]
        found = extents_from(maps, shapes, loops)
    else:
        found = extents_from(maps[:inputs], shapes, loops)
    for shape, map in zip(shapes, maps):
        for expr, extent in zip(map.results, shape, strict=True):
            loop = axis_of(expr)
            if extent != (1 if loop is None else found[loop]):
                raise InvalidInput("operands of a generic disagree about a loop")
    for result, (init, map) in zip(list(op.results), inits, strict=True):
        axes = [axis_of(expr) for expr in map.results]
        shape = [1 if loop is None else found[loop] for loop in axes]
        _retype(result, shape)
        if isinstance(init.owner, tensor_dialect.EmptyOp):
            _retype(init, shape)
        elif list(shape_of(init)) != shape:
            raise InvalidInput("the init of a generic has another shape")
