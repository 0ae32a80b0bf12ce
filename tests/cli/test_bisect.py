"""`mbc bisect` on the command line: what it says, what it writes, how it ends."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import mbc as api
from tests.cli.conftest import Command

MODEL = """
func.func @forward(%x: tensor<6x8xf32>) -> tensor<6x8xf32> {
  %e = tensor.empty() : tensor<6x8xf32>
  %0 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>,
    affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]}
    ins(%x : tensor<6x8xf32>) outs(%e : tensor<6x8xf32>) {
  ^bb0(%a: f32, %b: f32):
    %t = math.tanh %a : f32
    linalg.yield %t : f32
  } -> tensor<6x8xf32>
  return %0 : tensor<6x8xf32>
}
"""


@pytest.fixture
def model(here: Path) -> Path:
    (here / "m.mlir").write_text(MODEL)
    return here / "m.mlir"


def test_a_right_model_is_right(mbc: Command, model: Path):
    ended = mbc("bisect", model, "--target", "opencl")
    assert ended.code == 0, ended.err
    assert "passes and 1 kernels are right on these inputs" in ended.out
    assert not (model.parent / "bisect.mlir").exists()


def test_a_wrong_text_is_written_out(mbc: Command, model: Path):
    code = api.lower(api.Module.load(model), target="opencl").code.kernels["k0"]
    wrong = model.parent / "wrong.cl"
    wrong.write_text(code.source.replace("tanh(", "sinh("))
    pipeline = f'form-kernels,use-source{{kernel=k0 file="{wrong}"}}'
    asked = ("bisect", model, "--target", "opencl", "-p", pipeline, "--json")
    ended = mbc(*asked)
    assert ended.code == 4, ended.err
    told = json.loads(ended.out)
    assert (told["found"], told["kernel"]) == ("kernel", "k0")
    assert "expected" in told["mismatch"]
    assert told["files"] == ["bisect.mlir", "bisect.cl"]
    assert "mbc.kernel" in (model.parent / "bisect.mlir").read_text()
    assert "sinh(" in (model.parent / "bisect.cl").read_text()


@pytest.mark.parametrize(
    ("arguments", "code", "sentence"),
    [
        ((), 2, "required: --target"),
        (("--target", "abc"), 1, "target 'abc' not registered"),
        (("--target", "rvv", "-p", "no-pass"), 1, "'no-pass' does not refer"),
    ],
)
def test_bad_input_is_one_sentence(
    mbc: Command, model: Path, arguments: tuple[str, ...], code: int, sentence: str
):
    ended = mbc("bisect", model, *arguments)
    assert ended.code == code
    assert sentence in ended.err
    assert ended.err.count("\n") == 1
