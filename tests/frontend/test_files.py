"""Models as Python files, and imported models on disk."""

from pathlib import Path

import numpy as np
import pytest
import torch
from torch import Tensor, nn

from mbc.errors import InvalidInput
from mbc.frontend.imported import ImportedModel
from mbc.frontend.model_file import load_model_file
from mbc.frontend.store import load, save
from mbc.frontend.torch_export import import_model
from mbc.ir.text import print_module
from tests.frontend.support import Function, run

MODELS = Path(__file__).parent.parent / "models"


class Mixed(nn.Module):
    """Parameters of several dtypes, a mutated one and a nested output."""

    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(3, 4).bfloat16())
        self.register_buffer("steps", torch.tensor(0))
        self.register_buffer("table", torch.tensor([1, 255, 7], dtype=torch.uint8))

    def forward(self, x: Tensor):
        self.steps += 1
        y = torch.nn.functional.linear(x.bfloat16(), self.weight)
        return {"y": y.float(), "t": (self.table.float(), None, 3)}


@pytest.fixture
def mixed(tmp_path: Path) -> tuple[ImportedModel, Path]:
    torch.manual_seed(0)
    imported = import_model(Mixed(), [torch.ones(2, 4)])
    save(imported, tmp_path / "model.mlir")
    return imported, tmp_path / "model.mlir"


@pytest.mark.parametrize("name", ["mlp", "resnet_block", "transformer", "lstm"])
def test_models_come_back_from_disk(name: str, tmp_path: Path):
    loaded = load_model_file(MODELS / f"{name}.py")
    imported = import_model(loaded.model, loaded.inputs)
    save(imported, tmp_path / "model.mlir")
    again = load(tmp_path / "model.mlir")
    assert print_module(again.module) == print_module(imported.module)
    found, _ = run(again, loaded.inputs)
    wanted, _ = run(imported, loaded.inputs)
    np.testing.assert_array_equal(found, wanted)


def test_dtypes_and_signature_come_back(mixed: tuple[ImportedModel, Path]):
    imported, path = mixed
    again = load(path)
    assert again.signature == imported.signature
    assert again.parameters.keys() == imported.parameters.keys()
    for name, array in again.parameters.items():
        assert array.dtype == imported.parameters[name].dtype
        np.testing.assert_array_equal(array, imported.parameters[name])


def test_missing_parameters_are_one_sentence(mixed: tuple[ImportedModel, Path]):
    _, path = mixed
    path.with_suffix(".safetensors").unlink()
    with pytest.raises(InvalidInput, match=r"model\.safetensors: no such file"):
        load(path)
    with pytest.raises(InvalidInput, match=r"other\.mlir: no such file"):
        load(path.with_name("other.mlir"))


def test_mismatched_parameters_are_one_sentence(mixed: tuple[ImportedModel, Path]):
    imported, path = mixed
    imported.parameters["weight"] = np.zeros((2, 2), np.float32)
    save(imported, path)
    wanted = r"'weight' is float32 \[2, 2\], the model takes tensor<3x4xbf16>"
    with pytest.raises(InvalidInput, match=wanted):
        load(path)
    del imported.parameters["weight"]
    save(imported, path)
    with pytest.raises(InvalidInput, match="'weight' is missing"):
        load(path)
    path.with_suffix(".safetensors").write_bytes(b"no tensors here")
    with pytest.raises(InvalidInput, match="not a safetensors file"):
        load(path)


def test_float_remainder_comes_back_from_disk(tmp_path: Path):
    a, b = torch.tensor([3.0, -5.0]), torch.tensor([0.1, 2.0])
    imported = import_model(Function(lambda a, b: a % b), [a, b])
    save(imported, tmp_path / "model.mlir")
    assert "arith.remf" in (tmp_path / "model.mlir").read_text()
    found, _ = run(load(tmp_path / "model.mlir"), [a, b])
    np.testing.assert_array_equal(found, torch.remainder(a, b).numpy())


def write(folder: Path, text: str) -> Path:
    path = folder / "model.py"
    path.write_text(text, encoding="utf-8")
    return path


def test_model_file_is_seeded_and_in_evaluation_mode(tmp_path: Path):
    path = write(
        tmp_path,
        "import torch\nModel = torch.nn.Linear\n"
        "def get_init_inputs(): return [3, 2]\n"
        "def get_inputs(): return [torch.randn(1, 3)]\n",
    )
    first, second = load_model_file(path), load_model_file(path)
    assert not first.model.training
    assert torch.equal(first.inputs[0], second.inputs[0])
    weights = zip(first.model.parameters(), second.model.parameters(), strict=True)
    assert all(torch.equal(a, b) for a, b in weights)


@pytest.mark.parametrize(
    ("text", "message", "line"),
    [
        ("def get_inputs(): return []\n", "does not define Model", 0),
        ("class Model: pass\n", "does not define get_inputs", 0),
        ("Model = dict\ndef get_inputs(): return []\n", "not a torch.nn.Module", 0),
        ("import torch\nx = 1 / 0\n", "raised ZeroDivisionError", 2),
        ("def broken(:\n", "raised SyntaxError", 1),
        (
            "class Model:\n    def __init__(self):\n        raise KeyError('k')\n"
            "def get_inputs(): return []\n",
            "raised KeyError: 'k'",
            3,
        ),
    ],
)
def test_broken_model_files_are_one_sentence(
    tmp_path: Path, text: str, message: str, line: int
):
    path = write(tmp_path, text)
    with pytest.raises(InvalidInput, match=message) as caught:
        load_model_file(path)
    assert caught.value.location is not None
    assert caught.value.location.file == str(path)
    assert caught.value.location.line == line


def test_missing_model_file(tmp_path: Path):
    with pytest.raises(InvalidInput, match="no such file"):
        load_model_file(tmp_path / "absent.py")
