"""One function from two of the same model at two extents: what differs is open.

An axis that is 7 in one and 11 in the other becomes `?`. Whatever else differs, such as
a constant that holds the extent, cannot be said of all extents and is refused.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from xdsl.dialects import arith, func, tensor
from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    DenseArrayBase,
    IndexType,
    IntegerAttr,
    ModuleOp,
    i64,
)
from xdsl.ir import Attribute, Block, IRNode, Operation, SSAValue
from xdsl.rewriter import Rewriter

from mbc.errors import InvalidInput
from mbc.ir.execute import function_named
from mbc.ir.tensor_op import int_values
from mbc.ir.text import location_of
from mbc.ir.types import element_of, is_tensor, shape_of
from mbc.ir.types import tensor as tensor_of

Pair = tuple[int, int]
"""An extent in the first function and in the second."""

SIZED = tensor.EmptyOp | tensor.ExpandShapeOp | tensor.ExtractSliceOp
"""Ops that are told the extents of their result."""

SIZES = ("static_output_shape", "static_sizes")
"""Their properties that hold these."""


def generalized(one: ModuleOp, other: ModuleOp) -> ModuleOp:
    """@forward of `one` with `?` where `other` has another extent.

    `InvalidInput` with the place where they differ in anything else.
    """
    result = one.clone()
    function = function_named(result, "forward")
    second = function_named(other, "forward")
    if function.arg_attrs != second.arg_attrs or function.res_attrs != second.res_attrs:
        raise InvalidInput("its parameters or results depend on the open extent")
    if len(list(function.body.block.ops)) != len(list(second.body.block.ops)):
        raise InvalidInput("its operators depend on the open extent")
    _Generalizer(function.body.block).run(second.body.block)
    function.update_function_type()
    _refuse_open_parameters(function)
    result.verify()
    return result


def _refuse_open_parameters(function: func.FuncOp) -> None:
    pairs = zip(function.body.block.args, function.arg_attrs or (), strict=True)
    for arg, entry in pairs:
        if "mbc.input" not in entry.data and DYNAMIC_INDEX in shape_of(arg):
            raise InvalidInput(f"parameter {entry.data} depends on the open extent")


@dataclass
class _Generalizer:
    block: Block
    sizes: dict[Pair, SSAValue] = field(default_factory=dict[Pair, SSAValue])
    """What has these extents, computed at the start of the function."""
    last: Operation | None = None
    """The last of the ops that compute sizes."""
    twins: dict[IRNode | SSAValue, IRNode | SSAValue] = field(
        default_factory=dict[IRNode | SSAValue, IRNode | SSAValue]
    )

    def run(self, other: Block) -> None:
        ops = list(self.block.ops)  # before sizes join them
        for arg, twin in zip(self.block.args, other.args, strict=True):
            made, pairs = self._open(arg, twin)
            for axis, pair in enumerate(pairs):
                self._argument_axis(made, axis, pair)
        for op, twin in zip(ops, list(other.ops), strict=True):
            self._op(op, twin)

    def _op(self, op: Operation, twin: Operation) -> None:
        if not self._matches(op, twin):
            raise InvalidInput(
                f"'{op.name}' depends on the open extent in more than its shape",
                location_of(op),
            )
        for value, other in zip(list(op.results), twin.results, strict=True):
            _, pairs = self._open(value, other)
            if isinstance(op, SIZED):
                sizes = [self._size(op, pair) for pair in pairs if pair[0] != pair[1]]
                self.twins[self._sized(op, sizes)] = other

    def _matches(self, op: Operation, twin: Operation) -> bool:
        """Whether both do the same with the same values, sizes aside."""
        operands = [self.twins.get(value) for value in op.operands]
        return (
            op.name == twin.name
            and operands == list(twin.operands)
            and op.attributes == twin.attributes
            and _told(op) == _told(twin)
            and len(op.regions) == len(twin.regions)
            and all(
                mine.is_structurally_equivalent(theirs, dict(self.twins))
                for mine, theirs in zip(op.regions, twin.regions)
            )
        )

    def _open(self, value: SSAValue, twin: SSAValue) -> tuple[SSAValue, list[Pair]]:
        """The value with unknown axes where they differ; the extents of all axes."""
        pairs = list[Pair]()
        if is_tensor(value.type) and value.type != twin.type:
            pairs = list(zip(shape_of(value), shape_of(twin), strict=True))
            shape = [a if a == b else DYNAMIC_INDEX for a, b in pairs]
            type = tensor_of(shape, element_of(value))
            value = Rewriter.replace_value_with_new_type(value, type)
        self.twins[value] = twin
        return value, pairs

    def _argument_axis(self, arg: SSAValue, axis: int, pair: Pair) -> None:
        if pair[0] == pair[1] or pair in self.sizes:
            return
        if self.sizes:
            raise InvalidInput("all open extents of inputs must be the same one")
        index = arith.ConstantOp(IntegerAttr(axis, IndexType()))
        self.sizes[pair] = self._added(index, tensor.DimOp(arg, index))

    def _size(self, op: Operation, pair: Pair) -> SSAValue:
        """`factor * n + rest`, of the extent n that is open."""
        if pair in self.sizes:
            return self.sizes[pair]
        (base, size), *_ = self.sizes.items()
        factor, left = divmod(pair[1] - pair[0], base[1] - base[0])
        rest = pair[0] - factor * base[0]
        if left:
            reason = "has an extent that is no multiple of the open one"
            raise InvalidInput(f"'{op.name}' {reason}", location_of(op))
        if factor != 1:
            size = self._combined(arith.MuliOp, size, factor)
        if rest:
            size = self._combined(arith.AddiOp, size, rest)
        self.sizes[pair] = size
        return size

    def _combined(
        self, kind: type[arith.MuliOp | arith.AddiOp], size: SSAValue, number: int
    ) -> SSAValue:
        constant = arith.ConstantOp(IntegerAttr(number, IndexType()))
        return self._added(constant, kind(size, constant))

    def _added(self, constant: arith.ConstantOp, op: Operation) -> SSAValue:
        """The result of `op`, which stands with its constant before what they size."""
        if self.last is None:
            first = self.block.first_op
            assert first is not None
            self.block.insert_ops_before([constant, op], first)
        else:
            self.block.insert_ops_after([constant, op], self.last)
        self.last = op
        return op.results[0]

    def _sized(self, op: SIZED, sizes: list[SSAValue]) -> SSAValue:
        """The op with its unknown extents given as values; its result."""
        shape = shape_of(op.results[0])
        match op:
            case tensor.EmptyOp():
                op.operands = sizes
            case tensor.ExpandShapeOp():
                op.operands = [op.src, *sizes]
                op.static_output_shape = DenseArrayBase.from_list(i64, shape)
            case tensor.ExtractSliceOp():
                given = iter(sizes)
                mixed = [next(given) if n == DYNAMIC_INDEX else n for n in shape]
                return _replaced(op, mixed).result
        return op.results[0]


def _replaced(
    op: tensor.ExtractSliceOp, sizes: list[SSAValue | int]
) -> tensor.ExtractSliceOp:
    offsets, strides = int_values(op.static_offsets), int_values(op.static_strides)
    new = tensor.ExtractSliceOp(op.source, offsets, sizes, strides, op.result.type)
    new.location = op.location
    new.result.name_hint = op.result.name_hint
    Rewriter.replace_op(op, new)
    return new


def _told(op: Operation) -> dict[str, Attribute]:
    """Everything that an op is told, but sizes."""
    return {n: value for n, value in op.properties.items() if n not in SIZES}
