"""Small uses of every operator, imported and compared with eager PyTorch."""

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import pytest
import torch
import torch.nn.functional as F
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor, nn

from mbc.errors import UnsupportedModel
from mbc.frontend.torch_export import import_model
from mbc.ir.ops.recurrent import RecurrentOp
from mbc.ir.types import shape_of
from tests.frontend.support import Function, check

Case = tuple[Callable[..., Any], tuple[Any, ...]]
nan, inf = float("nan"), float("inf")


def floats(*shape: int, seed: int = 0) -> Tensor:
    generator = torch.Generator().manual_seed(seed)
    return torch.randn(shape, generator=generator)


def batched(names: Iterable[str], size: int) -> list[tuple[str, ...]]:
    listed = list(names)
    return [tuple(listed[i : i + size]) for i in range(0, len(listed), size)]


def positive(*shape: int) -> Tensor:
    return floats(*shape).abs() + 0.1


def whole(*shape: int, low: int = -9, high: int = 9, dtype: torch.dtype = torch.int64):
    generator = torch.Generator().manual_seed(0)
    return torch.randint(low, high, shape, generator=generator).to(dtype)


def write_slices(x: Tensor) -> Tensor:
    y = x.clone()
    y[1:, 0] = 2
    y[:, 1:3] += x[:, 2:]
    y[-1] = 7.0
    return y


X = floats(3, 4)
Y = floats(3, 4, seed=1)
INTS = whole(3, 4)
COUNTS = whole(3, 4, low=1)
BOOLS = floats(3, 4) > 0
SPECIAL = torch.tensor([nan, -2.0, 2.0, 0.25, -0.0, inf, -inf])

UNARY = (
    *(torch.relu, torch.abs, torch.neg, torch.sign, torch.floor, torch.ceil),
    *(torch.round, torch.trunc, torch.sigmoid, torch.tanh, torch.exp, torch.expm1),
    *(torch.sin, torch.cos, torch.erf, torch.reciprocal, torch.exp2, torch.square),
    *(F.silu, F.mish, F.hardswish, F.hardsigmoid, F.selu, F.elu, F.softplus),
    *(F.gelu, F.leaky_relu, F.relu6, F.logsigmoid, F.softsign, torch.frac),
    *(torch.sinh, torch.cosh, torch.asinh, torch.atan, torch.tan),
    *(torch.isnan, torch.isinf, torch.logical_not, torch.isfinite),
)
POSITIVE = (torch.log, torch.log1p, torch.log2, torch.log10, torch.sqrt, torch.rsqrt)

