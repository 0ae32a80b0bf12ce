"""One small module per named op, with the FLOPs that a person counts by hand."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from xdsl.builder import ImplicitBuilder
from xdsl.dialects import func
from xdsl.dialects.builtin import (
    ArrayAttr,
    DictionaryAttr,
    ModuleOp,
    StringAttr,
    TensorType,
    f32,
    i64,
)
from xdsl.ir import Attribute, Block, Region, SSAValue

from mbc.ir.ops import op_class
from mbc.ir.ops.contract import ContractOp
from mbc.ir.ops.interpolate import InterpolateOp
from mbc.ir.tensor_op import PropertyValue
from mbc.ir.types import Array, Tensor, numpy_dtype, tensor

EPS = 2.0**-10
"""Exact in every float type, so that all ways to compute agree to the last bits."""

Body = Callable[..., SSAValue | Sequence[SSAValue]]


def module_of(
    types: Sequence[Tensor], body: Body, parameters: Sequence[int] = ()
) -> ModuleOp:
    """A module whose @forward is `body`; arguments at `parameters` are weights."""
    block = Block(arg_types=types)
    with ImplicitBuilder(block):
        made = body(*block.args)
        results = [made] if isinstance(made, SSAValue) else list(made)
        func.ReturnOp(*results)
    names: list[dict[str, Attribute]] = [
        {"mbc.parameter" if i in parameters else "mbc.input": StringAttr(f"a{i}")}
        for i in range(len(types))
    ]
    signature = (list(types), [value.type for value in results])
    function = func.FuncOp(
        "forward",
        signature,
        Region(block),
        arg_attrs=ArrayAttr(DictionaryAttr(entry) for entry in names),
    )
    module = ModuleOp([function])
    module.verify()
    return module


def floats(*shapes: Sequence[int]) -> list[Tensor]:
    return [tensor(shape, f32) for shape in shapes]


def named(name: str, *operands: SSAValue, **properties: PropertyValue) -> SSAValue:
    """The first result of a named op."""
    return op_class(f"mbc.{name}").of(operands, **properties).results[0]


def random_arrays(types: Sequence[Attribute], seed: int = 0) -> list[Array]:
    """Small positive and negative floats; indices that are in range."""
    generator = np.random.default_rng(seed)
    arrays: list[Array] = []
    for type in types:
        assert isinstance(type, TensorType)
        shape, dtype = tuple(type.get_shape()), numpy_dtype(type.element_type)
        if dtype.kind in "iub":
            arrays.append(generator.integers(0, 2, shape).astype(dtype))
        else:
            arrays.append(generator.normal(size=shape).astype(dtype))
    return arrays


@dataclass(frozen=True)
class Sample:
    types: Sequence[Tensor]
    body: Body
    flops: int

    def module(self) -> ModuleOp:
        return module_of(self.types, self.body)


def lstm(*operands: SSAValue) -> Sequence[SSAValue]:
    op = op_class("mbc.recurrent")
    return op.of(operands, kind="lstm", reverse=False).results


SAMPLES = {
    "mbc.arg_reduce": Sample(
        floats((3, 5)),
        lambda x: named("arg_reduce", x, kind="max", axis=1, keepdims=False),
        3 * 5,
    ),
    "mbc.attention": Sample(
        floats((2, 2, 3, 4), (2, 2, 5, 4), (2, 2, 5, 6)),
        lambda q, k, v: named("attention", q, k, v, scale=0.5, causal=False),
        2 * 2 * 3 * 5 * (2 * 4 + 2 * 6 + 5),
    ),
    "mbc.batch_norm": Sample(
        floats((2, 3, 4), (3,), (3,), (3,), (3,)),
        lambda x, *rest: named(
            "batch_norm", x, rest[0], square(rest[1]), *rest[2:], eps=EPS
        ),
        4 * 24 + 3,
    ),
    "mbc.concat": Sample(
        floats((2, 3), (2, 4)), lambda a, b: named("concat", a, b, axis=1), 0
    ),
    "mbc.contract": Sample(
        floats((4, 6), (5, 6)),
        lambda a, b: ContractOp.einsum("mk,nk->mn", a, b).result,
        2 * 4 * 5 * 6,
    ),
    "mbc.conv": Sample(
        floats((2, 4, 7, 6), (8, 2, 3, 2)),
        lambda x, w: named(
            "conv",
            x,
            w,
            strides=(2, 1),
            low=(1, 1),
            high=(1, 0),
            dilation=(1, 2),
            groups=2,
            acc="f32",
        ),
        2 * (2 * 8 * 4 * 5) * (2 * 3 * 2),
    ),
    "mbc.conv_transpose": Sample(
        floats((2, 4, 5, 3), (4, 3, 3, 2)),
        lambda x, w: named(
            "conv_transpose",
            x,
            w,
            strides=(2, 3),
            low=(1, 0),
            high=(1, 1),
            output_padding=(1, 0),
            dilation=(1, 2),
            groups=2,
            acc="f32",
        ),
        2 * 2 * 4 * 3 * (5 + 5 + 5) * (3 + 2),
    ),
    "mbc.gather": Sample(
        [*floats((3, 5)), tensor((4,), i64)],
        lambda x, i: named("gather", x, i, axis=1),
        0,
    ),
    "mbc.group_norm": Sample(
        floats((2, 4, 3), (4,), (4,)),
        lambda x, a, b: named("group_norm", x, a, b, groups=2, eps=EPS),
        7 * 24,
    ),
    "mbc.interpolate": Sample(
        floats((2, 2, 3, 5)),
        lambda x: InterpolateOp.resized(x, "linear", (7, 4), (0.4375, 1.25), True),
        2 * 4 * (2 * 2 * 7 * 4),
    ),
    "mbc.layer_norm": Sample(
        floats((4, 6), (6,), (6,)),
        lambda x, a, b: named("layer_norm", x, a, b, axes=1, eps=EPS),
        7 * 24,
    ),
    "mbc.logsumexp": Sample(
        floats((4, 6)), lambda x: named("logsumexp", x, axis=1, keepdims=True), 4 * 24
    ),
    "mbc.pack": Sample(floats((5, 3)), lambda x: named("pack", x, axis=0, tile=4), 0),
    "mbc.pad": Sample(
        floats((2, 3)), lambda x: named("pad", x, low=(1, 0), high=(0, 2), value=1.5), 0
    ),
    "mbc.pool": Sample(
        floats((2, 3, 6, 5)),
        lambda x: named(
            "pool",
            x,
            kind="avg",
            window=(3, 2),
            strides=(2, 1),
            low=(1, 0),
            high=(1, 1),
            dilation=(1, 1),
            count_padding=False,
            divisor=0,
        ),
        (2 * 3 * 3 * 5) * 6,
    ),
    "mbc.random": Sample(
        [tensor((), i64)],
        lambda seed: named(
            "random", seed, kind="normal", stream=3, shape=(3, 5), dtype="f32"
        ),
        60 * 15,
    ),
    "mbc.recurrent": Sample(
        floats((3, 2, 20), (5, 20), (2, 5), (2, 5)),
        lstm,
        3 * 2 * (4 * 5 * (2 * 5 + 1) + 5 * 9),
    ),
    "mbc.reduce": Sample(
        floats((4, 6)),
        lambda x: named("reduce", x, kind="mean", axes=(1,), keepdims=True),
        24,
    ),
    "mbc.rms_norm": Sample(
        floats((4, 6), (6,)),
        lambda x, a: named("rms_norm", x, a, axes=1, eps=EPS),
        5 * 24,
    ),
    "mbc.scan": Sample(
        floats((4, 6)),
        lambda x: named("scan", x, kind="sum", axis=1, exclusive=True, reverse=False),
        24,
    ),
    "mbc.scatter": Sample(
        [*floats((3, 5)), tensor((4,), i64), *floats((3, 4))],
        lambda x, at, new: named("scatter", x, at, new, axis=1, kind="add"),
        3 * 4,
    ),
    "mbc.sort": Sample(
        floats((3, 5)),
        lambda x: (
            op_class("mbc.sort")
            .of([x], axis=1, count=4, descending=True, unsigned=False)
            .results
        ),
        15 * 3,
    ),
    "mbc.softmax": Sample(
        floats((4, 6)), lambda x: named("softmax", x, axis=1, log=False), 5 * 24
    ),
    "mbc.unpack": Sample(
        floats((2, 3, 4)), lambda x: named("unpack", x, axis=0, size=5), 0
    ),
}


def square(x: SSAValue) -> SSAValue:
    """Positive values, as variances are."""
    from mbc.ir import build
    from mbc.ir.arithmetic import multiply
    from mbc.ir.types import element_of, shape_of

    return build.elementwise([x], shape_of(x), element_of(x), lambda v: multiply(v, v))
