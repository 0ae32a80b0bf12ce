"""The oracle's own rules: precision modes, error messages, views and scalar ops."""

from __future__ import annotations

import numpy as np
import pytest

from mbc.errors import InvalidInput
from mbc.ir.execute import execute
from mbc.ir.text import parse_module
from tests.ir.samples import SAMPLES

SUM = """
func.func @forward(%x: tensor<3xf16>) -> tensor<3xf16> {
  %e = tensor.empty() : tensor<3xf16>
  %0 = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} ins(%x : tensor<3xf16>) outs(%e : tensor<3xf16>) {
  ^bb0(%a: f16, %b: f16):
    %c = BODY
    linalg.yield %c : f16
  } -> tensor<3xf16>
  return %0 : tensor<3xf16>
}
"""  # noqa: E501


def test_float64_mode_does_not_round():
    module = parse_module(SUM.replace("BODY", "arith.mulf %a, %a : f16"))
    x = np.array([1.001, 1e-6, 30.0]).astype(np.float16)
    (given,), (wide,) = execute(module, [x]), execute(module, [x], "float64")
    assert given.dtype == np.float16
    assert wide.dtype == np.float64
    np.testing.assert_array_equal(given, x * x)
    np.testing.assert_array_equal(wide, x.astype(np.float64) ** 2)


def test_float64_mode_keeps_explicit_roundings():
    text = """
    func.func @forward(%x: tensor<1xf32>) -> tensor<1xf16> {
      %e = tensor.empty() : tensor<1xf16>
      %0 = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>,
        affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]}
        ins(%x : tensor<1xf32>) outs(%e : tensor<1xf16>) {
      ^bb0(%a: f32, %b: f16):
        %c = arith.truncf %a : f32 to f16
        linalg.yield %c : f16
      } -> tensor<1xf16>
      return %0 : tensor<1xf16>
    }"""
    (wide,) = execute(parse_module(text), [np.array([1.0001], np.float32)], "float64")
    assert wide == np.float64(np.float16(1.0001))


def test_reductions_and_views():
    text = """
    func.func @forward(%x: tensor<2x6xi32>) -> (tensor<2xi32>, tensor<2x2xi32>) {
      %z = arith.constant dense<0> : tensor<2xi32>
      %s = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>,
        affine_map<(d0, d1) -> (d0)>], iterator_types = ["parallel", "reduction"]}
        ins(%x : tensor<2x6xi32>) outs(%z : tensor<2xi32>) {
      ^bb0(%a: i32, %b: i32):
        %c = arith.addi %a, %b : i32
        linalg.yield %c : i32
      } -> tensor<2xi32>
      %v = tensor.extract_slice %x[0, 1] [2, 2] [1, 3] : tensor<2x6xi32>
        to tensor<2x2xi32>
      return %s, %v : tensor<2xi32>, tensor<2x2xi32>
    }"""
    x = np.arange(12, dtype=np.int32).reshape(2, 6)
    total, strided = execute(parse_module(text), [x])
    np.testing.assert_array_equal(total, x.sum(axis=1))
    np.testing.assert_array_equal(strided, x[:, 1:6:3])


def test_a_sum_into_no_axes():
    text = """
    func.func @forward(%x: tensor<2x3xf32>, %s: tensor<f32>) -> tensor<f32> {
      %0 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>,
        affine_map<(d0, d1) -> ()>], iterator_types = ["reduction", "reduction"]}
        ins(%x : tensor<2x3xf32>) outs(%s : tensor<f32>) {
      ^bb0(%a: f32, %b: f32):
        %c = arith.addf %a, %b : f32
        linalg.yield %c : f32
      } -> tensor<f32>
      return %0 : tensor<f32>
    }
    """
    x = np.arange(6, dtype=np.float32).reshape(2, 3)
    (total,) = execute(parse_module(text), [x, np.float32(0.5).reshape(())])
    assert total.shape == ()
    assert total == 15.5


def test_an_index_and_a_comparison():
    body = """linalg.index 0 : index
    %i = arith.index_cast %c : index to i32
    %f = arith.sitofp %i : i32 to f16
    %t = arith.cmpf olt, %a, %f : f16
    %g = arith.select %t, %f, %a : f16"""
    text = SUM.replace("BODY", body).replace("yield %c", "yield %g")
    (found,) = execute(parse_module(text), [np.array([5, -1, 1], np.float16)])
    np.testing.assert_array_equal(found, np.array([5, 1, 2], np.float16))


@pytest.mark.parametrize(
    ("arrays", "message"),
    [
        ([], "1 arrays are needed, 0 were given"),
        (
            [np.zeros((4, 5))],
            r"argument 0 has shape \(4, 5\), expected tensor<4x6xf32>",
        ),
        ([np.zeros(24)], r"argument 0 has shape \(24,\)"),
    ],
)
def test_arguments_are_checked(arrays: list[np.ndarray], message: str):
    with pytest.raises(InvalidInput, match=message):
        execute(SAMPLES["mbc.softmax"].module(), arrays)


def test_a_missing_function_is_named():
    with pytest.raises(InvalidInput, match="the module has no function @prepare"):
        execute(SAMPLES["mbc.softmax"].module(), [], function="prepare")


def test_what_cannot_be_executed_is_named():
    text = "func.func @forward() { %c = arith.constant 1 : i1 scf.if %c {} return }"
    with pytest.raises(InvalidInput, match=r"cannot execute 'scf\.if'"):
        execute(parse_module(text), [])
