"""Kernels under every schedule, run as one program, compared bit by bit."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager

import numpy as np
import pytest
from xdsl.ir import SSAValue

from mbc.codegen.emitters import emitter
from mbc.codegen.families import family_named, match_kernel
from mbc.codegen.program import KernelCode
from mbc.codegen.targets import Target, target_named
from mbc.ir.attributes import Entry
from mbc.ir.execute import execute
from mbc.ir.kernel import KernelOp
from mbc.ir.types import Array, Tensor
from mbc.runtime.cuda.emulation import EmulatedCudaRunner
from mbc.runtime.outcome import Available, Completed
from mbc.runtime.runner import Runner, runner_for
from tests.codegen.nest_programs import arguments_of, kernels_of, program_of
from tests.ir.samples import module_of

Body = Callable[..., SSAValue | Sequence[SSAValue]]
Kernels = Mapping[str, tuple[Sequence[Tensor], Body]]

STYLES: dict[str, tuple[str, Mapping[str, Entry]]] = {
    "rvv": ("rvv", {}),
    "opencl-cpu": ("opencl", {"style": "cpu"}),
    "opencl-gpu": ("opencl", {"style": "gpu"}),
    "cuda": ("cuda", {}),
}


@contextmanager
def available_runner(name: str) -> Generator[Runner]:
    """The runner of a target, an emulated one for CUDA; skips where there is none."""
    runner = EmulatedCudaRunner() if name == "cuda" else runner_for(name)
    availability = runner.availability()
    if not isinstance(availability, Available):
        pytest.skip(f"{name}: {availability.reason}")
    try:
        yield runner
    finally:
        close = getattr(runner, "close", None)
        if close:
            close()


def kernel_of(types: Sequence[Tensor], body: Body) -> KernelOp:
    """The one kernel of a body."""
    (kernel,) = kernels_of(module_of(types, body))
    return kernel


def schedules(kernel: KernelOp, target: Target) -> Iterator[dict[str, Entry]]:
    match = match_kernel(kernel, target)
    space = family_named(match.family).space(match, target)
    for values in itertools.product(*space.values()):
        yield dict(zip(space, values, strict=True))


EACH = 2
"""Schedules of one kernel; the next kernel goes on where it stopped."""


def every_schedule(
    kernels: Kernels, family: str, target: Target
) -> list[tuple[str, KernelOp, KernelCode]]:
    """The code of every kernel, under schedules that come round to all legal ones."""
    found: list[tuple[str, KernelOp, KernelCode]] = []
    turns: Counter[tuple[str, ...]] = Counter()
    for name, (types, body) in kernels.items():
        kernel = kernel_of(types, body)
        legal = list(schedules(kernel, target))
        space = tuple(map(str, legal))
        for _ in range(min(EACH, len(legal))):
            schedule = legal[turns[space] % len(legal)]
            turns[space] += 1
            found.append(emitted(name, kernel, f"k{len(found)}", schedule, target))
            assert found[-1][2].family == family, f"{name} is {found[-1][2].family}"
    assert any(turns[space] >= len(space) for space in turns)
    return found


def emitted(
    name: str,
    kernel: KernelOp,
    label: str,
    schedule: Mapping[str, Entry],
    target: Target,
) -> tuple[str, KernelOp, KernelCode]:
    clone = kernel.clone()
    clone.properties["label"] = type(kernel.label)(label)
    match = match_kernel(clone, target)
    code = emitter(target, match.family)(match, schedule, target)
    return f"{name} {schedule}", clone, code


def as_drawn(kernel: KernelOp, arrays: list[Array]) -> list[Array]:
    return arrays


def check_exactly(
    kernels: Kernels,
    family: str,
    style: str,
    adjust: Callable[[KernelOp, list[Array]], list[Array]] = as_drawn,
) -> None:
    """Every kernel under every schedule gives the reference's bits, NaN for NaN.

    `adjust` may replace the arguments that were drawn for a kernel.
    """
    name, options = STYLES[style]
    target = target_named(name, options)
    cases = every_schedule(kernels, family, target)
    labelled = [(code.label, kernel) for _, kernel, code in cases]
    arguments = arguments_of(labelled)
    for label, kernel in labelled:
        names = [f"{label}_a{i}" for i in range(len(kernel.ins))]
        changed = adjust(kernel, [arguments[name] for name in names])
        arguments.update(zip(names, changed, strict=True))
    with available_runner(name) as runner:
        program = program_of([code for _, _, code in cases], target)
        outcome = runner.run(program, arguments)
    assert isinstance(outcome, Completed), outcome
    for title, kernel, code in cases:
        given = [arguments[f"{code.label}_{b.name}"] for b in code.operands]
        wanted = execute(kernel, given)
        for buffer, reference in zip(code.results, wanted, strict=True):
            same(title, outcome.outputs[f"{code.label}_{buffer.name}"], reference)


def same(title: str, found: Array, wanted: Array) -> None:
    """Equal bits, but NaN may be any NaN."""
    assert found.dtype == wanted.dtype, title
    numbers = found == found
    np.testing.assert_array_equal(numbers, wanted == wanted, err_msg=title)
    raw, reference = (
        np.where(numbers, array, np.zeros_like(array)).view(np.uint8)
        for array in (np.atleast_1d(found), np.atleast_1d(wanted))
    )
    np.testing.assert_array_equal(raw, reference, err_msg=title)
