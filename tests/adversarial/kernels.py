"""What the candidates of the corpus claim to compute: small kernels by label."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from xdsl.builder import ImplicitBuilder
from xdsl.dialects import arith, math
from xdsl.dialects.builtin import f32
from xdsl.ir import Block, Region, SSAValue

from mbc.ir import build
from mbc.ir.arithmetic import add, constant, divide, maximum, multiply, subtract
from mbc.ir.attributes import Entry, ScheduleAttr
from mbc.ir.kernel import KernelOp, YieldOp
from mbc.ir.ops import op_class
from mbc.ir.ops.contract import ContractOp
from mbc.ir.types import shape_of, tensor

Body = Callable[..., SSAValue]
Shape = tuple[int, ...]


@dataclass(frozen=True)
class Reference:
    """A body over float32 operands of `shapes`."""

    shapes: Sequence[Shape]
    body: Body


def pointwise(scalar: Body) -> Body:
    """`scalar` over the broadcast of all operands; the first has the full shape."""

    def body(*values: SSAValue) -> SSAValue:
        return build.elementwise(values, shape_of(values[0]), f32, scalar)

    return body


def named(name: str, **properties: str | float | bool | tuple[int, ...]) -> Body:
    """The first result of a named op."""

    def body(*values: SSAValue) -> SSAValue:
        return op_class(f"mbc.{name}").of(values, **properties).results[0]

    return body


def relu(x: SSAValue) -> SSAValue:
    return maximum(x, constant(0.0, x.type))


def gelu(x: SSAValue) -> SSAValue:
    inner = math.ErfOp(multiply(x, constant(0.70710678, x.type))).result
    return multiply(multiply(x, constant(0.5, x.type)), add(inner, one(x)))


def one(x: SSAValue) -> SSAValue:
    return constant(1.0, x.type)


def sigmoid(x: SSAValue) -> SSAValue:
    return divide(one(x), add(one(x), math.ExpOp(arith.NegfOp(x).result).result))


def twice_the_first(x: SSAValue, _: SSAValue) -> SSAValue:
    return add(x, x)


def transposed(x: SSAValue) -> SSAValue:
    return build.transpose(x, [1, 0])


def gemm(x: SSAValue, w: SSAValue, bias: SSAValue) -> SSAValue:
    product = ContractOp.einsum("mk,kn->mn", x, w).result
    return pointwise(add_and_clamp)(product, bias)


def add_and_clamp(product: SSAValue, bias: SSAValue) -> SSAValue:
    return relu(add(product, bias))


REFERENCES: Mapping[str, Reference] = {
    "vadd": Reference([(1000,), (1000,)], pointwise(add)),
    "vsub": Reference([(1000,), (1000,)], pointwise(subtract)),
    "relu": Reference([(1000,)], pointwise(relu)),
    "gelu": Reference([(1000,)], pointwise(gelu)),
    "sigmoid": Reference([(1000,)], pointwise(sigmoid)),
    "rowsum": Reference(
        [(7, 100)], named("reduce", kind="sum", axes=(1,), keepdims=False)
    ),
    "rowmax": Reference(
        [(7, 100)], named("reduce", kind="max", axes=(1,), keepdims=False)
    ),
    "softmax": Reference([(7, 100)], named("softmax", axis=1, log=False)),
    "gemm": Reference([(12, 20), (20, 24), (24,)], gemm),
    "ignores_input": Reference([(1000,), (1000,)], pointwise(twice_the_first)),
    "same_everywhere": Reference([(1000,)], pointwise(one)),
    "transpose": Reference([(20, 12)], transposed),
}


def kernel(label: str, schedule: Mapping[str, Entry] | None = None) -> KernelOp:
    """A detached `mbc.kernel` with operands of its own."""
    reference = REFERENCES[label]
    types = [tensor(shape, f32) for shape in reference.shapes]
    inner, outer = Block(arg_types=types), Block(arg_types=types)
    with ImplicitBuilder(inner):
        YieldOp(result := reference.body(*inner.args))
    made = KernelOp(
        label,
        outer.args,
        [result.type],
        Region(inner),
        schedule=None if schedule is None else ScheduleAttr.of(schedule),
    )
    made.verify()
    _OUTER_BLOCKS.append(outer)
    return made


_OUTER_BLOCKS: list[Block] = []
"""The owners of the kernels' operands, alive for as long as the kernels."""
