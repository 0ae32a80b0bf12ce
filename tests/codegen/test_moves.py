"""Every move, at odd extents and in all widths, under every schedule on all targets."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from xdsl.dialects.builtin import (
    DenseArrayBase,
    bf16,
    f16,
    f32,
    f64,
    i1,
    i8,
    i16,
    i32,
    i64,
)
from xdsl.dialects.linalg.ops import TransposeOp
from xdsl.ir import Attribute, SSAValue
from xdsl.ir.affine import AffineExpr, AffineMap

from mbc.ir import build
from mbc.ir.kernel import KernelOp
from mbc.ir.tensor_op import TensorOp
from mbc.ir.types import Array, Tensor, element_of, shape_of, tensor
from tests.codegen.exact import STYLES, Body, check_exactly
from tests.ir.samples import named


def permuted(*order: int) -> Body:
    return lambda x: build.transpose(x, order)


def padded(low: Sequence[int], high: Sequence[int], mode: str, value: float) -> Body:
    return lambda x: named("pad", x, low=low, high=high, value=value, mode=mode)


def upstream_pad(x: SSAValue) -> SSAValue:
    """tensor.pad, as `mbc.pad` decomposes into it."""
    probe = padded((1, 2), (0, 3), "constant", -2.5)(x)
    assert isinstance(probe, SSAValue)
    (kept,) = decompose_last(probe)
    return kept


def decompose_last(value: SSAValue) -> list[SSAValue]:
    op = value.owner
    assert isinstance(op, TensorOp)
    made = op.decompose()
    assert made is not None
    op.detach()
    op.erase()
    return list(made)


def joined(axis: int) -> Body:
    return lambda *parts: named("concat", *parts, axis=axis)


def picked(axis: int) -> Body:
    return lambda x, at: named("gather", x, at, axis=axis)


def boxed(offsets: Sequence[int], sizes: Sequence[int], steps: Sequence[int]) -> Body:
    return lambda x: build.extract_slice(x, offsets, sizes, steps)


def flipped(x: SSAValue) -> SSAValue:
    """Both axes from the end."""
    rows, columns = shape_of(x)
    at = [
        AffineExpr.constant(extent - 1) - AffineExpr.dimension(axis)
        for axis, extent in enumerate((rows, columns))
    ]
    reads = [AffineMap(2, 0, tuple(at))]
    return build.elementwise([x], (rows, columns), element_of(x), lambda v: v, reads)


def spread(x: SSAValue) -> SSAValue:
    """A row for each of five."""
    shape = (5, *shape_of(x))
    return build.elementwise([x], shape, element_of(x), lambda v: v)


def linalg_transpose(x: SSAValue) -> SSAValue:
    rows, columns = shape_of(x)
    init = build.empty((columns, rows), element_of(x))
    order = DenseArrayBase.from_list(i64, [1, 0])
    return TransposeOp(x, init, order, init.type).results[0]


def one(shape: Sequence[int], element: Attribute = f32) -> list[Tensor]:
    return [tensor(shape, element)]


def rows_and_indices(
    shape: Sequence[int], picks: Sequence[int], element: Attribute, index: Attribute
) -> list[Tensor]:
    return [tensor(shape, element), tensor(picks, index)]


WIDTHS = {"i8": i8, "i1": i1, "f16": f16, "bf16": bf16, "i32": i32, "f64": f64}

TRANSPOSITIONS: dict[str, tuple[list[Tensor], Body]] = {
    "primes": (one((37, 41)), permuted(1, 0)),
    "tiles": (one((48, 32)), permuted(1, 0)),
    "flat": (one((3, 67)), permuted(1, 0)),
    "tall": (one((67, 9)), permuted(1, 0)),
    "channels last": (one((2, 3, 7, 11)), permuted(0, 2, 3, 1)),
    "channels first": (one((2, 5, 7, 13)), permuted(0, 3, 1, 2)),
    "ends": (one((7, 3, 19)), permuted(2, 1, 0)),
    "heads": (one((2, 9, 3, 17)), permuted(0, 2, 3, 1)),
    "linalg": (one((21, 34)), linalg_transpose),
    **{
        f"even {name}": (one((35, 24), e), permuted(1, 0)) for name, e in WIDTHS.items()
    },
    **{name: (one((35, 50), e), permuted(1, 0)) for name, e in WIDTHS.items()},
    "i64 fields": (one((4, 29), i64), permuted(1, 0)),
    "i16 fields": (one((29, 6), i16), permuted(1, 0)),
}

ROWS: dict[str, tuple[list[Tensor], Body]] = {
    "rows": (one((5, 7, 13), i32), permuted(1, 0, 2)),
    "one element": (one((1, 1), i32), permuted(1, 0)),
    "constant": (
        one((2, 3, 5, 7)),
        padded((0, 0, 1, 2), (0, 0, 3, 1), "constant", 1.5),
    ),
    "upstream": (one((3, 5)), upstream_pad),
    "front": (one((3, 5)), padded((2, 0), (0, 0), "constant", 0.0)),
    "not a number": (one((3, 5)), padded((1, 1), (1, 0), "constant", float("nan"))),
    "reflect": (one((2, 4, 5)), padded((0, 3, 2), (0, 2, 4), "reflect", 0.0)),
    "replicate": (one((2, 4, 5)), padded((0, 3, 2), (0, 2, 7), "replicate", 0.0)),
    "circular": (one((2, 4, 5)), padded((0, 4, 2), (0, 1, 5), "circular", 0.0)),
    "reflect rows": (one((2, 4, 5)), padded((0, 3, 0), (0, 2, 0), "reflect", 0.0)),
    "join": ([*one((2, 3, 7)), *one((2, 5, 7)), *one((2, 1, 7))], joined(1)),
    "join first": ([*one((2, 33)), *one((5, 33))], joined(0)),
    "join last": ([*one((7, 3)), *one((7, 1))], joined(1)),
    "slice": (one((5, 9, 11)), boxed((1, 2, 3), (3, 4, 7), (1, 1, 1))),
    "steps": (one((9, 23)), boxed((1, 2), (4, 7), (2, 3))),
    "flip": (one((5, 37)), flipped),
    "spread": (one((3, 19), i32), spread),
    **{
        f"pad {name}": (one((3, 37), e), padded((1, 2), (0, 3), "constant", 1.0))
        for name, e in WIDTHS.items()
    },
}

PICKS: dict[str, tuple[list[Tensor], Body]] = {
    "embedding": (rows_and_indices((11, 37), (2, 5), f32, i64), picked(0)),
    "columns": (rows_and_indices((5, 13), (41,), f32, i64), picked(1)),
    "columns i32": (rows_and_indices((5, 13), (41,), f64, i32), picked(1)),
    "bytes": (rows_and_indices((3, 13), (77,), i8, i64), picked(1)),
    "halves": (rows_and_indices((3, 13), (77,), f16, i32), picked(1)),
    "bytes by i32": (rows_and_indices((3, 13), (77,), i1, i32), picked(1)),
    "narrow index": (rows_and_indices((3, 7), (5,), f32, i8), picked(1)),
    "middle": (rows_and_indices((2, 7, 3), (5,), i64, i32), picked(1)),
    "one row": (rows_and_indices((1, 4), (1,), f32, i64), picked(0)),
    "scalar": (rows_and_indices((6, 4), (), f32, i64), picked(0)),
}


def far_indices(kernel: KernelOp, arrays: list[Array]) -> list[Array]:
    """Indices before, inside and behind the axis that they pick from."""
    if len(arrays) != 2 or arrays[1].dtype.kind != "i":
        return arrays
    extent = max(arrays[0].shape)
    drawn = np.random.default_rng(3).integers(-3 * extent, 3 * extent, arrays[1].shape)
    return [arrays[0], drawn.astype(arrays[1].dtype)]


@pytest.mark.parametrize("style", STYLES)
@pytest.mark.parametrize(
    "kernels", [TRANSPOSITIONS, ROWS, PICKS], ids=["transpositions", "rows", "picks"]
)
def test_every_schedule_moves_every_bit(
    style: str, kernels: dict[str, tuple[list[Tensor], Body]]
) -> None:
    check_exactly(kernels, "move", style, far_indices)
