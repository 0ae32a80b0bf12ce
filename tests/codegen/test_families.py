"""Which family takes a kernel, and that all of its schedules are right."""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Iterator, Mapping
from random import Random

import pytest
from xdsl.dialects.builtin import ModuleOp, bf16, f32, f64, i64
from xdsl.ir import SSAValue

from mbc.codegen.emitters import emitter
from mbc.codegen.families import (
    Schedule,
    default_schedule,
    family_named,
    match_kernel,
    schedule_of,
)
from mbc.codegen.program import KernelCode
from mbc.codegen.targets import TARGETS, Target, target_named
from mbc.ir import build
from mbc.ir.arithmetic import add
from mbc.ir.attributes import TARGET, Entry, ScheduleAttr
from mbc.ir.context import new_context
from mbc.ir.kernel import KernelOp, kernels
from mbc.ir.ops.contract import ContractOp
from mbc.ir.resize import extents, resize
from mbc.ir.types import element_of, shape_of, tensor
from mbc.passes.pipeline import parse, run
from mbc.runtime.bound import Agreement, compare, expected_results
from mbc.runtime.outcome import Completed, EmitOnly
from mbc.runtime.runner import Runner, runner_for
from tests.codegen.nest_programs import arguments_of, program_of
from tests.ir.samples import EPS, floats, lstm, module_of, named
from tests.passes.programs import exp, linear, pointwise, relu, softmax_by_hand, tanh

FUSED = "form-kernels,fuse-elementwise,fuse-prologue,fuse-epilogue,fuse-reduction"
CONV = {
    "strides": (1, 1),
    "low": (1, 1),
    "high": (1, 1),
    "dilation": (1, 1),
    "groups": 1,
    "acc": "f32",
}
POOL = {
    "kind": "max",
    "window": (3, 3),
    "strides": (2, 2),
    "low": (1, 1),
    "high": (1, 1),
    "dilation": (1, 1),
    "count_padding": False,
    "divisor": 0,
}
Make = Callable[[], ModuleOp]


def chain(x: SSAValue, bias: SSAValue) -> SSAValue:
    return pointwise(lambda a, b: add(tanh(a), exp(b)), x, bias)


def plus(x: SSAValue) -> SSAValue:
    return build.elementwise([x], shape_of(x), element_of(x), lambda a: add(a, a))


def reduction(kind: str, *axes: int) -> Callable[[SSAValue], SSAValue]:
    return lambda x: named("reduce", x, kind=kind, axes=axes, keepdims=False)


def scanned(x: SSAValue, axis: int = 1) -> SSAValue:
    return named("scan", x, kind="sum", axis=axis, exclusive=False, reverse=False)


def place(x: SSAValue, axis: int = 1) -> SSAValue:
    return named("arg_reduce", x, kind="max", axis=axis, keepdims=False)


def matmul(a: SSAValue, b: SSAValue) -> SSAValue:
    return ContractOp.einsum("mk,kn->mn", a, b).result


KERNELS: dict[str, tuple[str, Make]] = {
    "elementwise": ("map", lambda: module_of(floats((9, 20), (20,)), chain)),
    "permuted": (
        "move",
        lambda: module_of(floats((5, 7)), lambda x: build.transpose(x, (1, 0))),
    ),
    "padded": (
        "move",
        lambda: module_of(
            floats((5, 7)),
            lambda x: named("pad", x, low=(1, 0), high=(0, 2), value=0.0),
        ),
    ),
    "embedding": (
        "move",
        lambda: module_of(
            [*floats((9, 6)), tensor((5,), i64)],
            lambda x, at: named("gather", x, at, axis=0),
        ),
    ),
    "scalar": ("map", lambda: module_of(floats(()), lambda x: pointwise(exp, x))),
    "gemm": ("contract", lambda: module_of(floats((7, 10), (10, 19)), matmul)),
    "linear": (
        "contract",
        lambda: module_of(
            floats((7, 10), (19, 10), (19,)),
            lambda x, w, b: pointwise(relu, linear(x, w, b)),
        ),
    ),
    "batched": (
        "contract",
        lambda: module_of(
            floats((2, 5, 6), (2, 6, 7)),
            lambda a, b: ContractOp.einsum("bmk,bkn->bmn", a, b).result,
        ),
    ),
    "matrix by vector": (
        "contract",
        lambda: module_of(
            floats((9, 13), (13,)),
            lambda a, b: ContractOp.einsum("mk,k->m", a, b).result,
        ),
    ),
    "row sums": ("reduce", lambda: module_of(floats((6, 37)), reduction("sum", 1))),
    "column means": (
        "reduce",
        lambda: module_of(floats((11, 37)), reduction("mean", 0)),
    ),
    "whole maximum": (
        "reduce",
        lambda: module_of(floats((6, 37)), reduction("max", 0, 1)),
    ),
    "softmax": (
        "rowwise",
        lambda: module_of(
            floats((6, 37)), lambda x: named("softmax", x, axis=1, log=False)
        ),
    ),
    "softmax by hand": ("rowwise", softmax_by_hand),
    "layer norm": (
        "rowwise",
        lambda: module_of(
            floats((6, 37), (37,), (37,)),
            lambda x, a, b: named("layer_norm", x, a, b, axes=1, eps=EPS),
        ),
    ),
    "scan": ("scan", lambda: module_of(floats((4, 6)), scanned)),
    "scan of columns": (
        "scan",
        lambda: module_of(floats((4, 6)), lambda x: scanned(x, 0)),
    ),
    "place of the maximum": ("arg_reduce", lambda: module_of(floats((4, 6)), place)),
    "place in columns": (
        "arg_reduce",
        lambda: module_of(floats((4, 6)), lambda x: place(x, 0)),
    ),
    "pool": (
        "window",
        lambda: module_of(floats((1, 2, 9, 7)), lambda x: named("pool", x, **POOL)),
    ),
    "convolution": (
        "conv",
        lambda: module_of(
            floats((1, 2, 5, 5), (3, 2, 3, 3)),
            lambda x, w: named("conv", x, w, **CONV),
        ),
    ),
    "lstm": (
        "recurrent",
        lambda: module_of(floats((3, 2, 20), (5, 20), (2, 5), (2, 5)), lstm),
    ),
    "integers": ("pointwise", lambda: module_of([tensor((4, 6), i64)], plus)),
    "double precision": ("pointwise", lambda: module_of([tensor((4, 6), f64)], plus)),
    "bfloat16": ("map", lambda: module_of([tensor((4, 6), bf16)], plus)),
    "no elements": ("nest", lambda: module_of([tensor((0, 6), f32)], plus)),
}
RUN = (
    *("elementwise", "gemm", "linear", "row sums", "column means", "layer norm"),
    *("scan", "place of the maximum", "pool"),
    *("permuted", "padded", "convolution", "lstm"),
)
"""One or two kernels of every family with a schedule."""


