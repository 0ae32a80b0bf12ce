"""Resampling, borders, orders and writes by index, against eager PyTorch."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest
import torch
import torch.nn.functional as F
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor

from mbc.errors import UnsupportedModel
from mbc.frontend.torch_export import import_model
from tests.frontend.support import Function, check, run

FEW = settings(max_examples=8, deadline=None)
nan = float("nan")


def floats(*shape: int) -> Tensor:
    return torch.randn(shape, generator=torch.Generator().manual_seed(0))


extents = st.integers(1, 6)
sizes = st.integers(1, 13)


@FEW
@given(st.lists(st.tuples(extents, sizes), min_size=1, max_size=3), st.booleans())
def test_nearest_reads_the_same_elements(axes: list[tuple[int, int]], exact: bool):
    shape, size = [n for n, _ in axes], [n for _, n in axes]
    mode = "nearest-exact" if exact else "nearest"
    check(lambda x: F.interpolate(x, size=size, mode=mode), floats(1, 2, *shape))


@pytest.mark.parametrize("size", [7, 11, 27, 70, 100])
def test_nearest_rounds_its_step_as_torch_does(size: int):
    x = torch.arange(10.0).reshape(1, 1, 10)
    check(lambda x: F.interpolate(x, size=size, mode="nearest"), x)


@FEW
@given(
    st.lists(st.tuples(extents, sizes), min_size=1, max_size=3),
    st.booleans(),
)
def test_linear_in_one_to_three_axes(axes: list[tuple[int, int]], corners: bool):
    shape, size = [n for n, _ in axes], [n for _, n in axes]
    mode = {1: "linear", 2: "bilinear", 3: "trilinear"}[len(axes)]

    def resized(x: Tensor) -> Tensor:
        return F.interpolate(x, size=size, mode=mode, align_corners=corners)

    check(resized, floats(1, 2, *shape), float64=False)


@FEW
@given(extents, extents, sizes, sizes, st.booleans())
def test_cubic(rows: int, columns: int, height: int, width: int, corners: bool):
    def resized(x: Tensor) -> Tensor:
        size = (height, width)
        return F.interpolate(x, size=size, mode="bicubic", align_corners=corners)

    check(resized, floats(1, 2, rows, columns), float64=False)


@pytest.mark.parametrize("mode", ["nearest", "bilinear", "bicubic"])
@pytest.mark.parametrize("factor", [2.0, 0.5, 1.5])
def test_scale_factors(mode: str, factor: float):
    check(
        lambda x: F.interpolate(x, scale_factor=factor, mode=mode), floats(1, 2, 6, 4)
    )


@FEW
@given(
    st.sampled_from(["reflect", "replicate", "circular"]),
    st.lists(st.integers(-1, 2), min_size=4, max_size=4),
)
def test_borders(mode: str, amounts: list[int]):
    if mode == "circular":
        amounts = [max(amount, 0) for amount in amounts]
    check(lambda x: F.pad(x, amounts, mode=mode), floats(1, 2, 5, 4))


def test_integers_can_be_padded_and_sorted():
    x = torch.tensor([[3, -7, 3, 250]])
    check(lambda x: (torch.sort(x), torch.sort(x.to(torch.uint8))), x)


@FEW
@given(
    st.lists(st.sampled_from([nan, -1.0, -0.0, 0.0, 2.0, float("inf")]), min_size=1),
    st.booleans(),
)
def test_stable_sort_with_ties_and_nan(values: list[float], descending: bool):
    x = torch.tensor(values)
    check(lambda x: torch.sort(x, stable=True, descending=descending), x)


@pytest.mark.parametrize("axis", [0, 1, -1])
def test_sort_along_any_axis(axis: int):
    x = floats(3, 5, 4)
    check(lambda x: (torch.sort(x, axis), torch.argsort(x, axis, True)), x)
    check(lambda x: torch.topk(x, 3, axis), x)
    check(lambda x: torch.topk(x, 2, axis, largest=False), x)
    check(lambda x: torch.kthvalue(x, 2, axis), x)


def test_a_scalar_is_in_order():
    check(lambda x: torch.sort(x), floats())


INDEX = torch.tensor([0, 2, -1])
PLACES = torch.tensor([[0, 4, 1, 1], [2, 2, 3, 0]])


def assigned(x: Tensor, at: Tensor) -> Tensor:
    y = x.clone()
    y[:, at] = 2.0
    y[at, at] += 1.0
    return y


WRITES: dict[str, tuple[Callable[..., Any], Sequence[Tensor]]] = {
    "assigned": (assigned, (floats(5, 5), INDEX)),
    "accumulated": (
        lambda x, at: x.index_put((at,), x[:4], accumulate=True),
        (floats(5, 3), torch.tensor([1, 1, 4, 1])),
    ),
    "index_add": (
        lambda x, at: x.index_add(1, at.abs(), x[:, :3]),
        (floats(2, 5), INDEX),
    ),
    "index_copy": (
        lambda x, at: x.index_copy(0, at, x[1:3]),
        (floats(4, 3), torch.tensor([3, 0])),
    ),
    "index_fill": (lambda x, at: x.index_fill(1, at, 7.0), (floats(3, 4), INDEX)),
    "scatter_add": (
        lambda x, at: x.scatter_add(1, at, x[:, :4]),
        (floats(2, 5), PLACES),
    ),
    "scatter": (
        lambda x, at: x.scatter(0, at, x[:1]),
        (floats(3, 4), torch.tensor([[2, 0, 1, 1]])),
    ),
    "scatter of a value": (lambda x, at: x.scatter(1, at, 5.0), (floats(2, 5), PLACES)),
    "scatter_reduce": (
        lambda x, at: [
            x.scatter_reduce(1, at, x[:, :4], kind) for kind in ("sum", "amax", "amin")
        ],
        (floats(2, 5), PLACES),
    ),
    "booleans": (
        lambda x, at: (x > 0).index_put((at,), x[:3] > 1, accumulate=True),
        (floats(4, 3), torch.tensor([1, 1, 2])),
    ),
}


@pytest.mark.parametrize("name", WRITES)
def test_writes_at_indices(name: str):
    function, inputs = WRITES[name]
    check(function, *inputs)


def test_of_values_that_meet_the_last_one_stays():
    def write(x: Tensor, at: Tensor, values: Tensor) -> Tensor:
        return x.index_put((at,), values)

    inputs = (torch.zeros(3), torch.tensor([1, 1, 1]), torch.tensor([4.0, 5.0, 6.0]))
    found, _ = run(import_model(Function(write).eval(), inputs), inputs)
    np.testing.assert_array_equal(found, [0, 6, 0])


def test_a_mean_of_what_is_scattered_is_refused():
    def mean(x: Tensor, at: Tensor) -> Tensor:
        return x.scatter_reduce(1, at, x[:, :4], "mean")

    with pytest.raises(UnsupportedModel, match="reduction 'mean'"):
        import_model(Function(mean).eval(), (floats(2, 5), PLACES))


@pytest.mark.parametrize(
    ("bins", "low", "high"), [(4, 0, 3), (7, -1.5, 2.25), (1, 0, 1)]
)
def test_histograms(bins: int, low: float, high: float):
    x = 2 * floats(5, 9)
    x[0, :6] = torch.tensor([low, high, nan, 1.0, 2.0, -float("inf")])
    check(lambda x: torch.histc(x, bins, low, high), x)


def test_a_histogram_between_unknown_ends_is_refused():
    with pytest.raises(UnsupportedModel, match="the least and the greatest"):
        import_model(Function(lambda x: torch.histc(x, 3)), [floats(4)])


@torch.library.custom_op("transformers::grouped_mm_fallback", mutates_args=())
def grouped_product(rows: Tensor, weights: Tensor, ends: Tensor) -> Tensor:
    """As the library of that name defines it: rows of a group by the group's matrix."""
    out = rows.new_zeros(len(rows), weights.shape[2])
    start = 0
    for weight, end in zip(weights, ends.tolist(), strict=True):
        out[start:end] = rows[start:end] @ weight
        start = end
    return out


@grouped_product.register_fake
def _(rows: Tensor, weights: Tensor, ends: Tensor) -> Tensor:
    return rows.new_empty(len(rows), weights.shape[2])


@pytest.mark.parametrize("ends", [[0, 3, 3, 9], [9, 9, 9, 9], [2, 2, 5, 7]])
def test_products_of_rows_in_groups(ends: list[int]):
    """Groups without a row, and rows behind the last group, whose weights are NaN."""
    weights = floats(4, 5, 3)
    weights[[a == b for a, b in zip([0, *ends], ends, strict=False)]] = nan
    offsets = torch.tensor(ends, dtype=torch.int32)
    check(lambda *given: grouped_product(*given), floats(9, 5), weights, offsets)
