"""Small kernels of every family, and texts for one of them, right and wrong."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects import math
from xdsl.dialects.builtin import f32, f64
from xdsl.ir import SSAValue

from mbc.codegen.targets import target_named
from mbc.ir import build
from mbc.ir.arithmetic import add, constant, maximum, multiply
from mbc.ir.attributes import TARGET
from mbc.ir.context import new_context
from mbc.ir.kernel import KernelOp, kernels
from mbc.ir.ops.contract import ContractOp
from mbc.ir.types import Tensor, shape_of, tensor
from mbc.passes.pipeline import parse, run
from mbc.runtime.gates.candidate import Candidate
from tests.ir.samples import Body, floats, module_of, named

Scalar = tuple[Sequence[Tensor], Body]


def pointwise(*shapes: Sequence[int], scalar: Body) -> Scalar:
    def body(*values: SSAValue) -> SSAValue:
        return build.elementwise(values, shape_of(values[0]), f32, scalar)

    return floats(*shapes), body


def curve(x: SSAValue) -> SSAValue:
    """x x + x, which `TEXTS` compute."""
    return add(multiply(x, x), x)


def log_of(x: SSAValue) -> SSAValue:
    return math.LogOp(x).result


def log_of_negative(x: SSAValue) -> SSAValue:
    below = multiply(multiply(x, x), constant(-1.0, x.type))
    return math.LogOp(add(below, constant(-1.0, x.type))).result


def matmul(a: SSAValue, b: SSAValue) -> SSAValue:
    return ContractOp.einsum("mk,nk->mn", a, b).result


RUNNING = {"kind": "sum", "axis": 1, "exclusive": True, "reverse": False}
KERNELS: dict[str, Scalar] = {
    "map": pointwise((37,), scalar=curve),
    "contract": (floats((4, 24), (5, 24)), matmul),
    "reduce": (
        floats((4, 37)),
        lambda x: named("reduce", x, kind="sum", axes=(1,), keepdims=False),
    ),
    "rowwise": (floats((4, 37)), lambda x: named("softmax", x, axis=1, log=False)),
    "nest": ([tensor((4, 6), f64)], lambda x: named("scan", x, **RUNNING)),
    "copy": pointwise((4, 5), scalar=lambda x: maximum(x, x)),
    "constant": (floats((6, 1)), lambda x: named("softmax", x, axis=1, log=False)),
    "ignoring": pointwise((6,), (6,), scalar=lambda x, y: add(x, multiply(zero(y), y))),
    "log": pointwise((37,), scalar=log_of),
    "nan": pointwise((37,), scalar=log_of_negative),
}
"""`nest` is a running sum in double precision, which no family has templates for."""
FAMILIES = ("map", "contract", "reduce", "rowwise", "nest")


def zero(like: SSAValue) -> SSAValue:
    return constant(0.0, like.type)


def candidate(
    name: str, target: str, source: str = "", any_extents: bool = False
) -> Candidate:
    chosen = target_named(target)
    module = module_of(*KERNELS[name])
    module.attributes[TARGET] = chosen.attribute()
    run(new_context(), module, parse(chosen.model_pipeline))
    kernel: KernelOp = next(kernels(module)).copy()
    return Candidate(kernel, chosen, source, any_extents)


def text(target: str, line: str, count: str = "37") -> str:
    """A source for "map" that runs `line` for every i below `count`, once."""
    loop = f"for (int i = 0; i < {count}; i++) {{ {line} }}"
    if target == "opencl":
        head = "__kernel void k0(__global const float *a0, __global float *r0)"
        return f"{head} {{ if (get_global_id(0) == 0) {loop} }}"
    return f"void k0(const float *a0, float *r0) {{ {loop} }}"


RIGHT = "r0[i] = a0[i] * a0[i] + a0[i];"
WRONG = {
    "zeros": "r0[i] = 0;",
    "copy": "r0[i] = a0[i];",
    "one off": "float x = i == 20 ? 0 : a0[i]; r0[i] = x * x + x;",
    "shifted": "float x = a0[(i + 1) % 37]; r0[i] = x * x + x;",
    "tf32": "union { float f; unsigned u; } x; x.f = a0[i]; "
    "x.u = (x.u + 0x1000) & 0xffffe000; r0[i] = x.f * x.f + x.f;",
    "bf16 once": "union { float f; unsigned u; } x; x.f = a0[i] * a0[i] + a0[i]; "
    "x.u = (x.u + 0x8000) & 0xffff0000; r0[i] = x.f;",
    "nan": "r0[i] = i ? a0[i] * a0[i] + a0[i] : 0.0f / (a0[i] - a0[i]);",
    "no specials": "float x = a0[i] == a0[i] ? a0[i] : 0; r0[i] = x * x + x;",
}
