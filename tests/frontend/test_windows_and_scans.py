"""Pools, scans and arg-reductions as PyTorch has them, at drawn forms and values."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch
import torch.nn.functional as F
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from torch import Tensor

from mbc.errors import UnsupportedModel
from tests.frontend.support import check

SPECIAL = (float("nan"), float("inf"), -float("inf"), 0.0, -0.0, 1.0, 2.0)
DRAWN = settings(
    max_examples=10,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much],
)


@st.composite
def tensors(draw: st.DrawFn, shape: tuple[int, ...]) -> Tensor:
    """Small numbers with ties; now and then NaN, infinities and signed zeros."""
    seed = draw(st.integers(0, 2**16))
    rng = np.random.default_rng(seed)
    values = rng.integers(-4, 5, shape).astype(np.float32) / 2
    if draw(st.booleans()):
        chosen = rng.choice(np.array(SPECIAL, np.float32), shape)
        values = np.where(rng.random(shape) < 0.15, chosen, values)
    return torch.from_numpy(np.asarray(values, np.float32))


@st.composite
def along_an_axis(draw: st.DrawFn) -> tuple[Tensor, int]:
    shape = tuple(draw(st.lists(st.integers(1, 6), min_size=0, max_size=4)))
    rank = max(len(shape), 1)
    return draw(tensors(shape)), draw(st.integers(-rank, rank - 1))


@given(along_an_axis())
@DRAWN
def test_scans_and_places(drawn: tuple[Tensor, int]):
    x, axis = drawn

    def function(x: Tensor) -> Any:
        return (
            *(x.cumsum(axis), x.cumprod(axis), x.logcumsumexp(axis)),
            *(x.cummax(axis), x.cummin(axis)),
            *(x.max(axis), x.min(axis, keepdim=True)),
            *(x.max(axis).values, x.min(axis).indices),
            *(x.argmax(axis), x.argmin(axis, keepdim=True), x.argmax()),
            *(torch.aminmax(x, dim=axis), torch.aminmax(x)),
        )

    check(function, x)


@st.composite
def windows(draw: st.DrawFn) -> tuple[Tensor, dict[str, Any]]:
    """A window of any form that PyTorch takes, and an input that it fits."""
    spatial = draw(st.integers(1, 3))
    axes = [st.integers(1, 3)] * spatial
    window = draw(st.tuples(*axes))
    dilation = draw(st.tuples(*[st.integers(1, 2)] * spatial))
    stride = draw(st.tuples(*axes))
    padding = tuple(draw(st.integers(0, k // 2)) for k in window)
    least = [d * (k - 1) + 1 for k, d in zip(window, dilation, strict=True)]
    extents = tuple(n + draw(st.integers(0, 5)) for n in least)
    lead = draw(st.sampled_from([(2,), (1, 2)]))
    given = {
        "kernel_size": window,
        "stride": stride,
        "padding": padding,
        "ceil_mode": draw(st.booleans()),
    }
    return draw(tensors((*lead, *extents))), given | {"dilation": dilation}


@given(windows(), st.booleans(), st.sampled_from([None, 3]))
@DRAWN
def test_windows(
    drawn: tuple[Tensor, dict[str, Any]], count_padding: bool, divisor: int | None
):
    x, form = drawn
    spatial = len(form["kernel_size"])
    average = {name: value for name, value in form.items() if name != "dilation"}
    average["count_include_pad"] = count_padding
    if spatial > 1:
        average["divisor_override"] = divisor
    maximum = getattr(F, f"max_pool{spatial}d")
    mean = getattr(F, f"avg_pool{spatial}d")

    def function(x: Tensor) -> Any:
        return (
            maximum(x, **form),
            maximum(x, **form, return_indices=True),
            mean(x, **average),
        )

    check(function, x)


@pytest.mark.parametrize("spatial", [1, 2, 3])
def test_adaptive_windows(spatial: int):
    """All alike, overlapping, larger than the input, and one for all."""
    generator = torch.Generator().manual_seed(0)
    x = torch.randn((1, 2, *(7, 6, 5)[:spatial]), generator=generator)
    maximum = getattr(F, f"adaptive_max_pool{spatial}d")
    mean = getattr(F, f"adaptive_avg_pool{spatial}d")
    sizes = [(7, 3, 5), (3, 4, 2), (9, 6, 1), (1, 1, 1)]

    def function(x: Tensor) -> Any:
        shapes = [size[:spatial] for size in sizes]
        made = [f(x, shape) for shape in shapes for f in (maximum, mean)]
        even = maximum(x, sizes[0][:spatial], return_indices=True)
        return (*made, even)

    check(function, x)


def test_power_averages():
    x = torch.randn((1, 2, 8, 9), generator=torch.Generator().manual_seed(0))
    check(lambda x: (F.lp_pool2d(x, 2, 3, 2), F.lp_pool1d(x[0], 3.0, 2)), x)


def test_dtypes():
    """Integers sum in int64; extrema and places keep theirs; 16 bits are floats too."""
    ints = torch.tensor([[3, 250, 250], [7, 0, 9]])
    narrow = torch.tensor([[0.5, 2.0, 2.0], [-1.0, 4.0, 3.0]], dtype=torch.bfloat16)

    def function(i: Tensor, u: Tensor, b: Tensor, n: Tensor) -> Any:
        return (
            *(u.cumsum(1), b.cumsum(1), i.cumprod(0), n.cumsum(1)),
            *(u.cummax(1), b.cummin(1), i.cummax(0), n.cummin(1)),
            *(u.max(1), b.min(1), i.argmin(0), u.argmax(1), n.max(0), n.argmax()),
            *(torch.aminmax(u), i.cumsum(1, dtype=torch.float32)),
        )

    check(function, ints, ints.to(torch.uint8), ints > 5, narrow, float64=False)


def test_rows_without_elements():
    x = torch.zeros(2, 0, 3)
    check(lambda x: (x.cumsum(1), x.cumprod(0), x.cummax(1), x.logcumsumexp(1)), x)


@pytest.mark.parametrize(
    ("name", "function"),
    [
        ("median", lambda x: x.median(1)),
        ("mode", lambda x: x.mode(1)),
        (
            "adaptive_max_pool2d",
            lambda x: F.adaptive_max_pool2d(x[None], (2, 3), return_indices=True),
        ),
    ],
)
def test_what_is_refused_by_name(name: str, function: Any):
    with pytest.raises(UnsupportedModel, match=name):
        check(function, torch.zeros(3, 5, 5))
