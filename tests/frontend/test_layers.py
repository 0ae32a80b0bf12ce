"""Layers of `torch.nn`, imported and compared with eager PyTorch."""

import pytest
import torch
from torch import nn

from mbc.errors import UnsupportedModel
from mbc.frontend.torch_export import import_model
from mbc.ir.ops.recurrent import RecurrentOp
from mbc.ir.types import shape_of
from tests.frontend.support import check
from tests.frontend.tables import (
    floats,
)

LAYERS: dict[str, tuple[nn.Module, tuple[int, ...]]] = {
    "layer norm": (nn.LayerNorm((3, 4)), (2, 3, 4)),
    "plain layer norm": (nn.LayerNorm(4, elementwise_affine=False), (2, 3, 4)),
    "group norm": (nn.GroupNorm(2, 4), (2, 4, 5)),
    "instance norm": (nn.InstanceNorm2d(3), (2, 3, 4, 4)),
    "rms norm": (nn.RMSNorm(4), (2, 3, 4)),
    "batch norm": (nn.BatchNorm1d(3), (4, 3)),
    "lstm": (nn.LSTM(4, 5, 2, bidirectional=True, batch_first=True), (2, 6, 4)),
    "lstm without bias": (nn.LSTM(4, 5, bias=False), (6, 2, 4)),
    "gru": (nn.GRU(4, 5, 2, bidirectional=True, batch_first=True), (2, 6, 4)),
    "gru without bias": (nn.GRU(4, 5, bias=False), (6, 2, 4)),
    "rnn": (nn.RNN(4, 5, 2, bidirectional=True), (6, 2, 4)),
    "rnn of relu": (nn.RNN(4, 5, nonlinearity="relu", batch_first=True), (2, 6, 4)),
    "long gru": (nn.GRU(3, 4), (600, 1, 3)),
    "unbatched gru": (nn.GRU(3, 4), (7, 3)),
    "lstm cell": (nn.LSTMCell(4, 5), (2, 4)),
    "gru cell": (nn.GRUCell(4, 5, bias=False), (2, 4)),
    "rnn cell": (nn.RNNCell(4, 5, nonlinearity="relu"), (2, 4)),
    "prelu": (nn.PReLU(3), (2, 3, 4)),
    "encoder": (nn.TransformerEncoderLayer(8, 2, 16, batch_first=True), (2, 5, 8)),
    "attention": (nn.MultiheadAttention(8, 2, batch_first=True), (2, 5, 8)),
}


@pytest.mark.parametrize("name", LAYERS)
def test_layer(name: str):
    torch.manual_seed(0)
    layer, shape = LAYERS[name]
    for parameter in layer.parameters():
        nn.init.normal_(parameter, std=0.5)
    x = floats(*shape)
    inputs = (x, x, x) if isinstance(layer, nn.MultiheadAttention) else (x,)
    check(layer.float().eval(), *inputs)


def test_initial_states():
    torch.manual_seed(0)
    states = floats(2, 3, 5, seed=1), floats(2, 3, 5, seed=2)
    check(nn.LSTM(4, 5, bidirectional=True).eval(), floats(6, 3, 4), states)
    check(nn.GRU(4, 5, 2, batch_first=True).eval(), floats(3, 6, 4), states[0])
    check(nn.RNN(4, 5, 2).eval(), floats(1, 3, 4), states[0])


def test_a_long_sequence_is_one_op():
    imported = import_model(nn.GRU(3, 4).eval(), (floats(512, 1, 3),))
    sweeps = [op for op in imported.module.walk() if isinstance(op, RecurrentOp)]
    assert [shape_of(op.input) for op in sweeps] == [(512, 1, 12)]


def test_projections_are_refused():
    lstm = nn.LSTM(4, 5, proj_size=3).eval()
    with pytest.raises(UnsupportedModel, match=r"lstm.*projections \(proj_size\)"):
        import_model(lstm, (floats(6, 2, 4),))
