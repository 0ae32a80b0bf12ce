"""A second importer: a stand-in where torch-mlir is not installed, or itself."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
import torch
from torch import nn

from mbc.api.agreement import Differs, Equal
from mbc.api.cross_check import cross_check, missing_importer
from mbc.errors import InvalidInput, ToolMissing
from mbc.frontend.torch_export import import_model

SCALED = """
func.func @main(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {{
  %c = arith.constant {factor} : f32
  %e = tensor.empty() : tensor<2x3xf32>
  %y = linalg.generic {{indexing_maps = [affine_map<(i, j) -> (i, j)>,
    affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}}
    ins(%x : tensor<2x3xf32>) outs(%e : tensor<2x3xf32>) {{
  ^bb0(%a: f32, %b: f32):
    %d = arith.mulf %a, %c : f32
    linalg.yield %d : f32
  }} -> tensor<2x3xf32>
  return %y : tensor<2x3xf32>
}}
"""


class Doubled(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x * 2.0


@pytest.fixture
def stand_in(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """Makes a package `torch_mlir` whose importer has this body."""

    def make(body: str) -> None:
        package = tmp_path / "torch_mlir"
        package.mkdir()
        (package / "__init__.py").touch()
        head = "def export_and_import(model, *inputs, output_type):\n    "
        (package / "fx.py").write_text(head + body)
        monkeypatch.syspath_prepend(tmp_path)
        for name in ("torch_mlir", "torch_mlir.fx"):
            monkeypatch.delitem(sys.modules, name, raising=False)

    yield make
    for name in ("torch_mlir", "torch_mlir.fx"):
        sys.modules.pop(name, None)


def checked(inputs: list[torch.Tensor]) -> Equal | Differs:
    return cross_check(Doubled(), inputs, import_model(Doubled(), inputs))


@pytest.mark.parametrize(("factor", "kind"), [("2.0", Equal), ("2.001", Differs)])
def test_another_importer_agrees_or_not(stand_in, factor: str, kind: type):
    stand_in(f"return {SCALED.format(factor=factor)!r}")
    assert isinstance(checked([torch.randn(2, 3)]), kind)


def test_numbers_are_arguments_too(stand_in):
    class Scaled(nn.Module):
        def forward(self, x: torch.Tensor, factor: float) -> torch.Tensor:
            return x * factor

    head = "(%x: tensor<2x3xf32>"
    stand_in(
        f"return {SCALED.format(factor='3.5').replace(head, head + ', %s: f64')!r}"
    )
    inputs = [torch.randn(2, 3), 3.5]
    found = cross_check(Scaled(), inputs, import_model(Scaled(), inputs))
    assert isinstance(found, Equal)


def test_what_it_raises_is_one_sentence(stand_in):
    stand_in("raise RuntimeError('no such\\n op')")
    with pytest.raises(InvalidInput, match="refuses it: RuntimeError: no such op"):
        checked([torch.randn(2, 3)])


@pytest.mark.skipif(not missing_importer(), reason="torch-mlir is installed")
def test_without_it_the_message_says_how_to_get_it():
    with pytest.raises(ToolMissing, match="install: pip install 'mbc\\[torch-mlir\\]'"):
        checked([torch.randn(2, 3)])


@pytest.mark.skipif(bool(missing_importer()), reason="torch-mlir is not installed")
def test_torch_mlir_itself_agrees():
    assert isinstance(checked([torch.randn(2, 3)]), Equal)
