"""State that a model keeps in plain attributes, and layers in training mode."""

import torch
from torch import nn

from mbc.frontend.torch_export import import_model
from mbc.ir.text import print_module


class Stateful(nn.Module):
    """A tensor that is a plain attribute, written to and then replaced."""

    def __init__(self):
        super().__init__()
        self.hidden = torch.zeros(2, 3)

    def forward(self, x: torch.Tensor):
        self.hidden.copy_(x)
        self.hidden = torch.tanh(self.hidden + x)
        return self.hidden * 2


def test_a_plain_tensor_is_state_and_the_model_stays_as_it_was():
    model = Stateful()
    before = model.hidden
    imported = import_model(model, [torch.ones(2, 3)])
    assert 'mbc.updates = "hidden"' in print_module(imported.module)
    assert model.hidden is before
    assert not list(model.named_buffers())
    wanted = 2 * torch.tanh(torch.tensor([[2.0]]))
    assert torch.equal(model(torch.ones(2, 3)), wanted.expand(2, 3))


def test_a_dropout_that_drops_nothing_is_no_warning():
    model = nn.Sequential(nn.Dropout(0.0), nn.Dropout(0.5))
    first, _ = import_model(model, [torch.ones(2, 3)]).warnings
    assert first == "1: Dropout is in training mode"