def kernel_named(name: str, target: Target) -> KernelOp:
    """The kernel at the end of a program, with all else fused into it or before it."""
    module = KERNELS[name][1]()
    module.attributes[TARGET] = target.attribute()
    run(new_context(), module, parse(FUSED))
    return list(kernels(module))[-1]


def schedules(kernel: KernelOp, target: Target) -> Iterator[dict[str, Entry]]:
    """Every combination of legal values that is not refused, the default first."""
    match = match_kernel(kernel, target)
    family = family_named(match.family)
    space = family.space(match, target)
    for values in itertools.product(*space.values()):
        schedule = dict(zip(space, values, strict=True))
        if not family.refusal(match, target, schedule):
            yield schedule


def emitted(
    kernel: KernelOp, label: str, schedule: Schedule, target: Target
) -> KernelCode:
    clone = kernel.clone()
    clone.properties["label"] = type(kernel.label)(label)
    match = match_kernel(clone, target)
    return emitter(target, match.family)(match, schedule, target)


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("name", KERNELS)
def test_which_family_takes_a_kernel(name: str, target: str):
    chosen = target_named(target)
    assert match_kernel(kernel_named(name, chosen), chosen).family == KERNELS[name][0]


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("name", KERNELS)
def test_the_default_schedule_is_legal(name: str, target: str):
    chosen = target_named(target)
    kernel = kernel_named(name, chosen)
    match = match_kernel(kernel, chosen)
    default = default_schedule(match, chosen)
    assert family_named(match.family).refusal(match, chosen, default) == ""
    assert schedule_of(match, chosen) == default


def test_a_foreign_value_gives_way_to_the_default():
    chosen = target_named("rvv")
    kernel = kernel_named("elementwise", chosen)
    kernel.schedule = ScheduleAttr.of({"vector": 999, "unroll": 4, "other": 1})
    match = match_kernel(kernel, chosen)
    default = default_schedule(match, chosen)
    assert schedule_of(match, chosen) == {**default, "unroll": 4}


def test_a_refused_combination_gives_way_to_the_default():
    chosen = target_named("rvv")
    kernel = kernel_named("gemm", chosen)
    kernel.schedule = ScheduleAttr.of({"tile": (7,), "vector": 8})
    match = match_kernel(kernel, chosen)
    assert schedule_of(match, chosen) == default_schedule(match, chosen)


STYLES = [
    ("rvv", {}),
    ("opencl", {"style": "cpu"}),
    ("opencl", {"style": "gpu"}),
    ("cuda", {}),
]


