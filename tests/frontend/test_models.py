"""The four small models: import against eager PyTorch, and what they become."""

from collections import Counter
from pathlib import Path

import numpy as np
import pytest
import torch
from xdsl.dialects.builtin import FileLineColLoc

from mbc.frontend.dtypes import to_numpy
from mbc.frontend.imported import ImportedModel
from mbc.frontend.model_file import load_model_file
from mbc.frontend.torch_export import import_model
from tests.frontend.support import check, forward, run

MODELS = Path(__file__).parent.parent / "models"


def names(model: ImportedModel) -> Counter[str]:
    return Counter(op.name for op in forward(model).body.block.ops)


@pytest.mark.parametrize("name", ["mlp", "resnet_block", "transformer", "lstm"])
def test_model_computes_what_pytorch_does(name: str):
    loaded = load_model_file(MODELS / f"{name}.py")
    check(loaded.model, *loaded.inputs)


def test_operators_stay_whole():
    loaded = load_model_file(MODELS / "transformer.py")
    found = names(import_model(loaded.model, loaded.inputs))
    assert found["mbc.layer_norm"] == 3
    assert found["mbc.attention"] == 1
    assert found["mbc.contract"] == 4
    loaded = load_model_file(MODELS / "resnet_block.py")
    found = names(import_model(loaded.model, loaded.inputs))
    assert found["mbc.conv"] == 4
    assert found["mbc.batch_norm"] == 3
    assert found["mbc.pool"] == found["mbc.reduce"] == 1


def test_ops_know_the_line_they_come_from():
    loaded = load_model_file(MODELS / "mlp.py")
    function = forward(import_model(loaded.model, loaded.inputs))
    first = function.body.block.first_op
    assert first is not None
    assert isinstance(first.location, FileLineColLoc)
    assert first.location.filename.data.endswith("mlp.py")
    text = (MODELS / "mlp.py").read_text().splitlines()
    assert "self.fc2" in text[first.location.line.data - 1]


def test_training_mode_uses_batch_statistics_and_updates_buffers():
    loaded = load_model_file(MODELS / "resnet_block.py")
    model = loaded.model.train()
    imported = import_model(model, loaded.inputs)
    assert imported.warnings[0] == "norm: BatchNorm2d is in training mode"
    before = {name: array.copy() for name, array in imported.parameters.items()}
    found, updates = run(imported, loaded.inputs)
    with torch.no_grad():
        wanted = model(*loaded.inputs)
    np.testing.assert_allclose(found, wanted.numpy(), rtol=1e-4, atol=1e-5)
    assert len(updates) == 9
    for name, value in updates.items():
        assert not np.array_equal(value, before[name])
        wanted_buffer = to_numpy(model.get_buffer(name))
        np.testing.assert_allclose(value, wanted_buffer, rtol=1e-5, atol=1e-6)
