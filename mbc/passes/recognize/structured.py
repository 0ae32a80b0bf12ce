"""Ops of linalg that are one contraction, convolution, pool or fold."""

from __future__ import annotations

import math
from collections.abc import Sequence

from xdsl.dialects import arith, tensor
from xdsl.dialects.builtin import DenseIntElementsAttr
from xdsl.dialects.linalg import ops as linalg
from xdsl.dialects.linalg.abstract_ops import (
    ConvOperation,
    LinalgStructuredOperation,
    PoolingOperation,
)
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.utils.hints import isa

from mbc.ir import build
from mbc.ir.arithmetic import add
from mbc.ir.ops.contract import ContractOp
from mbc.ir.ops.conv import ConvOp
from mbc.ir.ops.pool import PoolOp
from mbc.ir.ops.reduce import ReduceOp
from mbc.ir.structured import axis_of, iterators_of, maps_of
from mbc.ir.tensor_op import int_values
from mbc.ir.types import accumulator, element_of, shape_of
from mbc.passes.recognize.values import (
    inputs_of_body,
    is_everywhere,
    scalar_of,
    yielded_op,
)

ADD = (arith.AddfOp, arith.AddiOp)
MULTIPLY = (arith.MulfOp, arith.MuliOp)
FOLDS: dict[type[Operation], tuple[str, float]] = {
    arith.AddfOp: ("sum", 0.0),
    arith.AddiOp: ("sum", 0),
    arith.MulfOp: ("prod", 1.0),
    arith.MuliOp: ("prod", 1),
    arith.MaximumfOp: ("max", -math.inf),
    arith.MinimumfOp: ("min", math.inf),
}
"""What an op folds an axis to, and what it must start from."""

CONVOLUTIONS = {
    "linalg.conv_2d_nchw_fchw": ((0, 1, 2, 3), (0, 1, 2, 3)),
    "linalg.conv_2d_nhwc_hwcf": ((0, 3, 1, 2), (3, 2, 0, 1)),
    "linalg.conv_2d_nhwc_fhwc": ((0, 3, 1, 2), (0, 3, 1, 2)),
}
"""Axes of input and weight in the order of mbc.conv's."""


def move(op: Operation) -> Sequence[SSAValue] | None:
    """Transposes and broadcasts as generics, which canonicalize reads through."""
    if isinstance(op, linalg.TransposeOp):
        return [build.transpose(op.inputs[0], _numbers(op.permutation))]
    if not isinstance(op, linalg.BroadcastOp):
        return None
    source, shape = op.input, shape_of(op.init)
    added = _numbers(op.dimensions)
    kept = [axis for axis in range(len(shape)) if axis not in added]
    reads = [build.dims_map(len(shape), kept)]
    element = element_of(source)
    return [build.elementwise([source], shape, element, lambda x: x, reads)]


def contraction(op: Operation) -> Sequence[SSAValue] | None:
    """A structured op that sums products of its two inputs."""
    if not isinstance(op, LinalgStructuredOperation) or len(op.inputs) != 2:
        return None
    if len(op.results) != 1 or not _multiplies_and_adds(op):
        return None
    maps, (lhs, rhs), init = maps_of(op), op.inputs, op.outputs[0]
    if any(not _is_choice(map.results) for map in maps):
        return None
    if "reduction" not in iterators_of(op) or element_of(lhs) != element_of(init):
        return None
    carried = str(accumulator(element_of(lhs)))
    return [_added(ContractOp.from_maps(lhs, rhs, maps, carried).result, init)]


def convolution(op: Operation) -> Sequence[SSAValue] | None:
    """A named convolution; zero padding in front of it becomes its own."""
    if not isinstance(op, ConvOperation) or op.name not in CONVOLUTIONS:
        return None
    for_input, for_weight = CONVOLUTIONS[op.name]
    source, low, high = _unpadded(op.inputs[0], for_input, 0.0)
    input, weight = _permuted(source, for_input), _permuted(op.inputs[1], for_weight)
    conv = ConvOp.of(
        [input, weight],
        strides=_numbers(op.strides),
        low=low,
        high=high,
        dilation=_numbers(op.dilations),
        groups=1,
        acc=str(accumulator(element_of(input))),
    )
    back = [for_input.index(axis) for axis in range(4)]
    return [_added(_permuted(conv.result, back), op.outputs[0])]


