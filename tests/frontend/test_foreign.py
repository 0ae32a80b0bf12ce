"""Text of other compilers: read, recognized, and right on every target."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import mbc
from mbc.api.check import check_random
from mbc.errors import InvalidInput
from mbc.frontend.foreign import adopt
from mbc.ir.resources import inline_resources
from mbc.ir.text import parse_module
from mbc.runtime.outcome import EmitOnly
from mbc.runtime.runner import runner_for

FOLDER = Path(__file__).parent / "foreign"
NAMED = {
    "mlp": {"mbc.contract": 2},
    "conv_net": {"mbc.conv": 1, "mbc.batch_norm": 1, "mbc.pool": 1, "mbc.softmax": 1},
    "attention": {"mbc.contract": 2, "mbc.attention": 1},
}
RECOGNIZE = "recognize-named-ops,canonicalize"


def op_names(artifact: mbc.Artifact) -> list[str]:
    return [op.name for op in artifact.module.walk()]


def lowered(name: str, target: str, pipeline: str = "") -> mbc.Artifact:
    module = mbc.Module.load(FOLDER / f"{name}.mlir")
    return mbc.lower(module, target=target, pipeline=pipeline)


@pytest.mark.parametrize("name", NAMED)
def test_pieces_become_named_ops(name: str):
    names = op_names(lowered(name, "rvv", f"{RECOGNIZE},form-kernels"))
    for op, count in NAMED[name].items():
        assert names.count(op) == count, op
    for gone in ("linalg.matmul", "linalg.transpose", "linalg.fill", "cf.assert"):
        assert gone not in names


CAPTURED = """
func.func @main(%x: tensor<3x5xf32>) -> (tensor<5x7xf32>, tensor<3x5xf32>) {
  %one = arith.constant 1.0 : f64
  %two = arith.constant 2.0 : f32
  %p = tensor.pad %x low[1, 2] high[1, 0] {
  ^bb0(%i: index, %j: index):
    tensor.yield %two : f32
  } : tensor<3x5xf32> to tensor<5x7xf32>
  %e = tensor.empty() : tensor<3x5xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>,
    affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]}
    ins(%x : tensor<3x5xf32>) outs(%e : tensor<3x5xf32>) {
  ^bb0(%a: f32, %b: f32):
    %c = arith.truncf %one : f64 to f32
    %d = arith.divf %a, %two : f32
    %f = arith.addf %d, %c : f32
    linalg.yield %f : f32
  } -> tensor<3x5xf32>
  return %p, %y : tensor<5x7xf32>, tensor<3x5xf32>
}
"""


def checked(module: mbc.Module, target: str, pipeline: str = "") -> None:
    runner = runner_for(target)
    available = runner.availability()
    if isinstance(available, EmitOnly):
        pytest.skip(available.reason)
    artifact = mbc.lower(module, target=target, pipeline=pipeline)
    artifact.use_runner(runner)
    report = check_random(artifact, module)
    runner.close()
    assert report.passed, report.text


TARGETS = ("rvv", "opencl", "cuda")


@pytest.mark.parametrize("name", NAMED)
@pytest.mark.parametrize("target", TARGETS)
def test_they_mean_the_same_on_every_target(name: str, target: str):
    checked(mbc.Module.load(FOLDER / f"{name}.mlir"), target)


@pytest.mark.parametrize("pipeline", ["", "form-kernels"])
@pytest.mark.parametrize("target", TARGETS)
def test_bodies_may_use_constants_of_the_function(
    target: str, pipeline: str, tmp_path: Path
):
    (tmp_path / "captured.mlir").write_text(CAPTURED)
    checked(mbc.Module.load(tmp_path / "captured.mlir"), target, pipeline)


@pytest.mark.parametrize("name", NAMED)
def test_weights_are_parameters(name: str):
    module = mbc.Module.load(FOLDER / f"{name}.mlir")
    assert sum(array.ndim == 2 for array in module.parameters.values()) >= 1
    assert "dense_resource" not in module.text
    assert "mbc.parameter" in module.text
    assert "@forward" in module.text


def test_a_resource_is_its_bytes():
    text = (
        "func.func @f() -> tensor<2xf32> {\n"
        "  %0 = arith.constant dense_resource<a> : tensor<2xf32>\n"
        "  return %0 : tensor<2xf32>\n}\n"
        '{-# dialect_resources: { builtin: { a: "0x040000000000803F00000040" } } #-}\n'
    )
    inlined = inline_resources(text, "f.mlir")
    assert 'dense<"0x0000803F00000040">' in inlined
    assert inlined.count("\n") == text.count("\n")
    parse_module(text)


def test_a_resource_without_data_is_named_with_its_place():
    text = (
        "func.func @f() -> tensor<2xf32> {\n"
        "  %0 = arith.constant dense_resource<__elided__> : tensor<2xf32>\n"
        "  return %0 : tensor<2xf32>\n}\n"
    )
    with pytest.raises(InvalidInput, match="dense_resource<__elided__> is not in") as e:
        parse_module(text, "f.mlir")
    assert str(e.value.location) == "f.mlir:2:23"
    assert "--mlir-elide-resource-strings-if-larger" in str(e.value)


@pytest.mark.parametrize("count", [0, 2])
def test_a_module_needs_one_function(count: int):
    functions = [f"func.func @f{i}() {{\n return\n}}\n" for i in range(count)]
    names = ", ".join(f"@f{i}" for i in range(count)) or "none"
    module = parse_module("builtin.module {\n" + "".join(functions) + "}")
    with pytest.raises(InvalidInput, match=f"no @forward among the functions: {names}"):
        adopt(module)


def test_small_and_uniform_constants_stay():
    text = (
        "func.func @main() -> (tensor<3xf32>, tensor<99xf32>, tensor<9xf32>) {\n"
        "  %0 = arith.constant dense<[1.0, 2.0, 3.0]> : tensor<3xf32>\n"
        "  %1 = arith.constant dense<1.0> : tensor<99xf32>\n"
        f"  %2 = arith.constant dense<{[float(i) for i in range(9)]}> : tensor<9xf32>\n"
        "  return %0, %1, %2 : tensor<3xf32>, tensor<99xf32>, tensor<9xf32>\n}\n"
    )
    parameters = adopt(parse_module(text))
    np.testing.assert_array_equal(parameters["constant_0"], np.arange(9))
    assert len(parameters) == 1
