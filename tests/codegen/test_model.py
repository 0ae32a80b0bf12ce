"""The plan of a model: what is launched, what shares storage, what is returned."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator

import numpy as np
import pytest
from hypothesis import given, settings
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import SSAValue

from mbc.api.check import check_random
from mbc.api.lower import lower
from mbc.api.module import from_op
from mbc.codegen.model import (
    FunctionCode,
    ModelCode,
    emit_model,
)
from mbc.codegen.program import VIEW_ALIGNMENT, Buffer
from mbc.codegen.targets import target_named
from mbc.errors import InvalidInput
from mbc.ir import build
from mbc.ir.arithmetic import add
from mbc.ir.attributes import TARGET
from mbc.ir.boxes import Box
from mbc.ir.context import new_context
from mbc.ir.ops.contract import ContractOp
from mbc.passes.pipeline import parse, run
from mbc.runtime.execution import run_function
from mbc.runtime.outcome import EmitOnly
from mbc.runtime.runner import Runner, runner_for
from tests.ir.samples import Body, floats, module_of, named
from tests.passes.programs import PROGRAMS, exp, pointwise, programs, tanh


def code_of(module: ModuleOp, target: str = "rvv") -> ModelCode:
    chosen = target_named(target)
    lowered = module.clone()
    lowered.attributes[TARGET] = chosen.attribute()
    run(new_context(), lowered, parse(chosen.pipeline))
    return emit_model(lowered)


def forward(shapes: list[tuple[int, ...]], body: Body) -> FunctionCode:
    return code_of(module_of(floats(*shapes), body)).forward


def returned(function: FunctionCode) -> list[tuple[str, int, tuple[int, ...]]]:
    return [(r.buffer, r.offset, r.shape) for r in function.results]


def test_reshapes_cost_nothing():
    def body(x: SSAValue) -> SSAValue:
        return build.reshape(pointwise(exp, build.reshape(x, (6, 4))), (24,))

    function = forward([(2, 12)], body)
    assert len(function.program.launches) == 1
    assert function.program.arena_bytes == 0
    assert returned(function) == [("y0", 0, (24,))]


def test_a_returned_input_is_its_own_buffer():
    function = forward([(2, 3)], lambda x: (x, build.reshape(x, (6,))))
    assert function.program.launches == ()
    assert returned(function) == [("x0", 0, (2, 3)), ("x0", 0, (6,))]


def test_an_aligned_slice_is_a_place_in_its_source():
    def body(x: SSAValue) -> SSAValue:
        return build.extract_slice(x, (2, 0), (3, 128), (1, 1))

    function = forward([(8, 128)], body)
    assert function.program.launches == ()
    assert returned(function) == [("x0", 256, (3, 128))]


def test_a_kernel_reads_an_aligned_slice_in_place():
    def body(x: SSAValue) -> SSAValue:
        return pointwise(exp, build.extract_slice(x, (2, 0), (3, 128), (1, 1)))

    function = forward([(8, 128)], body)
    (launch,) = function.program.launches
    view = function.program.by_name[launch.args[0]]
    assert (view.view_of, view.offset) == ("x0", 256)


@pytest.mark.parametrize(
    ("offsets", "sizes"), [((1, 0), (3, 6)), ((0, 1), (8, 2))], ids=["low", "columns"]
)
def test_other_slices_are_computed(offsets: tuple[int, int], sizes: tuple[int, int]):
    function = forward(
        [(8, 6)], lambda x: build.extract_slice(x, offsets, sizes, (1, 1))
    )
    assert len(function.program.launches) == 1
    assert returned(function) == [("y0", 0, sizes)]


def test_a_value_returned_twice_is_computed_once():
    def body(x: SSAValue):
        y = pointwise(exp, x)
        return y, y, build.reshape(y, (6,))

    function = forward([(2, 3)], body)
    assert len(function.program.launches) == 1
    assert [b.name for b in function.program.outputs] == ["y0"]
    assert returned(function) == [("y0", 0, (2, 3)), ("y0", 0, (2, 3)), ("y0", 0, (6,))]


def test_intermediates_share_the_arena():
    def body(x: SSAValue, w: SSAValue) -> SSAValue:
        for _ in range(5):
            x = ContractOp.einsum("mk,kn->mn", x, w).result
        return x

    program = forward([(16, 16), (16, 16)], body).program
    between = [b for b in program.buffers if b.role == "scratch" and not b.view_of]
    assert len(between) == 4
    assert program.arena_bytes == 2 * 16 * 16 * 4


def test_work_on_parameters_is_done_once():
    code = code_of(PROGRAMS["prepared_weights"]())
    assert code.prepare is not None
    assert {a.kind for a in code.prepare.arguments} == {"parameter"}
    prepared = [a for a in code.forward.arguments if a.kind == "prepared"]
    assert prepared
    for argument in prepared:
        made = code.prepare.results[argument.index]
        taken = code.forward.program.by_name[argument.buffer]
        assert (made.dtype, made.shape) == (taken.dtype, taken.shape)


def test_a_model_without_such_work_has_no_prepare():
    assert code_of(PROGRAMS["softmax_by_hand"]()).prepare is None


def test_every_kernel_is_in_the_one_translation_unit():
    code = code_of(PROGRAMS["conv_net"]())
    assert code.kernels
    for kernel in code.kernels.values():
        assert code.source.count(kernel.source) == 1


def test_an_op_outside_of_kernels_is_refused_by_name():
    module = module_of(floats((2, 3)), lambda x: pointwise(exp, x))
    module.attributes[TARGET] = target_named("rvv").attribute()
    with pytest.raises(InvalidInput, match=r"'linalg.generic' is in no kernel"):
        emit_model(module)


@pytest.mark.parametrize(
    ("shape", "sizes", "strides", "contiguous"),
    [
        ((4, 5), (2, 5), (1, 1), True),
        ((4, 5), (1, 3), (1, 1), True),
        ((4, 5), (2, 3), (1, 1), False),
        ((4, 5), (2, 5), (2, 1), False),
        ((4, 5), (1, 5), (2, 1), True),
        ((2, 3, 4), (1, 2, 4), (1, 1, 1), True),
        ((2, 3, 4), (2, 1, 4), (1, 1, 1), False),
        ((), (), (), True),
    ],
)
def test_which_boxes_are_one_run_of_memory(shape, sizes, strides, contiguous: bool):
    box = Box((0,) * len(sizes), tuple(sizes), tuple(strides))
    assert box.is_run(shape) is contiguous
    elements = np.arange(np.prod(shape, dtype=int)).reshape(shape)
    taken = elements[
        tuple(
            slice(0, size * stride, stride)
            for size, stride in zip(sizes, strides, strict=True)
        )
    ]
    assert bool(np.all(np.diff(taken.ravel()) == 1)) is contiguous


def alive(function: FunctionCode) -> Iterator[tuple[Buffer, int, int]]:
    """Buffers in the arena with their first and last launch, from the launches."""
    program = function.program
    uses: dict[str, list[int]] = {}
    for index, launch in enumerate(program.launches):
        for name in launch.args:
            root = program.by_name[name].view_of or name
            uses.setdefault(root, []).append(index)
    for result in function.results:
        uses.setdefault(result.buffer, []).append(len(program.launches))
    for name, at in uses.items():
        buffer = program.by_name[name]
        if buffer.role == "scratch":
            yield buffer, min(at), max(at)


@settings(deadline=None, max_examples=40)
@given(programs())
def test_no_launch_overwrites_what_a_later_one_reads(module: ModuleOp):
    function = code_of(module).forward
    found = list(alive(function))
    for buffer, _, _ in found:
        assert buffer.offset % 64 == 0
        assert buffer.offset + buffer.nbytes <= function.program.arena_bytes
    for (a, first, last), (b, begin, end) in itertools.combinations(found, 2):
        if first <= end and begin <= last and a.nbytes and b.nbytes:
            assert a.offset + a.nbytes <= b.offset or b.offset + b.nbytes <= a.offset


@settings(deadline=None, max_examples=40)
@given(programs())
def test_a_plan_is_complete(module: ModuleOp):
    """Every name is a buffer, every view is aligned and inside of its root."""
    code = code_of(module)
    for function in (code.forward, code.prepare):
        if function is None:
            continue
        program = function.program
        assert len(function.labels) == len(program.launches)
        for launch in program.launches:
            assert all(name in program.by_name for name in launch.args)
        for buffer in program.buffers:
            if not buffer.view_of:
                continue
            root = program.by_name[buffer.view_of]
            assert not root.view_of
            assert 0 <= buffer.offset <= root.elements - buffer.elements
            assert buffer.offset * 4 % VIEW_ALIGNMENT == 0
        for result in function.results:
            root = program.by_name[result.buffer]
            elements = int(np.prod(result.shape, dtype=int))
            assert 0 <= result.offset <= root.elements - elements


Run = Callable[[ModuleOp], None]


@pytest.fixture(scope="module", params=["rvv", "opencl"])
def checked(request: pytest.FixtureRequest) -> Iterator[Run]:
    """Runs a module with random parameters and inputs against its own meaning."""
    runner: Runner = runner_for(request.param)
    available = runner.availability()
    if isinstance(available, EmitOnly):
        pytest.skip(f"{available.reason}; install: {available.install}")

    def check(module: ModuleOp) -> None:
        artifact = lower(from_op(module), request.param)
        artifact.use_runner(runner)
        report = check_random(artifact, from_op(module))
        assert report.passed, report.text

    yield check
    runner.close()


@pytest.mark.parametrize("name", ["softmax_by_hand", "views"])
def test_a_planned_program_computes_what_it_means(checked: Run, name: str):
    checked(PROGRAMS[name]())


def test_a_kernels_own_launch_order_is_kept(checked: Run):
    """Values that are alive at once, out of order, with views of them."""

    def body(x: SSAValue, w: SSAValue):
        first = ContractOp.einsum("mk,kn->mn", x, w).result
        second = named("softmax", first, axis=1, log=False)
        third = pointwise(add, ContractOp.einsum("mk,kn->mn", second, w).result, first)
        part = build.extract_slice(third, (2, 0), (2, 32), (1, 1))
        return pointwise(tanh, part), build.reshape(second, (8 * 32,)), first

    checked(module_of(floats((8, 32), (32, 32)), body))


def test_without_launches_results_are_the_inputs():
    function = forward([(2, 3)], lambda x: build.reshape(x, (6,)))
    runner = runner_for("rvv")
    x = np.arange(6, dtype=np.float32).reshape(2, 3)
    found = run_function(runner, function, {"a0": x})
    np.testing.assert_array_equal(found, [x.ravel()])
