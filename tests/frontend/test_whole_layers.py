"""Recurrent layers in a traced program: one operator each, whatever their length."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import Tensor, nn

from mbc.errors import UnsupportedModel
from mbc.frontend.export import export_program
from mbc.frontend.torch_export import import_model
from mbc.frontend.whole_layers import whole_layers

FUNCTIONS: Any = torch._VF  # pyright: ignore[reportPrivateUsage]  # torch's layers call it
LAYERS: dict[str, Callable[[], nn.Module]] = {
    "lstm": lambda: nn.LSTM(4, 6, 2, bidirectional=True),
    "gru": lambda: nn.GRU(4, 6, batch_first=True),
    "rnn_tanh": lambda: nn.RNN(4, 6, bias=False),
    "rnn_relu": lambda: nn.RNN(4, 6, nonlinearity="relu"),
}


class First(nn.Module):
    def __init__(self, layer: nn.Module):
        super().__init__()
        self.layer = layer

    def forward(self, x: Tensor) -> Tensor:
        return self.layer(x)[0]


class Packed(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.GRU(4, 6)

    def forward(self, x: Tensor) -> Tensor:
        pack: Any = nn.utils.rnn.pack_padded_sequence
        return self.layer(pack(x, torch.tensor([5, 3])))[1]


@pytest.mark.parametrize("name", LAYERS)
def test_a_layer_is_one_operator_and_means_the_same(name: str):
    model, x = First(LAYERS[name]()).eval(), torch.randn(5, 2, 4)
    program = export_program(model, [x])
    called = [str(n.target) for n in program.graph.nodes if n.op == "call_function"]
    assert called.count(f"mbc.{name}.default") == 1
    runnable: Any = program.module()
    with torch.no_grad():
        torch.testing.assert_close(runnable(x), model(x))


def test_torch_has_its_functions_back():
    plain = {name: getattr(FUNCTIONS, name) for name in LAYERS}
    with whole_layers():
        assert all(getattr(FUNCTIONS, name) != plain[name] for name in LAYERS)
    assert all(getattr(FUNCTIONS, name) == plain[name] for name in LAYERS)


def test_five_hundred_steps_are_one_sweep():
    imported = import_model(First(nn.LSTM(4, 6)).eval(), [torch.randn(512, 1, 4)])
    assert str(imported.module).count("mbc.recurrent") == 1


def test_packed_sequences_are_refused_in_one_sentence():
    with pytest.raises(UnsupportedModel):
        export_program(Packed().eval(), [torch.randn(5, 2, 4)])
