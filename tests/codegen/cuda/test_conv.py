"""Convolutions under emulation, with every knob value; a CUDA compiler takes them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import pytest

from mbc.codegen.families import family_named, match_kernel
from mbc.ir.attributes import Entry
from mbc.runtime.cuda.runner import CudaRunner
from mbc.runtime.outcome import Completed, Failed
from tests.codegen.convolutions import CONVOLUTIONS, TRANSPOSED, Convolution
from tests.codegen.cuda.samples import CUDA, Sample, program_of, sample
from tests.codegen.knobs import each_knob

Check = Callable[[Sequence[Sample]], None]


def samples() -> list[Sample]:
    return [
        sample(f"k{i}", convolution.shapes, convolution.body, **schedule)
        for i, (convolution, schedule) in enumerate(scheduled())
    ]


def scheduled() -> Iterator[tuple[Convolution, dict[str, Entry]]]:
    for convolution in (*CONVOLUTIONS, *TRANSPOSED):
        kernel = sample("k", convolution.shapes, convolution.body).kernel
        match = match_kernel(kernel, CUDA)
        assert match.family == "conv"
        family = family_named(match.family)
        legal = [
            schedule
            for schedule in each_knob(family.space(match, CUDA))
            if not family.refusal(match, CUDA, schedule)
        ]
        yield from ((convolution, s) for s in legal[: None if convolution.swept else 1])


def test_results(check: Check):
    check(samples())


def test_a_cuda_compiler_takes_all_kernels():
    outcome = CudaRunner().compile_check(program_of(samples()))
    if isinstance(outcome, Failed) and outcome.kind == "blocked":
        pytest.skip(outcome.message)
    assert outcome == Completed({})
