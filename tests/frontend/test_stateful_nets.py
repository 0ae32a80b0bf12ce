"""Networks that change their state or draw, small: results and updates agree.

Compared within the bound, in both precisions, with PyTorch's own draws.
"""

from collections.abc import Callable
from typing import Any

import pytest
import torch
import torch.nn.functional as F
from torch import Tensor, nn

from mbc.api.agreement import Equal, agreement
from mbc.frontend.torch_export import import_model
from tests.frontend.support import assert_reads_back
from tests.frontend.tables import floats


class Cache(nn.Module):
    """A decoder's keys and values in buffers, which every call writes one row of."""

    def __init__(self):
        super().__init__()
        self.project = nn.Linear(6, 18)
        self.register_buffer("keys", torch.zeros(2, 4, 6), persistent=False)
        self.register_buffer("values", torch.zeros(2, 4, 6), persistent=False)

    def forward(self, x: Tensor, place: Tensor) -> Tensor:
        q, k, v = self.project(x).chunk(3, -1)
        self.keys.index_copy_(1, place, k)
        self.values[:, place] = v
        seen = torch.arange(4) <= place
        return F.scaled_dot_product_attention(q, self.keys, self.values, seen)


class Ring(nn.Module):
    """The last inputs, the oldest dropped; a count of calls."""

    def __init__(self):
        super().__init__()
        self.register_buffer("last", torch.zeros(2, 3, 5))
        self.register_buffer("calls", torch.tensor(0))

    def forward(self, x: Tensor) -> Tensor:
        self.last.copy_(torch.cat([self.last[:, :, 1:], x], -1))
        self.calls.add_(1)
        return self.last.mean(-1) / self.calls


class Averaged(nn.Module):
    """A moving average that is assigned anew, and read before and behind that."""

    def __init__(self):
        super().__init__()
        self.register_buffer("mean", torch.ones(3))

    def forward(self, x: Tensor) -> tuple[Tensor, Tensor]:
        before = self.mean * 2
        self.mean = 0.9 * self.mean + 0.1 * x.mean(0)
        return before, x - self.mean


class Writes(nn.Module):
    """Writes into an input, through a view of a view of it."""

    def forward(self, x: Tensor) -> Tensor:
        x.view(4, 3)[1:3].mul_(2)
        x[..., 0].add_(1).clamp_(max=0.5)
        return x.sum(-1)


class Steps(nn.Module):
    """A cell in a Python loop; its last state is kept for the next call."""

    def __init__(self):
        super().__init__()
        self.cell = nn.GRUCell(3, 4)
        self.register_buffer("state", torch.zeros(2, 4))

    def forward(self, x: Tensor) -> Tensor:
        state, found = self.state, list[Tensor]()
        for step in range(x.shape[1]):
            state = self.cell(x[:, step], state)
            found.append(state)
        self.state.copy_(state)
        return torch.stack(found, 1)


class Spectral(nn.Module):
    """A weight that is divided by its norm in every call."""

    def __init__(self):
        super().__init__()
        self.layer = nn.utils.parametrizations.weight_norm(nn.Linear(3, 4))

    def forward(self, x: Tensor) -> Tensor:
        return self.layer(x)


class Depth(nn.Module):
    """A residual that is dropped by chance (drop path), at a rate of `linspace`."""

    def __init__(self):
        super().__init__()
        self.rates = [rate.item() for rate in torch.linspace(0, 0.5, 3)]

    def forward(self, x: Tensor) -> Tensor:
        for rate in self.rates[1:]:
            kept = x.new_empty(len(x), 1, 1).bernoulli_(1 - rate).div_(1 - rate)
            x = x + torch.tanh(x) * kept
        return x


class Noisy(nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        noise = torch.randn_like(x) * x.std() + torch.rand(x.shape[1:])
        return F.dropout(x + noise, 0.3, training=True)


ROWS, IMAGE = (floats(6, 3),), (floats(4, 3, 5, 2),)
MODELS: dict[str, tuple[Callable[[], nn.Module], tuple[Any, ...]]] = {
    "cache": (Cache, (floats(2, 1, 6), torch.tensor([2]))),
    "ring": (Ring, (floats(2, 3, 1),)),
    "averaged": (Averaged, ROWS),
    "writes": (Writes, (floats(2, 2, 3),)),
    "steps": (Steps, (floats(2, 5, 3),)),
    "weight norm": (Spectral, ROWS),
    "drop path": (Depth, (floats(5, 2, 3),)),
    "noisy": (Noisy, (floats(3, 4),)),
    "batch norm": (lambda: nn.BatchNorm2d(3), IMAGE),
    "batch norm of rows": (lambda: nn.BatchNorm1d(3, affine=False), ROWS),
    "without statistics": (
        lambda: nn.BatchNorm2d(3, track_running_stats=False),
        IMAGE,
    ),
    "tracked instances": (
        lambda: nn.InstanceNorm2d(3, affine=True, track_running_stats=True),
        IMAGE,
    ),
    "dropped channels": (lambda: nn.Dropout2d(0.4), IMAGE),
    "training": (
        lambda: nn.Sequential(
            *(nn.Conv2d(3, 4, 3, padding=1), nn.BatchNorm2d(4), nn.ReLU(inplace=True)),
            *(nn.Dropout(0.2, inplace=True), nn.Flatten(), nn.Linear(40, 3)),
        ),
        IMAGE,
    ),
}


@pytest.mark.parametrize("name", MODELS)
def test_results_and_updates_are_those_of_pytorch(name: str):
    make, inputs = MODELS[name]
    torch.manual_seed(0)
    model = make().train()
    imported = import_model(model, inputs)
    assert_reads_back(imported)
    found = agreement(model, inputs, imported)
    assert isinstance(found, Equal), found
