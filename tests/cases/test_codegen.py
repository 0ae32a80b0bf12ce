"""Texts that are easily written wrong: tails, literals, masks, sizes and indices."""

from __future__ import annotations

import math

import pytest
import torch
from torch import Tensor, nn

import mbc
from mbc.errors import UnsupportedModel
from tests.cases.case import WAYS, Case, as_module, check

INF, NAN = math.inf, math.nan
LENGTHS = (1, 7, 8, 9, 33, 1000)
PRIME = 1_000_003
LITERALS = (INF, -INF, NAN, -0.0, 1e-45, 3.4028234663852886e38, 0.1, 16777217.0)


def sums(*rows: Tensor) -> tuple[Tensor, ...]:
    part = rows[-1][:37]
    return (*(row.sum() for row in rows), torch.dot(part, part))


class Literals(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("values", torch.tensor(LITERALS))

    def forward(self, x: Tensor, mask: Tensor) -> tuple[Tensor, ...]:
        written = [torch.full((1,), value) for value in LITERALS]
        # Each in an expression of its own, so that every one is a literal.
        chosen = [torch.where(mask[:1, 0], one, x[0, 0]) for one in LITERALS]
        return (
            x.masked_fill(mask, -INF).amax(-1),
            self.values * 1.0,
            torch.cat(written),
            torch.cat(chosen),
        )


def among_nan(rows: int, columns: int, step: int) -> Tensor:
    """A matrix of small integers whose neighbours in memory are NaN."""
    whole = torch.full((rows + 3, columns + 3), NAN)
    values = (torch.arange(rows * columns) * step % 7).float()
    whole[:rows, :columns] = values.reshape(rows, columns)
    return whole[:rows, :columns]


def product(a: Tensor, b: Tensor) -> Tensor:
    """Exact, element by element."""
    rows, columns = a.tolist(), b.t().tolist()
    return torch.tensor(
        [[sum(map(float.__mul__, r, c)) for c in columns] for r in rows]
    )


def masked(m: Tensor, x: Tensor) -> tuple[Tensor, ...]:
    return torch.where(m, x, -x), m ^ ~m, m & m.flip(0), x * m, m.float().sum()


A, B = among_nan(7, 11, 3), among_nan(11, 5, 5)
TRUE = torch.tensor([True, False, True])

CASES = [
    Case(
        "sums of every length",
        sums,
        tuple(torch.arange(1.0, n + 1) for n in LENGTHS),
        (
            *(torch.tensor(n * (n + 1) / 2) for n in LENGTHS),
            torch.tensor(37 * 38 * 75 / 6),
        ),
    ),
    Case(
        "literals",
        Literals(),
        (torch.tensor([[1.0, 2], [3, 4]]), torch.tensor([[True, True], [False, True]])),
        (torch.tensor([-INF, 3.0]), *[torch.tensor(LITERALS)] * 3),
    ),
    Case(
        "as many elements as no group divides",
        lambda x: x * 2 + 1,
        (torch.arange(PRIME, dtype=torch.int32),),
        (torch.arange(1, 2 * PRIME + 1, 2, dtype=torch.int32),),
    ),
    Case(
        "products of odd sizes",
        lambda a, b, c, d: (a @ b, c @ d),
        (A, B, torch.tensor([[2.0]]), torch.tensor([[3.0]])),
        (product(A, B), torch.tensor([[6.0]])),
    ),
    Case(
        "masks",
        masked,
        (TRUE, torch.tensor([1.0, NAN, 3])),
        (
            torch.tensor([1, NAN, 3]),
            torch.tensor([True] * 3),
            TRUE,
            torch.tensor([1, NAN, 3]),
            torch.tensor(2.0),
        ),
    ),
]


@pytest.mark.parametrize("way", WAYS)
def test_texts(way: str):
    check(CASES, way)


def test_what_a_mask_picks_is_refused_in_one_sentence():
    """Values are right where their number is known before the model runs."""
    with pytest.raises(
        UnsupportedModel, match="the size of its result depends on data"
    ):
        mbc.import_model(as_module(lambda x, m: x[m]), [torch.ones(3), TRUE])


def far(x: Tensor) -> tuple[Tensor, Tensor]:
    """Elements beyond 2**31 of a tensor that is nowhere in memory."""
    big = x.expand(65536, 40000)
    return big[-1, -3:] + 1, torch.tensor(big.numel())


FAR = Case(
    "an index beyond 31 bits",
    far,
    (torch.tensor([[4.0]]),),
    (torch.full((3,), 5.0), torch.tensor(2621440000)),
)


@pytest.mark.parametrize("way", WAYS)
def test_views_of_views_take_no_memory(way: str):
    check([FAR], way)
