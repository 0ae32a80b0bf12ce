"""Text: what is printed reads back as the same, and mistakes have a place."""

from __future__ import annotations

import subprocess
import sys

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from xdsl.dialects import arith
from xdsl.dialects.builtin import (
    BytesAttr,
    DenseIntOrFPElementsAttr,
    ModuleOp,
    TensorType,
    bf16,
    f16,
    f32,
    f64,
)
from xdsl.ir import Attribute

from mbc.errors import InvalidInput
from mbc.ir import build
from mbc.ir.fingerprint import fingerprint
from mbc.ir.scalars import constant_value
from mbc.ir.text import parse_module, print_module
from mbc.ir.types import numpy_dtype
from tests.ir.samples import SAMPLES, floats, module_of, named

FLOATS = {"f16": f16, "bf16": bf16, "f32": f32, "f64": f64}

KERNEL = """\
func.func @forward(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %r = mbc.kernel "k0" (%x) {
  ^bb0(%a: tensor<4x8xf32>):
    %0 = mbc.softmax %a {axis = 1 : i64, log = false} : (tensor<4x8xf32>) -> tensor<4x8xf32>
    mbc.yield %0 : tensor<4x8xf32>
  } : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return %r : tensor<4x8xf32>
}
"""  # noqa: E501


def module_with(attribute: Attribute) -> ModuleOp:
    return ModuleOp([arith.ConstantOp(attribute)])


def constant_of(module: ModuleOp) -> arith.ConstantOp:
    op = module.body.block.first_op
    assert isinstance(op, arith.ConstantOp)
    return op


def bit_patterns(name: str) -> st.SearchStrategy[np.ndarray]:
    """Every pattern of the type but NaNs with a payload."""
    dtype = numpy_dtype(FLOATS[name])
    bits = np.dtype(f"u{dtype.itemsize}")
    shapes = hnp.array_shapes(min_dims=0, max_dims=3, min_side=0, max_side=4)

    def value(raw: np.ndarray) -> np.ndarray:
        array = raw.view(dtype)
        return np.where(np.isnan(array), np.asarray(np.nan, dtype), array)

    return hnp.arrays(bits, shapes).map(value)


@pytest.mark.parametrize("name", FLOATS)
@given(data=st.data())
def test_dense_floats_survive(name: str, data: st.DataObject):
    array = data.draw(bit_patterns(name))
    type = TensorType(FLOATS[name], array.shape)
    dense = DenseIntOrFPElementsAttr(type, BytesAttr(array.tobytes()))
    text = print_module(module_with(dense))
    assert text.count("dense<") == 1
    assert "0x" in text or not array.size
    again = constant_of(parse_module(text))
    assert again.value == dense
    assert constant_value(again).tobytes() == array.tobytes()


@pytest.mark.parametrize(
    ("literal", "type", "wanted"),
    [
        ("[0xFF800000, 0x7FC00000, 1.0]", "3xf32", [-np.inf, np.nan, 1.0]),
        ("0xFF800000", "2xf32", [-np.inf, -np.inf]),
        ("[0xFF80, 0x3F80]", "2xbf16", [-np.inf, 1.0]),
        ("[0x7C00, -1.5]", "2xf16", [np.inf, -1.5]),
        ("[0x7FF0000000000000]", "1xf64", [np.inf]),
        ('"0x0000803F"', "2xf32", [1.0, 1.0]),
        ("[0xFF, 1]", "2xi32", [255, 1]),
    ],
)
def test_foreign_literals(literal: str, type: str, wanted: list[float]):
    module = parse_module(f"%a = arith.constant dense<{literal}> : tensor<{type}>")
    found = constant_value(constant_of(module)).astype(np.float64)
    np.testing.assert_array_equal(found, np.array(wanted))


def test_numpy_knows_the_types():
    assert numpy_dtype(bf16) == np.dtype(ml_dtypes.bfloat16)


@pytest.mark.parametrize("name", SAMPLES)
def test_samples_read_back(name: str):
    module = SAMPLES[name].module()
    text = print_module(module)
    again = parse_module(text)
    assert fingerprint(again) == fingerprint(module)
    assert print_module(again) == text


def test_several_results_read_back_in_stock_xdsl():
    def body(x):
        def both(a, b, c):
            return a, a

        maps = [build.identity_map(1)] * 3
        inits = [build.empty((4,), f32), build.empty((4,), f32)]
        return build.generic([x], inits, maps, ["parallel"], both)

    module = module_of(floats((4,)), body)
    text = print_module(module)
    assert '"linalg.generic"' in text
    assert fingerprint(parse_module(text)) == fingerprint(module)
    done = subprocess.run(
        [sys.executable, "-m", "xdsl.tools.xdsl_opt"],
        input=text,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr


def test_locations_are_printed_and_kept():
    module = parse_module(KERNEL, "k.mlir")
    text = print_module(module, locations=True)
    assert text.count('loc("k.mlir":4:10)') == 1
    assert print_module(parse_module(text, "other.mlir")) == print_module(module)
    assert 'loc("k.mlir":4:10)' in print_module(parse_module(text), locations=True)
    assert "loc(" not in print_module(module)


@pytest.mark.parametrize(
    ("text", "place", "message"),
    [
        (
            KERNEL.replace("axis = 1", "axis = 3"),
            "f.mlir:4:10",
            "mbc.softmax: axis 3 is not in a rank-2 tensor",
        ),
        (
            KERNEL.replace("softmax", "sofmax"),
            "f.mlir:4:21",
            "Operation mbc.sofmax is not registered",
        ),
        (
            KERNEL.replace(", log = false", ""),
            "f.mlir:4:10",
            "property 'log' expected in operation 'mbc.softmax'",
        ),
        ("", "f.mlir", "the input is empty"),
        (
            "builtin.module attributes {mbc.version = 2 : i64} {}",
            "f.mlir",
            "the module has mbc.version 2; this mbc reads up to 1: install a newer mbc",
        ),
        (
            'builtin.module attributes {mbc.version = "x"} {}',
            "f.mlir",
            "mbc.version is not an integer",
        ),
        (
            "%a = arith.constant dense<[0xFF800000, 1.0]> : tensor<2xbf16>",
            "f.mlir:1:28",
            "hex element does not fit in the bits of bf16",
        ),
    ],
)
def test_mistakes_have_a_place(text: str, place: str, message: str):
    with pytest.raises(InvalidInput) as error:
        parse_module(text, "f.mlir")
    assert error.value.message == message
    assert str(error.value.location) == place


@pytest.mark.parametrize("cut", range(0, len(KERNEL), 17))
def test_cut_off_text_is_one_sentence(cut: int):
    text = KERNEL[:cut]
    with pytest.raises(InvalidInput) as error:
        parse_module(text)
    assert "\n" not in error.value.message


def test_the_version_of_now_is_read():
    parse_module("builtin.module attributes {mbc.version = 1 : i64} {}")


def test_named_helper_builds_what_the_text_says():
    module = module_of(floats((4, 8)), lambda x: named("softmax", x, axis=1, log=False))
    assert "mbc.softmax %" in print_module(module)