def max_pool(op: Operation) -> Sequence[SSAValue] | None:
    """Maximum over windows; padding with the lowest value becomes its own."""
    if not isinstance(op, PoolingOperation) or op.name != "linalg.pooling_nchw_max":
        return None
    lowest = -math.inf
    if not is_everywhere(op.outputs[0], lowest):
        return None
    source, low, high = _unpadded(op.inputs[0], (0, 1, 2, 3), lowest)
    pool = PoolOp.of(
        [source],
        kind="max",
        window=tuple(shape_of(op.inputs[1])),
        strides=_numbers(op.strides),
        low=low,
        high=high,
        dilation=_numbers(op.dilations),
        count_padding=False,
        divisor=0,
    )
    return [pool.result]


def fold(op: Operation) -> Sequence[SSAValue] | None:
    """A generic that sums, multiplies or bounds along axes of its only input.

    A second result (an index, say) that nobody uses is no hindrance.
    """
    if not isinstance(op, linalg.GenericOp) or len(op.inputs) != 1:
        return None
    if "reduction" not in iterators_of(op):
        return None
    if any(list(result.uses) for result in op.results[1:]):
        return None
    inner = yielded_op(op, 0)
    if inner is None or type(inner) not in FOLDS:
        return None
    kind, start = FOLDS[type(inner)]
    if set(inputs_of_body(op, inner) or ()) != {0, 1} or not is_everywhere(
        op.outputs[0], start
    ):
        return None
    maps, rank = maps_of(op), len(shape_of(op.inputs[0]))
    axes = [i for i, kind in enumerate(iterators_of(op)) if kind == "reduction"]
    if maps[0] != build.identity_map(rank):
        return None
    kept = [None if axis in axes else axis for axis in range(rank)]
    for keepdims in (True, False):
        places = kept if keepdims else [axis for axis in kept if axis is not None]
        if maps[1] == build.dims_map(rank, places):
            return [ReduceOp.over(op.inputs[0], kind, axes, keepdims).result]
    return None


def _multiplies_and_adds(op: LinalgStructuredOperation) -> bool:
    block = op.body.block
    assert block.last_op is not None
    total = block.last_op.operands[0].owner
    if not isinstance(total, ADD) or len(list(block.ops)) != 3:
        return False
    lhs, rhs, carried = block.args
    pairs = ((total.lhs, total.rhs), (total.rhs, total.lhs))
    return any(
        isinstance(product.owner, MULTIPLY)
        and set(product.owner.operands) == {lhs, rhs}
        and other is carried
        for product, other in pairs
    )


def _is_choice(results: Sequence[object]) -> bool:
    """Plain loops, each at most once."""
    axes = [axis_of(expr) for expr in results]  # pyright: ignore[reportArgumentType]  # results of an affine map
    return None not in axes and len(set(axes)) == len(axes)


def _added(value: SSAValue, init: SSAValue) -> SSAValue:
    """What was in the output before is added, unless it is zero."""
    if is_everywhere(init, 0):
        return value
    shape, element = shape_of(value), element_of(value)
    return build.elementwise([value, init], shape, element, add)


def _permuted(value: SSAValue, axes: Sequence[int]) -> SSAValue:
    plain = list(axes) == sorted(axes)
    return value if plain else build.transpose(value, axes)


def _numbers(attribute: Attribute) -> tuple[int, ...]:
    if isa(attribute, DenseIntElementsAttr):
        return tuple(int(value) for value in attribute.get_values())
    return int_values(attribute)


def _unpadded(
    value: SSAValue, axes: Sequence[int], number: float
) -> tuple[SSAValue, tuple[int, ...], tuple[int, ...]]:
    """In front of spatial padding with `number`, and how much that is per axis."""
    none = (0,) * (len(axes) - 2)
    pad = value.owner
    if not isinstance(pad, tensor.PadOp) or list(pad.low) or list(pad.high):
        return value, none, none
    yielded = pad.region.block.last_op
    assert yielded is not None
    low, high = (int_values(v) for v in (pad.static_low, pad.static_high))
    front = [axes[0], axes[1]]
    plain = all(low[axis] == high[axis] == 0 for axis in front)
    if not plain or scalar_of(yielded.operands[0]) != number:
        return value, none, none
    spatial = axes[2:]
    return (
        pad.source,
        tuple(low[axis] for axis in spatial),
        tuple(high[axis] for axis in spatial),
    )
