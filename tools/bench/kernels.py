"""Small modules that benches tune: a GEMM, convolutions, a softmax, a chain."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np
from xdsl.builder import ImplicitBuilder
from xdsl.dialects import func
from xdsl.dialects.builtin import (
    ArrayAttr,
    DictionaryAttr,
    ModuleOp,
    StringAttr,
    f32,
    i64,
)
from xdsl.ir import Block, Region, SSAValue

from mbc.api.module import Module, from_op
from mbc.ir import build
from mbc.ir.arithmetic import add, constant, maximum, multiply, subtract
from mbc.ir.ops.contract import ContractOp
from mbc.ir.ops.conv import ConvOp
from mbc.ir.ops.softmax import SoftmaxOp
from mbc.ir.types import tensor

Make = Callable[..., SSAValue]
Combine = Callable[[SSAValue, SSAValue], SSAValue]


def module_of(
    shapes: Mapping[str, Sequence[int]], make: Make, weights: Sequence[str] = ()
) -> Module:
    """@forward with one named argument per shape; `weights` are parameters.

    Arguments are f32, but i64 where they are called `indices`.
    """
    types = [
        tensor(shape, i64 if name == "indices" else f32)
        for name, shape in shapes.items()
    ]
    block = Block(arg_types=types)
    with ImplicitBuilder(block):
        result = make(*block.args)
        func.ReturnOp(result)
    function = func.FuncOp("forward", (types, [result.type]), Region(block))
    kinds = ["parameter" if name in weights else "input" for name in shapes]
    function.arg_attrs = ArrayAttr(
        DictionaryAttr({f"mbc.{kind}": StringAttr(name)})
        for kind, name in zip(kinds, shapes, strict=True)
    )
    op = ModuleOp([function])
    op.verify()
    rng = np.random.default_rng(0)
    parameters = {
        name: rng.standard_normal(shapes[name]).astype(np.float32) for name in weights
    }
    return from_op(op, parameters)


def gemm(m: int, n: int, k: int) -> Module:
    """x (m, k) times the transpose of a weight (n, k)."""

    def make(x: SSAValue, w: SSAValue) -> SSAValue:
        return ContractOp.einsum("mk,nk->mn", x, w).result

    return module_of({"x": (m, k), "w": (n, k)}, make, ("w",))


def conv(channels: int, size: int, groups: int = 1) -> Module:
    """A square image through a 3 x 3 window that keeps its shape."""

    def make(x: SSAValue, w: SSAValue) -> SSAValue:
        one = (1, 1)
        return ConvOp.of(
            [x, w],
            strides=one,
            low=one,
            high=one,
            dilation=one,
            groups=groups,
            acc="f32",
        ).result

    image, window = (1, channels, size, size), (channels, channels // groups, 3, 3)
    return module_of({"x": image, "w": window}, make, ("w",))


def softmax(rows: int, length: int) -> Module:
    def make(x: SSAValue) -> SSAValue:
        return SoftmaxOp.along(x, 1).result

    return module_of({"x": (rows, length)}, make)


def chain(elements: int) -> Module:
    """Six elementwise ops: (max(x * 1.5 + 0.25, 0) - 0.5) * x + 1."""

    def step(value: SSAValue, function: Combine, number: float) -> SSAValue:
        def body(element: SSAValue) -> SSAValue:
            return function(element, constant(number, f32))

        return build.elementwise([value], (elements,), f32, body)

    def make(x: SSAValue) -> SSAValue:
        y = step(x, multiply, 1.5)
        y = step(y, add, 0.25)
        y = step(y, maximum, 0.0)
        y = step(y, subtract, 0.5)
        y = build.elementwise([y, x], (elements,), f32, multiply)
        return step(y, add, 1.0)

    return module_of({"x": (elements,)}, make)
