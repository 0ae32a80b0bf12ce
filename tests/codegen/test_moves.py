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

from mbc.codegen.targets import target_named
from mbc.ir import build
from mbc.ir.kernel import KernelOp
from mbc.ir.ops.scatter import ScatterOp
from mbc.ir.tensor_op import TensorOp
from mbc.ir.types import Array, Tensor, element_of, shape_of, tensor
from mbc.runtime.bound import Agreement, compare, expected_results
from mbc.runtime.outcome import Completed
from tests.codegen.exact import (
    STYLES,
    Body,
    available_runner,
    check_exactly,
    every_schedule,
)
from tests.codegen.nest_programs import arguments_of, program_of
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


def in_panels(axis: int, tile: int) -> Body:
    return lambda x: named("pack", x, axis=axis, tile=tile)


def out_of_panels(axis: int, size: int) -> Body:
    return lambda x: named("unpack", x, axis=axis, size=size)


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

PANELS: dict[str, tuple[list[Tensor], Body]] = {
    "pack": (one((43, 31)), in_panels(0, 16)),
    "pack whole": (one((48, 31)), in_panels(0, 16)),
    "pack halves": (one((2, 37, 13), f16), in_panels(1, 8)),
    "pack words": (one((3, 41, 16), i32), in_panels(1, 24)),
    "pack one": (one((5, 7)), in_panels(0, 8)),
    "unpack": (one((3, 31, 16)), out_of_panels(0, 43)),
    "unpack whole": (one((3, 31, 16)), out_of_panels(0, 48)),
    "unpack middle": (one((5, 2, 13, 8), i8), out_of_panels(1, 37)),
}
"""Turned like matrices."""

LANES: dict[str, tuple[list[Tensor], Body]] = {
    "pack last": (one((3, 5, 37)), in_panels(2, 8)),
    "pack short": (one((5, 7), i16), in_panels(1, 16)),
    "pack singles": (one((5, 7)), in_panels(0, 1)),
    "pack last whole": (one((5, 24), f64), in_panels(1, 8)),
    "unpack last": (one((5, 3, 8)), out_of_panels(1, 37)),
    "unpack short": (one((1, 5, 16), i16), out_of_panels(1, 7)),
}
"""Moved as rows."""

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


def scattered(axis: int, kind: str) -> Body:
    return lambda x, at, new: named("scatter", x, at, new, axis=axis, kind=kind)


def updated(
    shape: Sequence[int],
    axis: int,
    picks: Sequence[int],
    element: Attribute = f32,
    index: Attribute = i64,
) -> list[Tensor]:
    updates = (*shape[:axis], *picks, *shape[axis + 1 :])
    return [tensor(shape, element), tensor(picks, index), tensor(updates, element)]


KINDS = ("set", "add", "mul", "max", "min")

SCATTERS: dict[str, tuple[list[Tensor], Body]] = {
    **{f"{k} rows": (updated((11, 37), 0, (23,)), scattered(0, k)) for k in KINDS},
    **{f"{k} one": (updated((7,), 0, (301,)), scattered(0, k)) for k in KINDS},
    **{
        f"{k} {name}": (updated((3, 5, 13), 1, (2, 9), e, i32), scattered(1, k))
        for k in KINDS
        for name, e in {"f16": f16, "bf16": bf16, "i8": i8, "i64": i64}.items()
        if k not in ("add", "mul") or name.startswith("i")
    },
    "many": (updated((2, 700), 1, (1000,), i32), scattered(1, "add")),
    "long rows": (updated((3, 600), 0, (7,), f64), scattered(0, "add")),
    "booleans": (updated((5, 6), 0, (9,), i1), scattered(0, "set")),
    "last i16": (updated((5, 6), 1, (9,), i16, i8), scattered(1, "max")),
    "single": (updated((1, 1), 0, (1,)), scattered(0, "add")),
}


def wild_updates(kernel: KernelOp, arrays: list[Array]) -> list[Array]:
    """Repeated places, some outside; floats that are not numbers, and extremes."""
    x, at, new = arrays
    (op,) = (op for op in kernel.ops() if isinstance(op, ScatterOp))
    extent, rng = x.shape[op.int_of("axis")], np.random.default_rng(3)
    drawn = rng.integers(-extent - 2, extent + 2, at.shape).astype(at.dtype)
    if new.dtype.kind in "fV":
        new = (new.astype(np.float32) + 0.125).astype(new.dtype)
        new.flat[:: max(7, new.size // 5)] = np.nan
        new.flat[1 :: max(11, new.size // 5)] = np.inf
    elif new.dtype.kind == "i":
        limits = np.iinfo(new.dtype)
        new = rng.integers(limits.min, limits.max, new.shape, new.dtype, True)
    return [x, drawn, new]


@pytest.mark.parametrize("style", STYLES)
def test_updates_are_taken_in_order(style: str) -> None:
    check_exactly(SCATTERS, "move", style, wild_updates)


ROUNDED: dict[str, tuple[list[Tensor], Body]] = {
    f"{k} {e}": (updated((3, 5, 13), 1, (2, 9), e, i32), scattered(1, k))
    for k in ("add", "mul")
    for e in (f16, bf16)
}
"""Where results are rounded: after each update or, as the reference has it, once."""


@pytest.mark.parametrize("style", STYLES)
def test_short_floats_are_within_the_bound(style: str) -> None:
    name, options = STYLES[style]
    target = target_named(name, options)
    cases = every_schedule(ROUNDED, "move", target)
    arguments = arguments_of([(code.label, kernel) for _, kernel, code in cases])
    with available_runner(name) as runner:
        program = program_of([code for _, _, code in cases], target)
        outcome = runner.run(program, arguments)
    assert isinstance(outcome, Completed), outcome
    for title, kernel, code in cases:
        given = [arguments[f"{code.label}_a{i}"] for i in range(3)]
        found = [outcome.outputs[f"{code.label}_r0"]]
        verdict = compare(expected_results(kernel, given), found)
        assert isinstance(verdict, Agreement), f"{title}: {verdict}"


def far_indices(kernel: KernelOp, arrays: list[Array]) -> list[Array]:
    """Indices before, inside and behind the axis that they pick from."""
    if len(arrays) != 2 or arrays[1].dtype.kind != "i":
        return arrays
    extent = max(arrays[0].shape)
    drawn = np.random.default_rng(3).integers(-3 * extent, 3 * extent, arrays[1].shape)
    return [arrays[0], drawn.astype(arrays[1].dtype)]


@pytest.mark.parametrize("style", STYLES)
@pytest.mark.parametrize(
    "kernels",
    [TRANSPOSITIONS, PANELS, LANES, ROWS, PICKS],
    ids=["transpositions", "panels", "lanes", "rows", "picks"],
)
def test_every_schedule_moves_every_bit(
    style: str, kernels: dict[str, tuple[list[Tensor], Body]]
) -> None:
    check_exactly(kernels, "move", style, far_indices)
