"""What emitted CUDA computes, under emulation, and that a CUDA compiler takes it."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import pytest
from xdsl.dialects.builtin import StringAttr

from mbc.codegen.families import family_named, match_kernel
from mbc.runtime.cuda.emulation import EmulatedCudaRunner
from mbc.runtime.cuda.runner import CudaRunner
from mbc.runtime.outcome import Completed, Failed
from tests.codegen.cuda.kernels import FAMILIES, reduction, softmax, wide_samples
from tests.codegen.cuda.samples import CUDA, Sample, inputs_of, program_of

Check = Callable[[Sequence[Sample]], None]


@pytest.mark.parametrize("family", FAMILIES)
def test_results(family: str, check: Check) -> None:
    check(FAMILIES[family]())


@pytest.mark.parametrize("family", FAMILIES)
def test_samples_belong_to_their_family(family: str) -> None:
    found = {s.name: match_kernel(s.kernel, CUDA).family for s in FAMILIES[family]()}
    assert {name: f for name, f in found.items() if f != family} == {}


@pytest.mark.parametrize("family", FAMILIES)
def test_every_knob_value_is_used(family: str) -> None:
    used: dict[str, set[object]] = {}
    legal: dict[str, set[object]] = {}
    for s in FAMILIES[family]():
        match = match_kernel(s.kernel, CUDA)
        space = family_named(family).space(match, CUDA)
        for knob, values in space.items():
            used.setdefault(knob, set()).add(s.schedule.get(knob, values[0]))
            legal.setdefault(knob, set()).update(values)
    assert {
        knob: legal[knob] - used[knob] for knob in legal if legal[knob] - used[knob]
    } == {}


def test_nan_reaches_the_result(emulated: EmulatedCudaRunner) -> None:
    samples = [
        reduction("rows", (3, 40), "max", (1,)),
        reduction("columns", (40, 3), "min", (0,)),
        softmax("soft", (3, 40)),
    ]
    inputs = inputs_of(samples)
    for array in inputs.values():
        array[1, 2] = np.nan
    outcome = emulated.run(program_of(samples), inputs)
    assert isinstance(outcome, Completed)
    for name, wanted in (("rows", [1]), ("columns", [2]), ("soft", [1])):
        found = np.isnan(outcome.outputs[f"{name}_r0"]).reshape(3, -1).all(1)
        assert np.flatnonzero(found).tolist() == wanted


def test_a_cuda_compiler_takes_all_kernels() -> None:
    samples = [s for make in (*FAMILIES.values(), wide_samples) for s in make()]
    outcome = CudaRunner().compile_check(program_of(renamed(samples)))
    if isinstance(outcome, Failed) and outcome.kind == "blocked":
        pytest.skip(outcome.message)
    assert outcome == Completed({})


def renamed(samples: Sequence[Sample]) -> list[Sample]:
    """Samples of several families in one program need labels of their own."""
    for index, s in enumerate(samples):
        s.kernel.properties["label"] = StringAttr(f"{s.name}_{index}")
    return list(samples)
