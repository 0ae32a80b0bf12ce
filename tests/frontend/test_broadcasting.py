"""Broadcasting of drawn shapes, against eager PyTorch."""

import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.frontend.support import check
from tests.frontend.tables import (
    floats,
)

EXTENT = st.sampled_from([1, 2, 3])
SHAPES = st.lists(EXTENT, min_size=0, max_size=3).map(tuple)


@st.composite
def broadcastable(draw: st.DrawFn) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Two shapes that broadcast: either may have ones or fewer axes."""
    shape = draw(SHAPES)
    ones = [draw(st.sampled_from([0, 1, 2])) for _ in shape]
    first = tuple(1 if o == 1 else n for n, o in zip(shape, ones, strict=True))
    second = tuple(1 if o == 2 else n for n, o in zip(shape, ones, strict=True))
    return first, second[draw(st.integers(0, len(second))) :]


@settings(max_examples=4, deadline=None)
@given(broadcastable())
def test_broadcasting(shapes: tuple[tuple[int, ...], tuple[int, ...]]):
    a, b = (floats(*shape) for shape in shapes)
    check(lambda a, b: torch.where(a > b, a * b, b - a), a, b)


@settings(max_examples=4, deadline=None)
@given(broadcastable(), EXTENT, EXTENT, EXTENT)
def test_matmul_broadcasting(
    shapes: tuple[tuple[int, ...], tuple[int, ...]], m: int, k: int, n: int
):
    a, b = floats(*shapes[0], m, k), floats(*shapes[1], k, n)
    check(torch.matmul, a, b)
