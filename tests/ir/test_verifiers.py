"""Every check of every op's verifier says what is wrong in one sentence."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from xdsl.dialects.builtin import (
    AffineMapAttr,
    ArrayAttr,
    DenseArrayBase,
    f32,
    f64,
    i32,
    i64,
)
from xdsl.ir import Block
from xdsl.utils.exceptions import VerifyException

from mbc.ir import build
from mbc.ir.ops import op_class
from mbc.ir.tensor_op import PropertyValue, to_attribute
from mbc.ir.types import Tensor, tensor


def f(*shape: int) -> Tensor:
    return tensor(shape, f32)


def i(*shape: int) -> Tensor:
    return tensor(shape, i32)


def maps(*rows: Sequence[int]) -> ArrayAttr[AffineMapAttr]:
    return ArrayAttr(AffineMapAttr(build.dims_map(3, row)) for row in rows)


Properties = dict[str, PropertyValue]

CONV: Properties = {
    "strides": (1, 1),
    "low": (0, 0),
    "high": (0, 0),
    "dilation": (1, 1),
    "groups": 1,
    "acc": "f32",
}
TRANSPOSED: Properties = CONV | {"output_padding": (0, 0)}
POOL: Properties = {
    "kind": "max",
    "window": (2, 2),
    "strides": (1, 1),
    "low": (0, 0),
    "high": (0, 0),
    "dilation": (1, 1),
    "count_padding": False,
    "divisor": 0,
}
REDUCE: Properties = {"kind": "sum", "axes": (0,), "keepdims": False}
ARG: Properties = {"kind": "max", "axis": 0, "keepdims": False}
SCAN: Properties = {"kind": "sum", "axis": 1, "exclusive": False, "reverse": False}
ATTENTION: Properties = {"scale": 1.0, "causal": False}
RESIZE: Properties = {
    "mode": "linear",
    "sizes": (4,),
    "steps": DenseArrayBase.from_list(f64, [0.5]),
    "half_pixel": True,
}
DRAW: Properties = {"kind": "uniform", "stream": 0, "shape": (2,), "dtype": "f32"}
SORT: Properties = {"axis": 0, "count": 2, "descending": False, "unsigned": False}
PAD: Properties = {"low": (0,), "high": (0,), "value": 0.0}
LSTM: Properties = {"kind": "lstm", "reverse": False}
GRU: Properties = {"kind": "gru", "reverse": False}
RNN: Properties = {"kind": "tanh", "reverse": True}
GEMM = maps((0, 2), (1, 2), (0, 1))

BAD: list[tuple[str, list[Tensor], Properties, str]] = [
    ("interpolate", [f(1, 1, 2)], RESIZE | {"mode": "area"}, "mode is none of"),
    ("interpolate", [f(1, 1)], RESIZE | {"sizes": ()}, "no axis to resample"),
    ("interpolate", [f(1, 2)], RESIZE, "needs a batch and a channel axis"),
    ("interpolate", [f(1, 1, 2, 2)], RESIZE | {"sizes": (2, 2)}, "one step per axis"),
    ("interpolate", [f(1, 1, 2)], RESIZE | {"sizes": (-1,)}, "a size is negative"),
    ("interpolate", [f(1, 1, 0)], RESIZE, "nothing to resample"),
    ("interpolate", [i(1, 1, 2)], RESIZE, "needs floats"),
    ("random", [i()], DRAW, "the seed is one i64"),
    ("random", [tensor((), i64)], DRAW | {"kind": "gamma"}, "uniform, normal, bits"),
    ("random", [tensor((), i64)], DRAW | {"dtype": "i8"}, "dtype is none of f64"),
    ("random", [tensor((), i64)], DRAW | {"shape": (-1,)}, "an extent is negative"),
    ("random", [tensor((), i64)], DRAW | {"stream": -1}, "counters have 32 bits"),
    ("scatter", [f(3), i(2), f(2)], {"axis": 1, "kind": "add"}, "axis 1 is not in"),
    ("scatter", [f(3), i(2), f(2)], {"axis": 0, "kind": "mean"}, "set, add, mul"),
    ("scatter", [f(3), f(2), f(2)], {"axis": 0, "kind": "set"}, "must be integers"),
    ("scatter", [f(3), i(2), i(2)], {"axis": 0, "kind": "set"}, "different element"),
    ("scatter", [f(3), i(2), f(3)], {"axis": 0, "kind": "set"}, "is no update of"),
    ("sort", [f(2)], SORT | {"axis": 1}, "axis 1 is not in a rank-1 tensor"),
    ("sort", [f(2)], SORT | {"count": 3}, "3 elements of an axis of 2"),
    ("sort", [f(2)], SORT | {"unsigned": True}, "unsigned floats"),
    ("pad", [f(2)], PAD | {"mode": "mirror"}, "mode is none of constant, reflect"),
    ("pad", [f(2)], PAD | {"low": (2,), "mode": "reflect"}, "more than reflect"),
    ("gather", [f(0, 2), i(3)], {"axis": 0}, "the axis has no element to pick"),
    ("arg_reduce", [f(2, 3)], ARG | {"axis": 2}, "axis 2 is not in a rank-2 tensor"),
    ("arg_reduce", [f(2, 3)], ARG | {"kind": "mean"}, "max or min"),
    ("arg_reduce", [f(0, 3)], ARG, "the reduced axis is empty"),
    ("attention", [f(1, 2, 3), f(1, 2, 3), f(1, 2, 3)], ATTENTION, "batch, heads"),
    ("attention", [i(1, 1, 2, 3)] * 3, ATTENTION, "needs floats"),
    (
        "attention",
        [f(1, 1, 2, 3), f(2, 1, 2, 3), f(1, 1, 2, 3)],
        ATTENTION,
        "batch or heads differ",
    ),
    (
        "attention",
        [f(1, 1, 2, 3), f(1, 1, 2, 4), f(1, 1, 2, 3)],
        ATTENTION,
        "depth of the key",
    ),
    ("attention", [*[f(1, 1, 2, 3)] * 3, f(1, 1, 3, 2)], ATTENTION, "mask"),
    (
        "attention",
        [f(1, 1, 2, 3)] * 3,
        ATTENTION | {"masked_rows": "one"},
        "masked_rows is one of zero, nan",
    ),
    ("batch_norm", [f(2), f(2), f(2)], {"eps": 0.1}, "has no channel axis"),
    ("batch_norm", [i(2, 3), i(3), i(3)], {"eps": 0.1}, "needs floats"),
    ("batch_norm", [f(2, 3), *[f(3)] * 5], {"eps": 0.1}, "at most a scale and a shift"),
    ("batch_norm", [f(2, 3), f(3), f(2)], {"eps": 0.1}, "one value per channel"),
    ("concat", [], {"axis": 0}, "needs an operand"),
    ("concat", [f(2, 3)], {"axis": -1}, "axis -1 is not in a rank-2 tensor"),
    ("concat", [f(2, 3), f(2, 4)], {"axis": 0}, "does not fit"),
    ("concat", [f(2, 3), i(2, 3)], {"axis": 0}, "does not fit"),
    (
        "contract",
        [f(2, 3), f(4, 3)],
        {"indexing_maps": maps((0, 2), (1, 2)), "acc": "f32"},
        "three indexing maps",
    ),
    (
        "contract",
        [f(2, 3, 1), f(4, 3)],
        {"indexing_maps": GEMM, "acc": "f32"},
        "a map has 2 results",
    ),
    (
        "contract",
        [f(2, 3), f(4, 5)],
        {"indexing_maps": GEMM, "acc": "f32"},
        "loop d2 is 3 in one operand and 5 in the other",
    ),
    (
        "contract",
        [f(2, 3), i(4, 3)],
        {"indexing_maps": GEMM, "acc": "f32"},
        "differ in element type",
    ),
    (
        "contract",
        [f(2, 3), f(2, 3)],
        {"indexing_maps": maps((0, 2), (0, 2), (0, 1)), "acc": "f32"},
        "a result axis is in no operand",
    ),
    ("conv", [f(2, 3), f(3, 3)], CONV, "no 1 to 3 spatial axes"),
    ("conv", [f(1, 3, 5, 5), f(4, 3, 2)], CONV, "other rank"),
    (
        "conv",
        [f(1, 3, 5, 5), f(4, 3, 2, 2)],
        CONV | {"strides": (1,)},
        "strides needs 2 values",
    ),
    ("conv", [f(1, 3, 5, 5), f(4, 2, 2, 2)], CONV, "do not fit"),
    ("conv", [f(1, 3, 5, 5), f(4, 3, 2, 6)], CONV, "the window is larger"),
    ("conv_transpose", [f(2, 3), f(3, 3)], TRANSPOSED, "no 1 to 3 spatial axes"),
    ("conv_transpose", [f(1, 3, 5, 5), f(3, 4, 2)], TRANSPOSED, "other rank"),
    (
        "conv_transpose",
        [f(1, 3, 5, 5), f(3, 4, 2, 2)],
        TRANSPOSED | {"low": (1,)},
        "low needs 2 values",
    ),
    ("conv_transpose", [f(1, 3, 5, 5), f(4, 3, 2, 2)], TRANSPOSED, "do not fit"),
    (
        "conv_transpose",
        [f(1, 3, 5, 5), f(3, 4, 2, 2)],
        TRANSPOSED | {"output_padding": (0, 1)},
        "not below stride",
    ),
    (
        "conv_transpose",
        [f(1, 3, 1, 5), f(3, 4, 2, 2)],
        TRANSPOSED | {"low": (1, 0), "high": (1, 0)},
        "no results are left",
    ),
    ("gather", [f(2, 3), i(4)], {"axis": 2}, "axis 2 is not in a rank-2 tensor"),
    ("gather", [f(2, 3), f(4)], {"axis": 0}, "indices must be integers"),
    ("group_norm", [f(2)], {"groups": 1, "eps": 0.1}, "has no channel axis"),
    ("group_norm", [f(2, 3)], {"groups": 2, "eps": 0.1}, "do not divide"),
    ("group_norm", [i(2, 4)], {"groups": 2, "eps": 0.1}, "needs floats"),
    ("group_norm", [f(2, 4), *[f(4)] * 3], {"groups": 2, "eps": 0.1}, "at most"),
    ("group_norm", [f(2, 4), f(2)], {"groups": 2, "eps": 0.1}, "per channel"),
    ("layer_norm", [f(2, 3)], {"axes": 3, "eps": 0.1}, "cannot normalize 3 axes"),
    ("layer_norm", [i(2, 3)], {"axes": 1, "eps": 0.1}, "needs floats"),
    ("layer_norm", [f(2, 3), *[f(3)] * 3], {"axes": 1, "eps": 0.1}, "at most"),
    ("layer_norm", [f(2, 3), f(2)], {"axes": 1, "eps": 0.1}, "does not match"),
    ("logsumexp", [f(2, 3)], {"axis": 5, "keepdims": False}, "axis 5"),
    ("logsumexp", [i(2, 3)], {"axis": 1, "keepdims": False}, "needs floats"),
    ("pack", [f(2, 3)], {"axis": 2, "tile": 4}, "axis 2"),
    ("pack", [f(2, 3)], {"axis": 0, "tile": 0}, "the tile must be positive"),
    ("pad", [f(2, 3)], {"low": (1,), "high": (0, 0), "value": 0.0}, "low needs 2"),
    (
        "pad",
        [f(2, 3)],
        {"low": (1, 0), "high": (0, -1), "value": 0.0},
        "high is negative",
    ),
    ("pool", [f(1, 2, 5)], POOL, "does not have 2 spatial axes"),
    ("pool", [f(1, 2, 5, 5)], POOL | {"kind": "sum"}, "kind is max or avg"),
    ("pool", [f(1, 2, 5, 5)], POOL | {"dilation": (1,)}, "dilation needs 2 values"),
    ("pool", [f(1, 2, 5, 1)], POOL, "the window is larger"),
    (
        "pool",
        [f(1, 2, 5, 5)],
        POOL | {"kind": "avg", "indices": True},
        "indices are of a maximum",
    ),
    ("recurrent", [f(3, 1, 16), f(4, 16), f(1, 4)], LSTM, "lstm takes 4 operands"),
    ("recurrent", [f(3, 1, 4), f(4, 4), f(1, 4), f(4)], RNN, "tanh takes 3 operands"),
    ("recurrent", [f(3, 1, 4), f(4, 4)], GRU, "gru takes 3 or 4 operands"),
    ("recurrent", [f(3, 1, 4), f(4, 4), f(1, 4)], RNN | {"kind": "elu"}, "kind 'elu'"),
    ("recurrent", [i(3, 1, 4), i(4, 4), i(1, 4)], RNN, "needs floats"),
    ("recurrent", [f(3, 4), f(4, 4), f(1, 4)], RNN, "time, batch, gates"),
    ("recurrent", [f(3, 1, 4), f(5, 4), f(1, 4)], RNN, "operand 1 is"),
    ("recurrent", [f(3, 1, 12), f(4, 12), f(1, 4), f(1)], GRU, "operand 3 is"),
    ("reduce", [f(2, 3)], REDUCE | {"kind": "any"}, "is none of sum, mean"),
    ("reduce", [f(2, 3)], REDUCE | {"axes": (2,)}, "axis 2"),
    ("reduce", [f(2, 3)], REDUCE | {"axes": (1, 1)}, "an axis is named twice"),
    ("reduce", [i(2, 3)], REDUCE | {"kind": "mean"}, "a mean needs floats"),
    ("rms_norm", [f(2, 3)], {"axes": 0, "eps": 0.1}, "cannot normalize 0 axes"),
    ("rms_norm", [i(2, 3)], {"axes": 1, "eps": 0.1}, "needs floats"),
    ("rms_norm", [f(2, 3), f(3), f(3)], {"axes": 1, "eps": 0.1}, "at most a scale"),
    ("rms_norm", [f(2, 3), f(2)], {"axes": 1, "eps": 0.1}, "does not match"),
    (
        "scan",
        [f(2, 3)],
        {"kind": "sum", "axis": 2, "exclusive": False, "reverse": False},
        "axis 2",
    ),
    (
        "scan",
        [f(2, 3)],
        {"kind": "mean", "axis": 1, "exclusive": False, "reverse": False},
        "kind 'mean' is none of",
    ),
    ("scan", [i(2, 3)], SCAN | {"kind": "logsumexp"}, "logsumexp needs floats"),
    ("scan", [f(2, 3)], SCAN | {"indices": True}, "indices are of a max or min"),
    (
        "scan",
        [f(2, 3)],
        SCAN | {"kind": "max", "indices": True, "exclusive": True},
        "an exclusive scan has no indices",
    ),
    ("softmax", [f(2, 3)], {"axis": 2, "log": False}, "axis 2"),
    ("softmax", [i(2, 3)], {"axis": 1, "log": False}, "needs floats"),
    ("unpack", [f(3)], {"axis": 0, "size": 3}, "has no panels and tile"),
    ("unpack", [f(2, 3, 4)], {"axis": 2, "size": 5}, "axis 2"),
    ("unpack", [f(2, 3, 4)], {"axis": 0, "size": 9}, "do not hold 9 elements"),
]


@pytest.mark.parametrize(("name", "types", "properties", "message"), BAD)
def test_illegal_uses(
    name: str, types: list[Tensor], properties: Properties, message: str
):
    block = Block(arg_types=types)
    with pytest.raises(VerifyException) as error:
        op_class(f"mbc.{name}").of(list(block.args), **properties)
    assert message in str(error.value)
    assert str(error.value).startswith(f"mbc.{name}")
    assert "\n" not in str(error.value)


def test_a_wrong_result_type_is_named():
    block = Block(arg_types=[f(2, 3)])
    op = op_class("mbc.softmax").create(
        operands=list(block.args),
        result_types=[f(2, 4)],
        properties={"axis": to_attribute(1), "log": to_attribute(False)},
    )
    block.add_op(op)
    with pytest.raises(VerifyException, match=r"gives \(tensor<2x3xf32>\) here"):
        op.verify_()


def test_scalars_are_no_operands():
    block = Block(arg_types=[i64])
    with pytest.raises(VerifyException, match="takes tensors only"):
        op_class("mbc.softmax").of(list(block.args), axis=0, log=False)
