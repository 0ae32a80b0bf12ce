"""Random arguments for checks and measurements, legal for the ops that read them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from xdsl.dialects.arith import AddfOp
from xdsl.dialects.linalg.ops import GenericOp
from xdsl.dialects.math import RsqrtOp
from xdsl.ir import Block, SSAValue

from mbc.ir.kernel import KernelOp
from mbc.ir.ops.batch_norm import BatchNormOp
from mbc.ir.ops.gather import GatherOp
from mbc.ir.ops.scatter import ScatterOp
from mbc.ir.types import Array, is_float, numpy_dtype, shape_of, tensor_type


def random_arguments(block: Block, seed: int) -> list[Array]:
    """One array per block argument: normal floats, indices in range, fair booleans.

    Variances must be positive: what a batch norm takes as one is drawn as such.
    """
    rng = np.random.default_rng(seed)
    return [_draw(arg, rng) for arg in block.args]


def _draw(arg: SSAValue, rng: np.random.Generator) -> Array:
    type, shape = tensor_type(arg), shape_of(arg)
    dtype = numpy_dtype(type.element_type)
    if is_float(type.element_type):
        values = rng.standard_normal(shape)
        return (np.abs(values) if _is_variance(arg) else values).astype(dtype)
    if dtype == np.bool_:
        return rng.integers(0, 2, shape).astype(np.bool_)
    return rng.integers(0, max(1, _index_limit(arg)), shape).astype(dtype)


def _uses(arg: SSAValue) -> Sequence[tuple[object, int]]:
    """Uses of an argument, looked up through the kernels that it is passed to."""
    found: list[tuple[object, int]] = []
    for use in arg.uses:
        if isinstance(use.operation, KernelOp):
            found += _uses(use.operation.block.args[use.index])
        else:
            found.append((use.operation, use.index))
    return found


def _is_variance(arg: SSAValue) -> bool:
    return any(
        (isinstance(op, BatchNormOp) and index == 2)
        or (isinstance(op, GenericOp) and _is_rooted(op.body.block.args[index]))
        for op, index in _uses(arg)
    )


def _is_rooted(value: SSAValue) -> bool:
    """The element goes into 1 / sqrt(element + eps)."""
    sums = [use.operation for use in value.uses if isinstance(use.operation, AddfOp)]
    return any(
        isinstance(use.operation, RsqrtOp) for op in sums for use in op.result.uses
    )


def _index_limit(arg: SSAValue) -> int:
    """Indices of a gather or scatter stay in its axis; other integers are small."""
    limits = [
        shape_of(op.input)[op.int_of("axis")]
        for op, index in _uses(arg)
        if isinstance(op, GatherOp | ScatterOp) and index == 1
    ]
    return min(limits, default=8)
