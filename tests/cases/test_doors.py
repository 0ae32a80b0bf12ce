"""What is said at the door: missing operators, forgotten modes, torch.compile."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor, nn

import mbc
from mbc.api.torch_backend import GRAPHS
from mbc.errors import UnsupportedModel
from mbc.frontend.torch_export import import_model
from tests.codegen.exact import available_runner
from tests.frontend.support import run


class Special(nn.Module):
    def forward(self, x: Tensor) -> tuple[Tensor, ...]:
        a = torch.special.bessel_j0(torch.frac(x))
        b = torch.special.airy_ai(x)
        return a, b, torch.special.bessel_j0(x)


def test_all_missing_operators_are_named_at_once_with_count_and_line():
    with pytest.raises(UnsupportedModel) as error:
        mbc.import_model(Special(), [torch.ones(3)])
    message, first = str(error.value), Special.forward.__code__.co_firstlineno + 1
    assert message.startswith("2 operators are not supported: ")
    file = "tests/cases/test_doors.py"
    assert f"aten.special_bessel_j0.default (2 uses, {file}:{first})" in message
    assert f"aten.special_airy_ai.default (1 use, {file}:{first + 1})" in message
    assert error.value.location is not None
    assert error.value.location.line == first


class Forgotten(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.BatchNorm1d(2), nn.Dropout(0.5))

    def forward(self, x: Tensor) -> Tensor:
        return self.net(x)


def test_layers_in_training_mode_are_named_by_path():
    x = torch.tensor([[1.0, 2], [3, 6]])
    imported = import_model(Forgotten().train(), [x])
    assert imported.warnings[:2] == [
        "net.0: BatchNorm1d is in training mode",
        "net.1: Dropout is in training mode",
    ]
    _, updates = run(imported, [x])
    # A tenth of the batch's own, from 0 and 1.
    np.testing.assert_allclose(updates["net.0.running_mean"], [0.2, 0.4], 1e-6)
    np.testing.assert_allclose(updates["net.0.running_var"], [1.1, 1.7], 1e-6)


def test_in_evaluation_mode_nothing_is_said_and_nothing_dropped():
    x = torch.tensor([[1.0, 2], [3, 6]])
    imported = import_model(Forgotten().eval(), [x])
    found, updates = run(imported, [x])
    assert imported.warnings == []
    assert updates == {}
    np.testing.assert_allclose(found, x.numpy() / np.sqrt(1 + 1e-5), 1e-6)


def product(a: Tensor, b: Tensor) -> Tensor:
    return torch.relu(a) * b


@pytest.fixture
def fresh() -> None:
    """Nothing of other tests is counted."""
    with available_runner("opencl"):
        torch.compiler.reset()
        GRAPHS.clear()


@pytest.mark.usefixtures("fresh")
def test_torch_compile_finds_mbc_by_name_and_waits_for_the_first_call():
    compiled: Any = torch.compile(product, backend="mbc", options={"target": "opencl"})
    assert mbc.compile_report().graphs == ()
    with torch.no_grad():
        found = compiled(torch.tensor([-1.0, 2]), torch.tensor([3.0, 4]))
    assert found.tolist() == [0, 8]
    (graph,) = mbc.compile_report().graphs
    assert (graph.calls, graph.in_torch) == (1, 0)


@pytest.mark.usefixtures("fresh")
def test_torch_compile_passes_options_on():
    compiled: Any = torch.compile(product, backend="mbc", options={"target": "abacus"})
    with pytest.raises(Exception, match="target 'abacus' not registered"):
        compiled(torch.ones(2), torch.ones(2))


@pytest.mark.usefixtures("fresh")
def test_torch_compile_names_what_it_does_not_know():
    with pytest.raises(Exception, match="no_such_backend"):
        torch.compile(product, backend="no_such_backend")
