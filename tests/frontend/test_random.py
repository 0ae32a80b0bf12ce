"""Random draws: the same numbers for the same seed, others in the next call."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor, nn

from mbc.frontend.imported import ImportedModel
from mbc.frontend.torch_export import import_model
from mbc.ir.ops.random import philox, uniform
from tests.frontend.support import Function, run

N = 4000
X = torch.randn(N, generator=torch.Generator().manual_seed(1))


def imported(function: Callable[[Tensor], Any]) -> ImportedModel:
    model = import_model(Function(function).eval(), (X,))
    model.module.verify()
    return model


def drawn(function: Callable[[Tensor], Any]) -> Any:
    found, updates = run(imported(function), (X,))
    assert updates["mbc_seed"] == 1
    return found


def test_known_answers_of_the_generator():
    """Of the generator's authors, for a counter and a key of zeros."""
    words = [int(word[0]) for word in philox(0, 0, 1)]
    assert words == [0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8]


def test_draws_are_those_of_the_generator():
    found = drawn(lambda x: (torch.rand_like(x), x + torch.rand(N)))
    for stream, values in enumerate((found[0], found[1] - X.numpy())):
        wanted = uniform(philox(0, stream, N)[0], 24)
        np.testing.assert_allclose(values, wanted, atol=1e-6)


def test_a_new_call_draws_others_and_the_seed_fixes_them():
    model = imported(torch.rand_like)
    first, updates = run(model, (X,))
    again, _ = run(model, (X,))
    model.parameters["mbc_seed"] = updates["mbc_seed"]
    later, _ = run(model, (X,))
    np.testing.assert_array_equal(first, again)
    assert np.mean(first == later) < 0.01


def test_moments():
    found = drawn(lambda x: (torch.rand_like(x), torch.randn_like(x), torch.randn(N)))
    assert abs(found[0].mean() - 0.5) < 0.03
    assert abs(found[0].var() - 1 / 12) < 0.01
    for normal in found[1:]:
        assert abs(normal.mean()) < 0.08
        assert abs(normal.var() - 1) < 0.1
    assert abs(np.corrcoef(found[1], found[2])[0, 1]) < 0.08


def test_dropout_multiplies_by_a_mask():
    layer = nn.Dropout(0.3)
    model = import_model(layer, (X,))
    found, _ = run(model, (X,))
    kept = uniform(philox(0, 0, N)[0], 24) >= 0.3
    np.testing.assert_allclose(found, np.where(kept, X.numpy() / 0.7, 0), rtol=1e-6)
    assert model.warnings[0] == "the model: Dropout is in training mode"
    assert "mbc_seed" in model.warnings[1]


def test_channels_and_chances():
    def function(x: Tensor) -> Any:
        image = x.reshape(2, 500, 2, 2)
        return F.dropout2d(image, 0.5, training=True), torch.bernoulli(x, 0.2)

    channels, chances = drawn(function)
    alive = (channels != 0).reshape(2, 500, 4)
    assert (alive.all(2) == alive.any(2)).all()
    assert 0.4 < alive.mean() < 0.6
    assert set(np.unique(chances)) == {0.0, 1.0}
    assert 0.15 < chances.mean() < 0.25


def test_integers_and_permutations():
    found = drawn(lambda x: (torch.randint(-3, 4, (N,)), torch.randperm(N), x + 1))
    assert set(np.unique(found[0])) == set(range(-3, 4))
    np.testing.assert_array_equal(np.sort(found[1]), np.arange(N))
    assert (found[1] != np.arange(N)).mean() > 0.9


def test_ranges():
    found = drawn(
        lambda x: (torch.empty(N).uniform_(2, 5), torch.normal(3.0, 0.5, (N,)))
    )
    assert 2 <= found[0].min() < found[0].max() <= 5
    assert abs(found[1].mean() - 3) < 0.05


class Noise(nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        return x + torch.randn(3, 4)


class Noisy(nn.Module):
    def __init__(self):
        super().__init__()
        self.drop = nn.Dropout(0.2)
        self.inner = nn.Sequential(Noise(), nn.Dropout(0.0))

    def forward(self, x: Tensor) -> Tensor:
        return self.inner(self.drop(x)) * torch.rand(4)


def test_a_warning_names_the_modules_that_draw():
    in_training, draws = import_model(Noisy(), [torch.ones(3, 4)]).warnings
    assert in_training == "drop: Dropout is in training mode"
    assert draws.startswith("drop, inner.0, the model: draws random numbers")
