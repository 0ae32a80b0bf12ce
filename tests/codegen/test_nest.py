"""The plain loop nest carries every op on every target, and computes what it means."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pytest
from xdsl.dialects import arith, math
from xdsl.dialects.builtin import (
    DenseIntOrFPElementsAttr,
    bf16,
    f16,
    f32,
    f64,
    i1,
    i8,
    i32,
    i64,
)
from xdsl.ir import Attribute, SSAValue

from mbc.codegen.targets import target_named
from mbc.ir import build
from mbc.ir.arith_repair import RemFOp
from mbc.ir.arithmetic import add, constant, maximum
from mbc.ir.kernel import KernelOp
from mbc.ir.ops import op_class
from mbc.ir.ops.interpolate import InterpolateOp
from mbc.ir.tensor_op import PropertyValue
from mbc.ir.types import Tensor, element_of, tensor
from mbc.runtime.bound import Agreement, compare, expected_results
from mbc.runtime.outcome import Available, Completed
from mbc.runtime.runner import runner_for
from tests.codegen.functions import functions_of_one, functions_of_two
from tests.codegen.nest_programs import arguments_of, kernels_of, nest_code, program_of
from tests.ir.samples import SAMPLES, Body, module_of, named

TARGETS = ("rvv", "opencl", "cuda")


def mixed(a: SSAValue, b: SSAValue) -> SSAValue:
    """Integers: floor division, remainder, shifts, comparison and selection."""

    def body(x: SSAValue, y: SSAValue) -> SSAValue:
        divisor = arith.OrIOp(y, constant(1, i32)).result
        floor = arith.FloorDivSIOp(x, divisor).result
        rest = arith.RemSIOp(x, divisor).result
        less = arith.CmpiOp(floor, rest, "slt").result
        return arith.SelectOp(less, add(floor, rest), maximum(floor, rest)).result

    return build.elementwise([a, b], (3, 5), i32, body)


def narrow(x: SSAValue) -> SSAValue:
    """An explicit bf16 rounding in between."""

    def body(v: SSAValue) -> SSAValue:
        return arith.ExtFOp(arith.TruncFOp(v, bf16).result, f32).result

    return build.elementwise([x], (7,), f32, body)


def wide(x: SSAValue) -> SSAValue:
    return build.elementwise([x], (7,), f64, lambda v: math.TanhOp(v).result)


def halves(x: SSAValue) -> SSAValue:
    return build.elementwise([x], (7,), f16, lambda v: add(v, v))


def masks(x: SSAValue, keep: SSAValue) -> SSAValue:
    def body(v: SSAValue, k: SSAValue) -> SSAValue:
        return arith.SelectOp(k, v, constant(0, i8)).result

    return build.elementwise([x, keep], (7,), i8, body)


def remainder(x: SSAValue, y: SSAValue) -> SSAValue:
    element = element_of(x)
    return build.elementwise([x, y], (7,), element, remf)


def remf(x: SSAValue, y: SSAValue) -> SSAValue:
    return RemFOp(x, y).result


def table(x: SSAValue) -> SSAValue:
    """Values that no splat and no parameter holds."""
    values = DenseIntOrFPElementsAttr.from_list(tensor((3,), f32), [1.0, -2.0, 3.5])
    known = arith.ConstantOp(values).result
    return build.elementwise([x, known], (3,), f32, add)


def iota() -> SSAValue:
    from xdsl.dialects.linalg.ops import IndexOp

    def body() -> SSAValue:
        return arith.IndexCastOp(IndexOp(0).result, i64).result

    return build.elementwise([], (5,), i64, body)


def scanned(kind: str, indices: bool, reverse: bool = False) -> Body:
    given = {"kind": kind, "axis": 1, "exclusive": False, "reverse": reverse}
    op = op_class("mbc.scan")
    return lambda x: op.of([x], **given, indices=indices).results


def swept(kind: str, reverse: bool = False) -> Body:
    op = op_class("mbc.recurrent")
    return lambda *operands: op.of(operands, kind=kind, reverse=reverse).results


def states(*shapes: Sequence[int], element: Attribute = f32) -> list[Tensor]:
    return [tensor(shape, element) for shape in shapes]


def pooled(x: SSAValue) -> Sequence[SSAValue]:
    return op_class("mbc.pool").of([x], **POOLED).results


def extreme(x: SSAValue) -> Sequence[SSAValue]:
    op = op_class("mbc.arg_reduce")
    return op.of([x], kind="max", axis=1, keepdims=True, values=True).results


POOLED: dict[str, PropertyValue] = {
    "kind": "max",
    "window": (3, 2),
    "strides": (2, 1),
    "low": (1, 1),
    "high": (1, 1),
    "dilation": (1, 2),
    "count_padding": False,
    "divisor": 0,
    "indices": True,
}


def resampled(mode: str, half_pixel: bool) -> Callable[[SSAValue], SSAValue]:
    def body(x: SSAValue) -> SSAValue:
        return InterpolateOp.resized(x, mode, (5, 7), (0.75, 0.5), half_pixel)

    return body


def drawn(kind: str, dtype: str) -> Callable[[SSAValue], SSAValue]:
    return lambda seed: named(
        "random", seed, kind=kind, stream=7, shape=(33,), dtype=dtype
    )


def sorted_rows(**properties: bool) -> Callable[[SSAValue], Sequence[SSAValue]]:
    return lambda x: op_class("mbc.sort").of([x], axis=0, count=9, **properties).results


def scattered(kind: str) -> Callable[..., SSAValue]:
    return lambda x, at, given: named("scatter", x, at, given, axis=0, kind=kind)


def mirrored(mode: str) -> Callable[[SSAValue], SSAValue]:
    return lambda x: named("pad", x, low=(2, 3), high=(1, 2), value=0.0, mode=mode)


IMAGE = [tensor((1, 2, 4, 3), f32)]
SEED = [tensor((), i64)]
WRITES = [tensor((4, 3), f32), tensor((6,), i32), tensor((6, 3), f32)]
COUNTS = [tensor((4, 3), i64), tensor((6,), i64), tensor((6, 3), i64)]
LATER = {
    "nearest": (IMAGE, resampled("nearest", False)),
    "nearest exact": (IMAGE, resampled("nearest", True)),
    "corners": (IMAGE, resampled("linear", False)),
    "cubic": (IMAGE, resampled("cubic", True)),
    "uniform": (SEED, drawn("uniform", "f32")),
    "uniform f64": (SEED, drawn("uniform", "f64")),
    "uniform f16": (SEED, drawn("uniform", "f16")),
    "normal": (SEED, drawn("normal", "f32")),
    "bits": (SEED, drawn("bits", "i64")),
    "sort f64": ([tensor((9,), f64)], sorted_rows(descending=True, unsigned=False)),
    "sort u64": ([tensor((9,), i64)], sorted_rows(descending=False, unsigned=True)),
    **{f"scatter {k}": (WRITES, scattered(k)) for k in ("set", "add", "max", "mul")},
    "scatter i64": (COUNTS, scattered("min")),
    **{m: ([tensor((4, 5), f16)], mirrored(m)) for m in ("reflect", "circular")},
    "replicate": ([tensor((4, 5), i8)], mirrored("replicate")),
}
OTHERS = {
    **LATER,
    "integers": ([tensor((3, 5), i32)] * 2, mixed),
    "bf16 rounding": ([tensor((7,), f32)], narrow),
    "f64": ([tensor((7,), f64)], wide),
    "f16": ([tensor((7,), f16)], halves),
    "i1 and i8": ([tensor((7,), i8), tensor((7,), i1)], masks),
    "iota": ([], iota),
    "remainder": ([tensor((7,), f32)] * 2, remainder),
    "f64 remainder": ([tensor((7,), f64)] * 2, remainder),
    **{
        f"{element} functions {count}": ([tensor((7,), element)] * count, body)
        for element in (f64, f32, f16, bf16)
        for count, body in ((1, functions_of_one), (2, functions_of_two))
    },
    "running maximum": ([tensor((3, 9), f32)], scanned("max", True)),
    "running minimum": ([tensor((3, 9), i8)], scanned("min", True, True)),
    "log-sum-exp": ([tensor((3, 9), f32)], scanned("logsumexp", False)),
    "half log-sum-exp": ([tensor((3, 9), f16)], scanned("logsumexp", False)),
    "running product": ([tensor((3, 9), f64)], scanned("prod", False)),
    "pool with indices": ([tensor((1, 2, 9, 8), f32)], pooled),
    "maximum and its place": ([tensor((3, 9, 2), f32)], extreme),
    "gru": (states((5, 2, 9), (3, 9), (2, 3), (3,)), swept("gru")),
    "gru f64": (states((5, 2, 9), (3, 9), (2, 3), element=f64), swept("gru", True)),
    "rnn f16": (states((5, 1, 3), (3, 3), (1, 3), element=f16), swept("tanh", True)),
    "one step": (states((1, 2, 1), (1, 1), (2, 1)), swept("relu")),
    "no step": (states((0, 2, 8), (2, 8), (2, 2), (2, 2)), swept("lstm")),
    "constant table": ([tensor((3,), f32)], table),
}


def all_kernels() -> list[tuple[str, KernelOp]]:
    modules = [sample.module() for sample in SAMPLES.values()]
    modules += [module_of(types, body) for types, body in OTHERS.values()]
    found = [kernel for module in modules for kernel in kernels_of(module)]
    return [(f"k{i}", kernel) for i, kernel in enumerate(found)]


@pytest.mark.parametrize("name", TARGETS)
def test_every_op_runs_as_a_plain_nest(name: str) -> None:
    target, runner = target_named(name), runner_for(name)
    try:
        availability = runner.availability()
        if not isinstance(availability, Available):
            pytest.skip(f"{name}: {availability.reason}")
        labelled = all_kernels()
        codes = [nest_code(kernel, label, target) for label, kernel in labelled]
        arguments = arguments_of(labelled)
        outcome = runner.run(program_of(codes, target), arguments)
        assert isinstance(outcome, Completed), outcome
        checked = 0
        for label, kernel in labelled:
            arrays = [arguments[f"{label}_a{i}"] for i in range(len(kernel.ins))]
            got = [outcome.outputs[f"{label}_r{i}"] for i in range(len(kernel.outs))]
            verdict = compare(expected_results(kernel, arrays), got)
            assert isinstance(verdict, Agreement), f"{kernel}\n{verdict}"
            checked += verdict.checked
        assert checked > 500
    finally:
        runner.close()