@pytest.mark.parametrize(
    ("target", "options"), STYLES, ids=["rvv", "opencl-cpu", "opencl-gpu", "cuda"]
)
@pytest.mark.parametrize("name", KERNELS)
def test_every_legal_schedule_is_emitted(
    name: str, target: str, options: Mapping[str, Entry]
):
    chosen = target_named(target, options)
    kernel = kernel_named(name, chosen)
    found = [emitted(kernel, "k0", s, chosen) for s in schedules(kernel, chosen)]
    assert found
    for code in found:
        names = {b.name for b in (*code.operands, *code.results, *code.scratch)}
        for launch in code.launches:
            assert set(launch.args) <= names
            assert f"{launch.function}(" in code.source


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("name", KERNELS)
def test_costs_are_positive_and_use_is_a_share(name: str, target: str):
    chosen = target_named(target)
    kernel = kernel_named(name, chosen)
    match = match_kernel(kernel, chosen)
    for schedule in schedules(kernel, chosen):
        cost = family_named(match.family).cost(match, chosen, schedule)
        assert cost.flops >= 0
        assert cost.bytes >= 0
        assert 0 <= cost.utilization <= 1


@pytest.fixture(scope="module", params=["rvv", "opencl"])
def runner(request: pytest.FixtureRequest) -> Iterator[Runner]:
    found = runner_for(request.param)
    available = found.availability()
    if isinstance(available, EmitOnly):
        pytest.skip(f"{available.reason}; install: {available.install}")
    yield found
    found.close()


@pytest.fixture
def target(request: pytest.FixtureRequest) -> Target:
    return target_named(request.node.callspec.params["runner"])


def assert_right(
    runner: Runner, target: Target, codes: list[tuple[KernelOp, KernelCode]]
) -> None:
    """One program of all of them, each within the bound of its case."""
    labelled = [(code.label, kernel) for kernel, code in codes]
    arrays = arguments_of(labelled, seed=2)
    outcome = runner.run(program_of([code for _, code in codes], target), arrays)
    assert isinstance(outcome, Completed), outcome
    for kernel, code in codes:
        given = [arrays[f"{code.label}_{b.name}"] for b in code.operands]
        found = [outcome.outputs[f"{code.label}_{b.name}"] for b in code.results]
        verdict = compare(expected_results(kernel, given), found)
        assert isinstance(verdict, Agreement), (code.schedule, verdict)


@pytest.mark.parametrize("name", RUN)
def test_a_sample_of_schedules_computes_the_kernel(
    runner: Runner, target: Target, name: str
):
    kernel = kernel_named(name, target)
    legal = list(schedules(kernel, target))
    sample = Random(0).sample(legal, min(6, len(legal)))
    codes = [emitted(kernel, f"k{i}", s, target) for i, s in enumerate(sample)]
    assert_right(runner, target, [(kernel, code) for code in codes])


SIZES = (1, 3, 33)


@pytest.mark.parametrize("name", RUN)
def test_a_resized_kernel_is_emitted_anew_and_right(
    runner: Runner, target: Target, name: str
):
    kernel = kernel_named(name, target)
    free = list(extents(kernel))
    family = match_kernel(kernel, target).family
    codes: list[tuple[KernelOp, KernelCode]] = []
    for index, size in enumerate(SIZES):
        other = resize(kernel, {axis: size + i for i, axis in enumerate(free)})
        match = match_kernel(other, target)
        assert match.family == family
        schedule = default_schedule(match, target)
        codes.append((other, emitted(other, f"k{index}", schedule, target)))
    assert_right(runner, target, codes)


@pytest.mark.parametrize("name", ["elementwise", "gemm", "row sums", "layer norm"])
def test_text_of_one_schedule_differs_by_its_named_extents_only(name: str):
    """On a target whose text takes any extents."""
    target = target_named("rvv")
    kernel = kernel_named(name, target)
    first = emitted(kernel, "k0", default_schedule_of(kernel, target), target)
    sizes = {axis: extent + 32 for axis, extent in extents(kernel).items()}
    other = resize(kernel, sizes)
    second = emitted(other, "k0", default_schedule_of(kernel, target), target)
    assert [n for n, _ in first.extents] == [n for n, _ in second.extents]
    assert first.extents != second.extents
    assert without_extents(first.source) == without_extents(second.source)


def without_extents(source: str) -> str:
    """Without the comment that shows shapes and without the constants' values."""
    return re.sub(
        r"/\*.*?\*/|(?<=#define )(\w+) \d+$", r"\1", source, flags=re.S | re.M
    )


def default_schedule_of(kernel: KernelOp, target: Target) -> dict[str, Entry]:
    return default_schedule(match_kernel(kernel, target), target)


def test_rows_that_do_not_lie_together_are_not_cut():
    """A factor per row, or a row that repeats, has no place for a part of a row."""
    opencl = target_named("opencl")
    for shapes, legal in (([(4, 1024)], (1, 4)), ([(4, 1024), (4, 1)], (1,))):
        module = module_of(
            floats(*shapes),
            lambda x, *others: reduction("sum", 1)(
                pointwise(lambda a, *b: add(a, *(b or (a,))), x, *others)
            ),
        )
        module.attributes[TARGET] = opencl.attribute()
        run(new_context(), module, parse("form-kernels,fuse-prologue"))
        (kernel,) = kernels(module)
        match = match_kernel(kernel, opencl)
        assert family_named("reduce").space(match, opencl)["split"] == legal