CASES: dict[str, Case] = {
    "arcs": (
        lambda x: (torch.acos(x), torch.asin(x), torch.atanh(x), torch.acosh(x + 1)),
        (torch.rand(5, generator=torch.Generator().manual_seed(1)),),
    ),
    "arcs outside": (lambda x: (torch.acos(x), torch.acosh(x)), (SPECIAL,)),
    "atan2": (torch.atan2, (X, Y)),
    "atan2 of integers": (torch.atan2, (INTS, whole(3, 4, low=-3, high=4))),
    "copysign": (lambda x: (torch.copysign(x, -x), torch.copysign(x, -2.0)), (X,)),
    "fmax": (
        lambda x, i: (
            torch.fmax(x, -x),
            torch.fmin(x, x.flip(0)),
            torch.fmax(i, i * 2),
        ),
        (SPECIAL, INTS),
    ),
    "gelu tanh": (lambda x: F.gelu(x, approximate="tanh"), (X,)),
    "softplus beta": (lambda x: F.softplus(x, 2.0, 0.5), (X,)),
    "elu alpha": (lambda x: F.elu(x, 0.5), (X,)),
    "clamp": (lambda x: (x.clamp(-1, 1), x.clamp(max=0.5), x.clamp(min=0)), (X,)),
    "clamp tensor": (lambda x, y: torch.clamp(x, min=y), (X, Y)),
    "add alpha": (lambda x, y: torch.add(x, y, alpha=-4), (X, Y)),
    "sub alpha": (lambda x, y: torch.sub(x, y, alpha=3), (X, Y)),
    "rsub": (lambda x: (1 - x, 2.5 / x), (positive(3, 4),)),
    "int add float": (lambda i, x: (i + x, i * 2, i / 3, i + 0.5), (INTS, X)),
    "bool arithmetic": (lambda b: (b + b, b * b, b + 1, ~b, b & b.roll(1)), (BOOLS,)),
    "pow": (lambda x: (x**2, x**3, x**0.5, x**-1, x**-2, x**1.7, 2**x), (positive(5),)),
    "infinite pow": (lambda x: (x**inf, x**-inf, x**nan), (SPECIAL,)),
    "pow of tensors": (torch.pow, (positive(3, 4), Y)),
    "int pow": (lambda i: (i**2, i**5), (INTS,)),
    "comparisons": (lambda x, y: (x < y, x >= 0, x == x, x != y, x > 0.5), (X, Y)),
    "mixed comparison": (lambda i, x: (i < x, i > 0.5, i == 2), (INTS, X)),
    "bool comparison": (lambda b: (b < True, b >= b, b == b), (BOOLS,)),
    "logic": (lambda x, b: (x.logical_and(b), x.logical_or(b), b ^ b), (X, BOOLS)),
    "bitwise": (lambda i, j: (i & j, i | j, i ^ j, ~i, i & 3), (INTS, COUNTS)),
    "where": (
        lambda b, x: (torch.where(b, x, 0.0), torch.where(b, x, x * 2)),
        (BOOLS, X),
    ),
    "where promotes": (lambda b, x, i: torch.where(b, x, i), (BOOLS, X, INTS)),
    "masked fill": (lambda x, b: x.masked_fill(b, -inf), (X, BOOLS)),
    "int division": (
        lambda i, j: (i // j, i % j, torch.fmod(i, j), torch.div(i, j)),
        (INTS, torch.where(whole(3, 4) < 0, -COUNTS, COUNTS)),
    ),
    "int trunc": (lambda i, j: torch.div(i, j, rounding_mode="trunc"), (INTS, COUNTS)),
    "float remainder": (lambda x, y: (x % y, torch.fmod(x, y), x // y), (X, Y)),
    "casts": (
        lambda x: (x.int(), x.to(torch.uint8), x.half(), x.double(), x.bool()),
        (positive(6) * 9,),
    ),
    "casts of ints": (
        lambda i: (i.float(), i.to(torch.int8), i.bool(), i.to(torch.uint8).float()),
        (INTS,),
    ),
    "uint8": (
        lambda u, v: (
            *(u + v, u // v, u < v, torch.maximum(u, v), u.amax(), u.float()),
            *(u.relu(), u.abs(), u.sign(), u.sgn(), (v - v).sign(), -u, 3 - u),
            *(u.clamp(4, 200), u.clamp(min=140), u.clamp(max=140), u.clamp(-1, 100)),
            *(u.clamp(min=v), u.clamp_max(v), F.hardtanh(u, 3, 200), F.relu6(u)),
            *(F.threshold(u, 140, 7), u % 7, u**2),
        ),
        (
            torch.tensor([250, 6, 130], dtype=torch.uint8),
            torch.tensor([5, 200, 3], dtype=torch.uint8),
        ),
    ),
    "matmul": (torch.matmul, (floats(3, 4), floats(4, 5))),
    "matmul vectors": (
        lambda a, b, v: (v @ v, a @ v, v @ b),
        (floats(3, 4), floats(4, 5), floats(4)),
    ),
    "batched matmul": (torch.matmul, (floats(2, 1, 3, 4), floats(5, 4, 2))),
    "matmul int": (torch.matmul, (whole(3, 4), whole(4, 5))),
    "bmm": (torch.bmm, (floats(2, 3, 4), floats(2, 4, 5))),
    "addmm": (
        lambda b, x, y: (
            torch.addmm(b, x, y, beta=0.5, alpha=2),
            torch.addmm(b * nan, x, y, beta=0),
        ),
        (floats(5), floats(3, 4), floats(4, 5)),
    ),
    "einsum": (
        lambda a, b: torch.einsum("bhqd,bhkd->bhqk", a, b),
        (floats(2, 3, 4, 5), floats(2, 3, 6, 5)),
    ),
    "linear vector": (F.linear, (floats(4), floats(3, 4), floats(3))),
    "softmax": (lambda x: (x.softmax(-1), x.softmax(0), x.log_softmax(1)), (X,)),
    "softmax dtype": (lambda i: i.softmax(0, dtype=torch.float32), (INTS,)),
    "logsumexp": (
        lambda x: (x.logsumexp(1), x.logsumexp((0, -1)), x.logsumexp((0,), True)),
        (floats(2, 3, 4),),
    ),
    "reductions": (
        lambda x: (x.sum(), x.mean(), x.sum((-1, 0)), x.mean(1, keepdim=True)),
        (floats(2, 3, 4),),
    ),
    "extremes": (
        lambda x: (x.amax((-1, 0), keepdim=True), x.amin(1), x.max(), x.min()),
        (floats(2, 3, 4),),
    ),
    "max dim": (lambda x: (x.max(1), x.min(-1, keepdim=True)), (floats(2, 3, 4),)),
    "arg": (lambda x: (x.argmax(), x.argmin(1), x.argmax(0, True)), (floats(3, 4),)),
    "prod": (lambda x, i: (x.prod(1), i.prod(), i.prod(0)), (X, COUNTS)),
    "variance": (
        lambda x: (x.var(), x.var(1, correction=0), x.std(0), torch.std_mean(x, 1)),
        (X,),
    ),
    "norms": (
        lambda x: (x.norm(), x.norm(1, 1), x.norm(inf, 0), x.norm(3, -1)),
        (X,),
    ),
    "any all": (lambda x, b: (b.any(), b.all(1), (x > 9).any(0), x.all()), (X, BOOLS)),
    "integer sums": (
        lambda u, i, b: (u.cumsum(0), i.sum(), b.sum(), u.prod(), b.cumsum(0)),
        (
            torch.tensor([250, 6, 130], dtype=torch.uint8),
            torch.tensor([2**31 - 1, 1, 1], dtype=torch.int32),
            torch.ones(256, dtype=torch.bool),
        ),
    ),
    "scans": (lambda x: (x.cumsum(-1), x.cumprod(0)), (X,)),
    "empty": (
        lambda x, y: (x.sum(0), x.prod(0), x.mean(0), x.sum(1), y.relu()),
        (torch.zeros(0, 3), torch.zeros(1, 0, 4)),
    ),
    "permutations": (
        lambda x: (
            x.permute(2, 0, 1),
            x.transpose(0, 2),
            x.mT,
            x[:, None].transpose(0, 1),
        ),
        (floats(2, 3, 4),),
    ),
    "views": (
        lambda x: (x.view(6, 4), x.reshape(-1), x.flatten(1), x[None].squeeze(0)),
        (floats(2, 3, 4),),
    ),
    "slices": (
        lambda x: (x[1:, ::2], x[:, -1], x[0, 1:3], x[..., -3:-1], x[5:]),
        (floats(4, 6),),
    ),
    "expand": (lambda x: (x.expand(4, 3, 5), x.expand(3, 5) + 1), (floats(3, 1),)),
    "repeat": (lambda x: (x.repeat(2, 3), x.repeat(2, 1, 1)), (floats(2, 3),)),
    "repeat interleave": (lambda x: x.repeat_interleave(2, 1), (floats(2, 3),)),
    "flip roll": (lambda x: (x.flip(-1)[:, ::2], x.flip(0, 1), x.roll(2, 1)), (X,)),
    "joins": (
        lambda x, y: (torch.cat([x, y], -1), torch.stack([x, y], 1), torch.cat([x, x])),
        (X, Y),
    ),
    "cat promotes": (lambda x, i: torch.cat([x, i, torch.zeros(0)]), (X, INTS)),
    "splits": (lambda x: (x.split(2, 1), x.chunk(2), x.unbind(0)), (floats(4, 5),)),
    "pads": (
        lambda x: (F.pad(x, (1, 2), value=3.0), F.pad(x, (0, -1, 2, 0))),
        (X,),
    ),
    "reflection pad": (
        lambda x: F.pad(x, (1, 1, 2, 0), mode="reflect"),
        (floats(1, 2, 4, 4),),
    ),
    "slice writes": (write_slices, (X,)),
    "unfold": (lambda x: x.unfold(1, 3, 2), (floats(2, 7),)),
    "triangles": (lambda x: (x.tril(), x.triu(1), x.tril(-1)), (floats(2, 4, 5),)),
    "ranges": (
        lambda x: (x + torch.arange(4), torch.arange(1, 8, 3), torch.arange(0, 1, 0.3)),
        (X,),
    ),
    "constants": (
        lambda x: (
            torch.zeros(2),
            torch.ones_like(x),
            torch.full((2,), 7),
            x.new_ones(3),
        ),
        (X,),
    ),
    "embedding": (F.embedding, (whole(2, 3, low=0), floats(10, 4))),
    "indices": (
        lambda x, i: (x[i], x[:, -i], x.index_select(1, i), x[i, i], x[i[:, None], -i]),
        (floats(4, 5), torch.tensor([1, 3, 0])),
    ),
    "gather": (lambda x, i: x.gather(1, i), (X, whole(3, 2, low=0, high=4))),
    "upsample": (
        lambda x: F.interpolate(x, scale_factor=2.0, mode="nearest"),
        (floats(1, 2, 3, 3),),
    ),
    "losses": (
        lambda x, i: F.cross_entropy(x, i),
        (X, torch.tensor([0, 3, 1])),
    ),
    "cosine": (lambda x, y: F.cosine_similarity(x, y), (X, Y)),
    "conv1d": (
        lambda x, w, b: (F.conv1d(x, w, b), F.conv1d(x, w, padding="same")),
        (floats(2, 3, 9), floats(4, 3, 4), floats(4)),
    ),
    "conv2d": (
        lambda x, w, b: F.conv2d(x, w, b, stride=2, padding=(1, 2), dilation=2),
        (floats(2, 3, 9, 9), floats(4, 3, 3, 3), floats(4)),
    ),
    "conv groups": (
        lambda x, w: F.conv2d(x, w, groups=3, padding="valid"),
        (floats(2, 6, 5, 5), floats(9, 2, 3, 2)),
    ),
    "conv_transpose1d": (
        lambda x, w, b: (
            F.conv_transpose1d(x, w, b, stride=3, dilation=2),
            F.conv_transpose1d(x[0], w, padding=1),
        ),
        (floats(2, 3, 7), floats(3, 4, 4), floats(4)),
    ),
    "conv_transpose2d": (
        lambda x, w, b: F.conv_transpose2d(
            x, w, b, stride=2, padding=(1, 0), output_padding=(1, 0)
        ),
        (floats(2, 3, 4, 5), floats(3, 4, 3, 2), floats(4)),
    ),
    "conv_transpose groups": (
        lambda x, w: F.conv_transpose2d(x, w, stride=(1, 2), groups=3, dilation=(2, 3)),
        (floats(1, 6, 4, 5), floats(6, 2, 3, 3)),
    ),
    "conv_transpose3d": (
        lambda x, w: F.conv_transpose3d(x, w, stride=(2, 1, 3)),
        (floats(1, 2, 3, 3, 2), floats(2, 3, 2, 3, 2)),
    ),
    "conv of other paddings": (
        lambda x, w: [
            F.conv2d(F.pad(x, (1, 1, 1, 1), mode=mode), w)
            for mode in ("reflect", "circular", "replicate")
        ],
        (floats(1, 2, 4, 5), floats(3, 2, 3, 3)),
    ),
    "any convolution": (
        lambda x, w, v: (
            torch.convolution(x, w, None, [2], [1], [1], False, [0], 1),
            torch.convolution(x, v, None, [2], [1], [1], True, [1], 1),
        ),
        (floats(2, 3, 7), floats(4, 3, 3), floats(3, 4, 3)),
    ),
    "conv3d": (F.conv3d, (floats(2, 5, 5, 5), floats(3, 2, 2, 3, 2))),
    "max pools": (
        lambda x: (F.max_pool2d(x, 2, ceil_mode=True), F.max_pool2d(x, 3, 2, 1)),
        (floats(1, 2, 7, 7) - 9,),
    ),
    "max pool drops": (
        lambda x: F.max_pool2d(x, 1, 3, ceil_mode=True),
        (floats(1, 1, 30, 30),),
    ),
    "max pool dilated": (lambda x: F.max_pool1d(x, 2, 1, 0, 2), (floats(2, 3, 8),)),
    "average pools": (
        lambda x: (
            F.avg_pool2d(x, 3, 2, 1),
            F.avg_pool2d(x, 3, 2, 1, ceil_mode=True, count_include_pad=False),
            F.avg_pool2d(x, 2, divisor_override=3),
        ),
        (floats(1, 2, 8, 8),),
    ),
    "average pool 1d 3d": (
        lambda x, y: (F.avg_pool1d(x, 2), F.avg_pool3d(y, 2)),
        (floats(2, 3, 8), floats(1, 2, 4, 4, 4)),
    ),
    "adaptive": (
        lambda x: (
            F.adaptive_avg_pool2d(x, 1),
            F.adaptive_avg_pool2d(x, (2, 3)),
            F.adaptive_max_pool2d(x, (3, 1)),
        ),
        (floats(1, 2, 6, 6),),
    ),
    "attention": (F.scaled_dot_product_attention, (floats(1, 2, 4, 3),) * 3),
    "attention rank 3": (
        lambda q, m: F.scaled_dot_product_attention(q, q, q, m, scale=0.3),
        (floats(2, 4, 3), floats(2, 4, 4)),
    ),
    "attention masked": (
        lambda q, k, m: F.scaled_dot_product_attention(q, k, k, m),
        (
            floats(1, 1, 2, 4),
            floats(1, 1, 3, 4),
            torch.tensor([[True] * 3, [False] * 3]),
        ),
    ),
    "grouped queries": (
        lambda q, k: F.scaled_dot_product_attention(
            q, k, k, is_causal=True, enable_gqa=True
        ),
        (floats(2, 4, 5, 3), floats(2, 2, 5, 3)),
    ),
}


def test_unary():
    check(lambda x: tuple(function(x) for function in UNARY), floats(2, 5) * 2)
    check(lambda x: tuple(function(x) for function in POSITIVE), positive(2, 5))


@pytest.mark.parametrize("names", batched(CASES, 13), ids=", ".join)
def test_cases(names: Sequence[str]):
    """Several in one program: most of the time is torch.export's own."""

    def function(inputs: dict[str, Any]) -> dict[str, Any]:
        return {name: CASES[name][0](*inputs[name]) for name in names}

    check(function, {name: CASES[name][1] for name in names})


def test_a_variance_and_its_mean_share_the_mean():
    """Both reduce for the mean and for the squares, and no more."""

    def function(x: Tensor):
        return torch.var_mean(x, 1), torch.std_mean(x, 0, keepdim=True)

    imported = check(function, X)
    names = [op.name for op in imported.module.walk()]
    assert names.count("mbc.reduce") == 4


def test_nan_survives():
    check(lambda x: (x.relu(), x.clamp(-1, 1), x.clamp(max=0.5), x.sign()), SPECIAL)
    check(lambda x: (torch.maximum(x, x * 0), torch.minimum(x, x.flip(0))), SPECIAL)
    check(lambda x: (F.elu(x), F.leaky_relu(x), F.hardswish(x), F.softplus(x)), SPECIAL)


def test_softmax_of_a_masked_row_is_nan():
    rows = torch.tensor([[0.0, 0.0, -inf], [-inf, -inf, -inf]])
    check(lambda x: x.softmax(-1), rows)


def test_floor_division_of_floats_is_exact():
    a = torch.tensor([3.0, 2.0, 9.0, -5.0, 5.0, inf, -inf, 1.0, -0.0])
    b = torch.tensor([0.1, 0.2, 0.3, 2.0, -2.0, 4.0, 4.0, 0.0, 3.0])
    check(lambda a, b: (a // b, torch.remainder(a, b)), a, b, float64=False)
    check(lambda a, b: a // b, a.double(), b.double(), float64=False)


def test_int32_floor_division_wraps():
    a = torch.tensor([-7, 7, -8, -(2**31)], dtype=torch.int32)
    b = torch.tensor([2, -2, 2, -1], dtype=torch.int32)
    check(torch.floor_divide, a, b)


def test_explicit_rounding_is_kept():
    x = torch.tensor([1.0, 1.00390625, 1.001, 3.14159265, 1e-40, 3.4e38, inf])
    check(lambda x: x.to(torch.bfloat16).float() * 2.0, x)


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16])
def test_narrow_floats(dtype: torch.dtype):
    x, w = floats(4, 8).to(dtype), floats(6, 8, seed=1).to(dtype)

    def function(x: Tensor, w: Tensor):
        return F.gelu(F.linear(x, w)), x.softmax(-1), x * 0.1 + 1, x.mean(0), x @ w.T

    check(function, x, w, tolerance=1e-2, float64=False)


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


EXTENT = st.sampled_from([1, 2, 3])
SHAPES = st.lists(EXTENT, min_size=0, max_size=3).map(tuple)


@st.composite
def broadcastable(draw: st.DrawFn) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Two shapes that broadcast: either may have ones or fewer axes."""
    shape = draw(SHAPES)
    ones = [draw(st.sampled_from([0, 1, 2])) for _ in shape]
    first = tuple(1 if o == 1 else n for n, o in zip(shape, ones, strict=True))
    second = tuple(1 if o == 2 else n for n, o in zip(shape, ones, strict=True))
    return first, second[draw(st.integers(0, len(second))) :]


@settings(max_examples=4, deadline=None)
@given(broadcastable())
def test_broadcasting(shapes: tuple[tuple[int, ...], tuple[int, ...]]):
    a, b = (floats(*shape) for shape in shapes)
    check(lambda a, b: torch.where(a > b, a * b, b - a), a, b)


@settings(max_examples=4, deadline=None)
@given(broadcastable(), EXTENT, EXTENT, EXTENT)
def test_matmul_broadcasting(
    shapes: tuple[tuple[int, ...], tuple[int, ...]], m: int, k: int, n: int
):
    a, b = floats(*shapes[0], m, k), floats(*shapes[1], k, n)
    check(torch.matmul, a, b)


INTEGER_REFUSALS: dict[str, Callable[[Tensor], Tensor]] = {
    "gelu": F.gelu,
    "silu": F.silu,
    "mish": F.mish,
    "softplus": F.softplus,
    "hardswish": F.hardswish,
    "hardsigmoid": F.hardsigmoid,
    "pow": lambda x: x**-1,
}


@pytest.mark.parametrize("name", INTEGER_REFUSALS)
def test_what_pytorch_refuses_for_integers(name: str):
    function = INTEGER_REFUSALS[name]
    with pytest.raises((RuntimeError, NotImplementedError)):
        function(INTS)
    with pytest.raises(UnsupportedModel, match=f"aten.{name}.*PyTorch has"):
        import_model(Function(function), (INTS,))
