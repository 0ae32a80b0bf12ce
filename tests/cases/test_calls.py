"""What a call gives and changes: structures, aliases, strides, empty tensors."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from torch import Tensor, nn

import mbc
from tests.cases.case import WAYS, Case, as_module, check

NAN = float("nan")


def overwritten(x: Tensor) -> Tensor:
    x[:, 0] = 0
    return x * 2


def structured(x: Tensor) -> dict[str, Any]:
    y = x * 2
    return {"y": (y, None, y), "x": x, "c": torch.full((2,), 3.0), "i": 7}


def summed(a: Tensor, b: Tensor, c: Tensor) -> tuple[Tensor, ...]:
    return a.sum(1), (b + c).sum(-1), b.flip(-1)[:, ::2], a.reshape(-1)


class Tied(nn.Module):
    """Row 0 is padding: in inference a row like any other."""

    def __init__(self):
        super().__init__()
        self.table = nn.Embedding(4, 3, padding_idx=0)
        self.head = nn.Linear(3, 4, bias=False)
        self.head.weight = self.table.weight
        with torch.no_grad():
            self.table.weight.copy_(ROWS)

    def forward(self, ids: Tensor) -> Tensor:
        return self.head(self.table(ids))


class Empty(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(4, 2)

    def forward(self, x: Tensor, y: Tensor, e: Tensor) -> tuple[Tensor, ...]:
        return (
            *(x.sum(0), x.prod(0), x.mean(0), x.sum(1), self.linear(y)),
            torch.cat([x, torch.ones(1, 3)]),
            *(e.any(0), e.all(0)),
        )


ROWS = torch.arange(12.0).reshape(4, 3)
BASE = torch.arange(24.0).reshape(4, 6)

CASES = [
    Case(
        "the caller sees what is written into an input",
        overwritten,
        (torch.arange(6.0).reshape(2, 3),),
        (torch.tensor([[0.0, 2, 4], [0, 8, 10]]),),
        after=(torch.tensor([[0.0, 1, 2], [0, 4, 5]]),),
    ),
    Case(
        "written into an input that is transposed",
        overwritten,
        (torch.arange(6.0).reshape(3, 2).t(),),
        (torch.tensor([[0.0, 4, 8], [0, 6, 10]]),),
        after=(torch.tensor([[0.0, 2, 4], [0, 3, 5]]),),
    ),
    Case(
        "None, the same twice, an input, a constant and a number",
        structured,
        (torch.tensor([1.0, 2]),),
        (
            torch.tensor([2.0, 4]),
            None,
            torch.tensor([2.0, 4]),
            torch.tensor([1.0, 2]),
            torch.full((2,), 3.0),
            7,
        ),
    ),
    Case(
        "views as inputs",
        summed,
        (BASE.t()[1:3], BASE[:, 1::2], torch.tensor([[1.0]]).expand(4, 3)),
        (
            torch.tensor([40.0, 44]),
            torch.tensor([12.0, 30, 48, 66]),
            torch.tensor([[5.0, 1], [11, 7], [17, 13], [23, 19]]),
            torch.tensor([1.0, 7, 13, 19, 2, 8, 14, 20]),
        ),
    ),
    Case(
        "one weight under two names",
        Tied(),
        (torch.tensor([[0, 3]]),),
        ((ROWS[[0, 3]] @ ROWS.T).unsqueeze(0),),
        1e-6,
    ),
    Case(
        "axes without elements",
        Empty(),
        (torch.zeros(0, 3), torch.zeros(1, 0, 4), torch.zeros(0, 2, dtype=torch.bool)),
        (
            *(torch.zeros(3), torch.ones(3), torch.full((3,), NAN), torch.zeros(0)),
            *(torch.zeros(1, 0, 2), torch.ones(1, 3)),
            *(torch.tensor([False, False]), torch.tensor([True, True])),
        ),
    ),
]


@pytest.mark.parametrize("way", WAYS)
def test_calls(way: str):
    check(CASES, way)


def test_structures_come_back_as_they_were():
    """The case above compares leaves; this one the containers around them."""
    x = torch.tensor([1.0, 2])
    artifact = mbc.lower(mbc.import_model(as_module(structured), [x]), "opencl")
    found = artifact(x)
    assert list(found) == ["y", "x", "c", "i"]
    assert isinstance(found["y"], tuple)
    assert found["y"][0] is found["y"][2]
    assert found["x"] is x


def test_an_output_that_is_an_input_is_the_callers_own():
    def both(x: Tensor, y: Tensor) -> tuple[Tensor, ...]:
        x += 1
        return x, y, x * 2, y.reshape(2, 1)

    artifact = mbc.lower(
        mbc.import_model(as_module(both), [torch.ones(2), torch.ones(2)]), "opencl"
    )
    x, y = torch.arange(2.0), torch.ones(2)
    changed, same, doubled, other = artifact(x, y)
    assert changed is x
    assert same is y
    assert x.tolist() == [1, 2]
    assert doubled.tolist() == [2, 4]
    assert other.shape == (2, 1)


def test_a_tied_weight_is_stored_once():
    module = mbc.import_model(Tied(), [torch.tensor([[0, 3]])])
    assert [value.shape for value in module.parameters.values()] == [(4, 3)]
