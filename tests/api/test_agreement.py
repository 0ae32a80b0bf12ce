"""Imported models against eager PyTorch: what agrees, and what must not."""

from typing import Any

import torch
from torch import Tensor, nn
from xdsl.dialects.arith import ConstantOp
from xdsl.dialects.builtin import FloatAttr

from mbc.api.agreement import Differs, Equal, agreement
from mbc.frontend.torch_export import import_model


class Random(nn.Module):
    """Draws of both kinds, a buffer and an input that are written to."""

    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(7, 5)
        self.drop = nn.Dropout(0.3)
        self.norm = nn.BatchNorm1d(5)
        self.state = torch.zeros(4, 5)

    def forward(self, x: Tensor, table: Tensor, factor: float):
        table.add_(1.5)
        y = self.drop(self.norm(self.layer(x))) + torch.randn(4, 5)
        self.state.copy_(y)
        return {"y": y * factor, "none": None, "both": [table[:4], torch.argmax(y, 1)]}


def inputs() -> list[Any]:
    return [torch.randn(4, 7), torch.ones(6, 5), 0.1]


def test_draws_state_and_inputs_agree():
    torch.manual_seed(0)
    model, given = Random(), inputs()
    before = model.norm.running_mean.clone()
    imported = import_model(model, given)
    found = agreement(model, given, imported)
    assert isinstance(found, Equal), found
    assert 0 < found.given < 1
    assert torch.equal(model.norm.running_mean, before)
    assert torch.equal(given[1], torch.ones(6, 5))
    assert torch.get_default_dtype() == torch.float32


class Careless(nn.Module):
    """Draws what nothing depends on, as layers that may be skipped do."""

    def forward(self, x: Tensor):
        torch.rand([])
        return torch.tanh(x)


def test_draws_that_nothing_depends_on_do_not_count():
    given = [torch.randn(4, 7)]
    found = agreement(Careless(), given, import_model(Careless(), given))
    assert isinstance(found, Equal)


def test_other_constants_are_found():
    """A change of one part in ten thousand, in the output and in a statistic."""
    for wanted in ("0.1", "0.9"):
        torch.manual_seed(0)
        model, given = Random(), inputs()
        imported = import_model(model, given)
        changed = 0
        for op in imported.module.walk():
            value = op.value if isinstance(op, ConstantOp) else None
            if isinstance(value, FloatAttr) and f"{value.value.data:.3g}" == wanted:
                op.properties["value"] = FloatAttr(
                    value.value.data * 1.0001, value.type
                )
                changed += 1
        assert changed
        found = agreement(model, given, imported)
        assert isinstance(found, Differs)
        assert "out of bounds" in found.reason


class Captured(nn.Module):
    """A function that no copy of the model would lead to a copy of its layer."""

    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(4, 4)
        layer = self.layer
        self.function = lambda x: torch.relu(layer(x))

    def forward(self, x: Tensor) -> Tensor:
        return self.function(x)


def test_functions_that_captured_layers_agree():
    model, given = Captured(), [torch.randn(3, 4)]
    before = model.layer.weight.data_ptr()
    assert isinstance(agreement(model, given, import_model(model, given)), Equal)
    assert model.layer.weight.data_ptr() == before
    assert model.layer.weight.dtype == torch.float32
