"""Programs that passes are tried on: fixed ones by name, and random small ones."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np
from hypothesis import strategies as st
from xdsl.dialects import math as math_dialect
from xdsl.dialects.builtin import IntegerAttr, ModuleOp, StringAttr, f32
from xdsl.ir import SSAValue

from mbc.ir import build
from mbc.ir.arithmetic import add, constant, maximum, multiply, subtract
from mbc.ir.execute import execute
from mbc.ir.ops.contract import ContractOp
from mbc.ir.types import Array, shape_of
from mbc.passes.support.functions import attributes_of, forward_of, function_named
from tests.ir.samples import EPS, floats, module_of, named, random_arrays, square


def exp(x: SSAValue) -> SSAValue:
    return math_dialect.ExpOp(x).result


def tanh(x: SSAValue) -> SSAValue:
    return math_dialect.TanhOp(x).result


def relu(x: SSAValue) -> SSAValue:
    return maximum(x, constant(0.0, f32))


def pointwise(body: Callable[..., SSAValue], *inputs: SSAValue) -> SSAValue:
    """An elementwise generic over the broadcast shape of `inputs`."""
    shape = np.broadcast_shapes(*(shape_of(value) for value in inputs))
    return build.elementwise(list(inputs), shape, f32, body)


def linear(x: SSAValue, weight: SSAValue, bias: SSAValue) -> SSAValue:
    transposed = build.transpose(weight, (1, 0))
    return pointwise(add, ContractOp.einsum("mk,kn->mn", x, transposed).result, bias)


def mlp() -> ModuleOp:
    def body(x: SSAValue, a: SSAValue, b: SSAValue, c: SSAValue, d: SSAValue):
        hidden = pointwise(relu, linear(x, a, b))
        return named("softmax", linear(hidden, c, d), axis=1, log=False)

    types = floats((5, 8), (12, 8), (12,), (6, 12), (6,))
    return module_of(types, body, parameters=(1, 2, 3, 4))


def conv_net() -> ModuleOp:
    def body(x: SSAValue, w: SSAValue, *norm: SSAValue):
        y = named(
            "conv",
            x,
            w,
            strides=(1, 1),
            low=(1, 1),
            high=(1, 1),
            dilation=(1, 1),
            groups=1,
            acc="f32",
        )
        mean, variance, scale, shift = norm
        y = named("batch_norm", y, mean, square(variance), scale, shift, eps=EPS)
        y = pointwise(relu, y)
        y = named("reduce", y, kind="mean", axes=(2, 3), keepdims=False)
        return build.reshape(y, (2, 2, 2))

    types = floats((2, 3, 5, 5), (4, 3, 3, 3), (4,), (4,), (4,), (4,))
    return module_of(types, body, parameters=(1, 2, 3, 4, 5))


def softmax_by_hand() -> ModuleOp:
    def body(x: SSAValue, mask: SSAValue):
        x = pointwise(
            add, pointwise(lambda v: multiply(v, constant(0.5, f32)), x), mask
        )
        top = named("reduce", x, kind="max", axes=(1,), keepdims=True)
        e = pointwise(lambda v, m: exp(subtract(v, m)), x, top)
        total = named("reduce", e, kind="sum", axes=(1,), keepdims=True)
        return pointwise(lambda v, s: build_divide(v, s), e, total)

    return module_of(floats((4, 9), (9,)), body)


def build_divide(a: SSAValue, b: SSAValue) -> SSAValue:
    from mbc.ir.arithmetic import divide

    return divide(a, b)


def residual_norm() -> ModuleOp:
    """The sum is read by the norm and by the result."""

    def body(x: SSAValue, y: SSAValue, scale: SSAValue, shift: SSAValue):
        total = pointwise(add, x, y)
        norm = named("layer_norm", total, scale, shift, axes=1, eps=EPS)
        return pointwise(add, pointwise(tanh, norm), total)

    return module_of(floats((4, 6), (4, 6), (6,), (6,)), body, parameters=(2, 3))


def views() -> ModuleOp:
    """Reshapes of reshapes, a transpose, slices of both kinds, duplicates."""

    def body(x: SSAValue, y: SSAValue):
        flat = build.reshape(build.reshape(x, (24,)), (6, 4))
        turned = build.transpose(flat, (1, 0))
        row = build.extract_slice(flat, (2, 0), (2, 4), (1, 1))
        column = build.extract_slice(flat, (0, 1), (6, 2), (1, 1))
        whole = build.extract_slice(flat, (0, 0), (6, 4), (1, 1))
        twice = [pointwise(exp, turned), pointwise(exp, turned)]
        one = build.filled((4, 6), f32, 1.0)
        mixed = pointwise(lambda a, b, c: add(multiply(a, c), b), *twice, one)
        out = ContractOp.einsum("mk,kn->mn", mixed, pointwise(tanh, whole)).result
        joined = named("concat", row, out, axis=0)
        return joined, named("pad", column, low=(1, 0), high=(0, 1), value=-math.inf), y

    return module_of(floats((2, 12), (3,)), body)


def prepared_weights() -> ModuleOp:
    """Work on parameters in two steps, of which one result is returned as it is."""

    def body(x: SSAValue, a: SSAValue, b: SSAValue):
        joined = named("concat", a, b, axis=0)
        scaled = pointwise(lambda v: multiply(v, constant(3.0, f32)), joined)
        flat = build.reshape(scaled, (4 * 8,))
        y = ContractOp.einsum("mk,nk->mn", x, scaled).result
        return y, flat, build.reshape(a, (8, 1, 1))

    return module_of(floats((3, 8), (1, 8), (3, 8)), body, parameters=(1, 2))


def attention_by_hand() -> ModuleOp:
    """Rows of queries, an additive mask, and a linear layer behind."""

    def body(q: SSAValue, k: SSAValue, v: SSAValue, mask: SSAValue, w: SSAValue):
        scores = ContractOp.einsum("qhd,khd->hqk", q, k).result
        scores = pointwise(lambda x: multiply(x, constant(0.5, f32)), scores)
        weights = named("softmax", pointwise(add, scores, mask), axis=2, log=False)
        y = ContractOp.einsum("hqk,khv->qhv", weights, v).result
        y = build.reshape(y, (4, 2 * 5))
        return ContractOp.einsum("mk,nk->mn", y, w).result

    types = floats((4, 2, 3), (6, 2, 3), (6, 2, 5), (4, 6), (7, 10))
    return module_of(types, body, parameters=(4,))


def channel_softmax() -> ModuleOp:
    """Along columns, and where only axes of extent 1 follow."""

    def body(x: SSAValue, y: SSAValue, z: SSAValue):
        columns = [named("softmax", x, axis=1, log=log) for log in (False, True)]
        total = named("logsumexp", x, axis=1, keepdims=True)
        rows = named("softmax", y, axis=1, log=False)
        return *columns, total, rows, named("logsumexp", z, axis=1, keepdims=False)

    return module_of(floats((3, 5, 4, 7), (3, 5, 1, 1), (2, 9, 1)), body)


PROGRAMS = {
    "attention_by_hand": attention_by_hand,
    "channel_softmax": channel_softmax,
    "conv_net": conv_net,
    "mlp": mlp,
    "prepared_weights": prepared_weights,
    "residual_norm": residual_norm,
    "softmax_by_hand": softmax_by_hand,
    "views": views,
}


def run(module: ModuleOp, arrays: Sequence[Array]) -> tuple[Array, ...]:
    """@prepare, then @forward, on one array per argument a0, a1, ... in float64."""
    given = {f"a{i}": array for i, array in enumerate(arrays)}
    prepare, prepared = function_named(module, "prepare"), ()
    if prepare is not None:
        inputs = [given[name_of(entry)] for entry in attributes_of(prepare)]
        prepared = execute(module, inputs, "float64", "prepare")
    inputs = [
        prepared[index.value.data]
        if isinstance(index := entry.get("mbc.prepared"), IntegerAttr)
        else given[name_of(entry)]
        for entry in attributes_of(forward_of(module))
    ]
    return execute(module, inputs, "float64")


def name_of(entry: dict[str, object]) -> str:
    name = entry.get("mbc.parameter", entry.get("mbc.input"))
    assert isinstance(name, StringAttr)
    return name.data


def arguments(module: ModuleOp, seed: int = 0) -> list[Array]:
    """Fresh arrays for a module that no pass has touched."""
    return random_arrays([arg.type for arg in forward_of(module).body.block.args], seed)


def assert_same(before: Sequence[Array], after: Sequence[Array]) -> None:
    assert len(before) == len(after)
    for want, found in zip(before, after, strict=True):
        np.testing.assert_allclose(found, want, rtol=1e-12, atol=1e-12)


STEPS = (
    "exp",
    "tanh",
    "add",
    "bias",
    "scale",
    "twice",
    "transpose",
    "sum",
    "max",
    "softmax",
    "norm",
    "matmul",
    "reshape",
    "column",
)


@st.composite
def programs(draw: st.DrawFn) -> ModuleOp:
    """A random graph of elementwise, reducing and contracting ops over matrices."""
    rows, columns = draw(st.integers(1, 4)), draw(st.integers(2, 5))
    steps = draw(
        st.lists(
            st.tuples(st.sampled_from(STEPS), st.integers(0, 9)), min_size=1, max_size=9
        )
    )
    outputs = draw(st.integers(1, 3))
    weight_is_parameter = draw(st.booleans())

    def body(x: SSAValue, bias: SSAValue, weight: SSAValue):
        values = [x]
        for step, pick in steps:
            values.append(step_of(step, values, pick, bias, weight))
        return values[-outputs:]

    types = floats((rows, columns), (columns,), (columns, columns))
    return module_of(types, body, parameters=(1, 2) if weight_is_parameter else ())


def step_of(
    step: str, values: list[SSAValue], pick: int, bias: SSAValue, weight: SSAValue
) -> SSAValue:
    """One op on an earlier value; every value keeps the program's shape."""
    x = values[-1 - pick % len(values)]
    match step:
        case "exp":
            return pointwise(lambda v: exp(tanh(v)), x)
        case "tanh":
            return pointwise(tanh, x)
        case "add":
            return pointwise(add, x, values[pick % len(values)])
        case "bias":
            return pointwise(add, x, pointwise(tanh, bias))
        case "scale":
            return pointwise(lambda v: multiply(v, constant(1.0, f32)), x)
        case "twice":
            return pointwise(lambda a, b: subtract(multiply(a, b), a), x, x)
        case "transpose":
            return build.transpose(build.transpose(x, (1, 0)), (1, 0))
        case "sum" | "max":
            folded = named("reduce", x, kind=step, axes=(1,), keepdims=pick % 2 == 0)
            return pointwise(subtract, x, build.reshape(folded, (shape_of(x)[0], 1)))
        case "softmax":
            return named("softmax", x, axis=pick % 2, log=False)
        case "norm":
            return named("layer_norm", x, bias, axes=1, eps=EPS)
        case "matmul":
            doubled = pointwise(add, weight, weight)
            return ContractOp.einsum("mk,kn->mn", x, doubled).result
        case "reshape":
            rows, columns = shape_of(x)
            flat = build.reshape(x, (rows * columns,))
            return build.reshape(pointwise(tanh, flat), (rows, columns))
        case _:
            columns = shape_of(x)[1]
            first = build.extract_slice(x, (0, 0), (shape_of(x)[0], 1), (1, 1))
            rest = build.extract_slice(x, (0, 1), (shape_of(x)[0], columns - 1), (1, 1))
            return named("concat", rest, first, axis=1)
