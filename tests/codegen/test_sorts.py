"""Rows in order, with ties, NaN and both zeros, of every width on all targets."""

from __future__ import annotations

import numpy as np
import pytest
from xdsl.dialects.builtin import bf16, f16, f32, f64, i1, i8, i16, i32, i64
from xdsl.ir import Attribute, SSAValue

from mbc.ir.kernel import KernelOp
from mbc.ir.ops import op_class
from mbc.ir.types import Array, Tensor, tensor
from tests.codegen.exact import STYLES, Body, check_exactly

SPECIAL = (np.nan, -np.nan, np.inf, -np.inf, 0.0, -0.0, 1e-40, -1e-40)


def order(
    axis: int, count: int, descending: bool = False, unsigned: bool = False
) -> Body:
    def body(x: SSAValue) -> list[SSAValue]:
        op = op_class("mbc.sort").of(
            [x], axis=axis, count=count, descending=descending, unsigned=unsigned
        )
        return list(op.results)

    return body


def swapped(x: SSAValue) -> list[SSAValue]:
    """Places first."""
    return order(0, 7)(x)[::-1]


def one(shape: tuple[int, ...], element: Attribute = f32) -> list[Tensor]:
    return [tensor(shape, element)]


SORTS: dict[str, tuple[list[Tensor], Body]] = {
    "rows": (one((5, 37)), order(1, 37)),
    "columns": (one((3, 64, 2)), order(1, 64, True)),
    "one": (one((4, 1)), order(1, 1)),
    "two": (one((4, 2)), order(1, 2, True)),
    "best": (one((3, 101)), order(1, 5, True)),
    "least few": (one((3, 301)), order(1, 7)),
    "best of many": (one((2, 1000)), order(1, 3, True)),
    "least": (one((101, 3)), order(0, 1)),
    "most": (one((2, 70)), order(1, 60)),
    "long": (one((2, 2500)), order(1, 2500, True)),
    "longest": (one((2, 2500)), order(1, 9, True)),
    "swapped": (one((13,)), swapped),
    "f16": (one((2, 33), f16), order(1, 33)),
    "bf16": (one((2, 33), bf16), order(1, 33, True)),
    "i32": (one((2, 33), i32), order(1, 33, True)),
    "u32": (one((2, 33), i32), order(1, 33, False, True)),
    "i16": (one((2, 33), i16), order(1, 33)),
    "u8": (one((2, 33), i8), order(1, 33, True, True)),
    "i1": (one((2, 33), i1), order(1, 33, True)),
    "f64": (one((3, 37), f64), order(1, 37)),
    "f64 down": (one((3, 64, 2), f64), order(1, 64, True)),
    "f64 best": (one((2, 301), f64), order(1, 5, True)),
    "f64 long": (one((2, 2500), f64), order(1, 2500)),
    "f64 one": (one((1,), f64), order(0, 1)),
    "i64": (one((2, 33), i64), order(1, 33, True)),
    "i64 least": (one((101, 3), i64), order(0, 4)),
    "u64": (one((2, 70), i64), order(1, 60, False, True)),
    "u64 down": (one((2, 2100), i64), order(1, 2100, True, True)),
}


def with_special(kernel: KernelOp, arrays: list[Array]) -> list[Array]:
    """Many ties; of floats also what is no number, and of integers the extremes."""
    (array,) = arrays
    rng = np.random.default_rng(5)
    if array.dtype == np.bool_:
        return arrays
    if array.dtype.kind == "i":
        limits = np.iinfo(array.dtype)
        edges = (limits.min, limits.max, -1, 0, 1)
    else:
        edges = SPECIAL
        array = np.round(array.astype(np.float32)).astype(array.dtype)
    chosen = rng.integers(0, len(edges), array.shape)
    drawn = np.asarray(edges)[chosen].astype(array.dtype)
    return [np.where(rng.integers(0, 2, array.shape) == 1, drawn, array)]


@pytest.mark.parametrize("style", STYLES)
def test_every_schedule_sorts_stably(style: str) -> None:
    check_exactly(SORTS, "sort", style, with_special)
