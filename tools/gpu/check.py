"""Checks CUDA templates, models, calls, sanitizer and clock on a GPU, then times.

Run from the repository root on a machine with a GPU:

    PYTHONPATH=. python tools/gpu/check.py --output report.json
"""

from __future__ import annotations

import argparse
import itertools
import json
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from mbc.codegen.families import family_named, match_kernel
from mbc.runtime.cuda.runner import CudaRunner
from mbc.runtime.outcome import Failed, NotMeasured
from mbc.runtime.trial import Trial
from tests.codegen.cuda.kernels import (
    FAMILIES,
    layer_norm,
    pointwise,
    product,
    reduction,
    softmax,
)
from tests.codegen.cuda.samples import (
    CUDA,
    Sample,
    disagreements,
    inputs_of,
    program_of,
)
from tests.codegen.cuda.test_conv import samples as convolution_samples
from tools.gpu.accuracy import check_accuracy
from tools.gpu.bench import bench, print_table
from tools.gpu.calls import check_calls
from tools.gpu.clock import check_clock
from tools.gpu.layers import bench_layers
from tools.gpu.matrix_unit import bench_matrix_unit
from tools.gpu.models import check_models, check_ops, tune_one
from tools.gpu.sanitizer import check_sanitizer

CHECKS = ("kernels", "accuracy", "models", "calls", "sanitizer", "clock")
PARTS = (*CHECKS, "times", "matrix", "layers")
ROUNDS = 3
"""Of timing each program beside itself, to see that it can be timed."""
TOGETHER = 40
"""Kernels per translation unit."""


def all_schedules(sample: Sample) -> Iterator[Sample]:
    """The sample under every legal combination of its knobs, with labels of its own."""
    match = match_kernel(sample.kernel, CUDA)
    family = family_named(match.family)
    space = family.space(match, CUDA)
    for index, values in enumerate(itertools.product(*space.values())):
        schedule = dict(zip(space, values, strict=True))
        if not family.refusal(match, CUDA, schedule):
            kernel = sample.kernel.clone()
            kernel.properties["label"] = type(sample.kernel.label)(
                f"{sample.name}_{index}"
            )
            yield replace(
                sample, name=f"{sample.name}_{index}", kernel=kernel, schedule=schedule
            )


def larger_samples() -> list[Sample]:
    """Sizes that fill more than one block in every direction."""
    plain = [
        pointwise("chain", [(300, 1000), (1000,)]),
        softmax("softmax", (70, 4096)),
        softmax("softmax_odd", (33, 3001)),
        layer_norm("norm", 65, 2048),
        reduction("rows", (50, 5000), "sum", (1,)),
        reduction("columns", (3000, 260), "mean", (0,)),
        reduction("all", (1000, 1001), "max", (0, 1)),
        product("square", "mk,kn->mn", (300, 260), (260, 276)),
        product("transposed", "mk,nk->mn", (257, 131), (140, 131)),
    ]
    return [each for sample in plain for each in all_schedules(sample)]


def check(runner: CudaRunner, name: str, samples: list[Sample]) -> list[str]:
    """One line per thing that is wrong."""
    inputs = inputs_of(samples)
    program = program_of(samples)
    outcome = runner.run(program, inputs)
    if isinstance(outcome, Failed):
        return [f"{name}: {outcome.kind}: {outcome.message}\n{outcome.log[-2000:]}"]
    wrong = disagreements(samples, inputs, outcome.outputs)
    trial = Trial.repeating(program, inputs, outcome.outputs)
    for measured in runner.measure([trial] * 2, ROUNDS):
        if isinstance(measured, NotMeasured):
            wrong.append(f"{name}: not measured: {measured.reason}")
    return wrong


def check_all(runner: CudaRunner) -> list[str]:
    wrong: list[str] = []
    groups = {name: make() for name, make in FAMILIES.items()}
    groups["conv"] = convolution_samples()
    larger = larger_samples()
    for start in range(0, len(larger), TOGETHER):
        groups[f"schedules {start}"] = larger[start : start + TOGETHER]
    for name, samples in groups.items():
        found = check(runner, name, samples)
        print(f"{name}: {len(samples)} kernels, {len(found)} wrong", flush=True)
        wrong += found
    return wrong


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--output", type=Path, required=True, help="JSON report")
    parser.add_argument("--rounds", type=int, default=20, help="timed rounds")
    parser.add_argument("--parts", nargs="+", choices=PARTS, default=PARTS)
    options = parser.parse_args()
    runner = CudaRunner()
    print(runner.availability())
    wrong: list[str] = []
    if "kernels" in options.parts:
        wrong += check_all(runner)
    accuracy: list[dict[str, Any]] = []
    if "accuracy" in options.parts:
        found, accuracy = check_accuracy(runner)
        wrong += found
    if "models" in options.parts:
        wrong += [*check_ops(runner), *check_models(runner), *tune_one()]
    if "calls" in options.parts:
        wrong += check_calls()
    watched: list[dict[str, Any]] = []
    if "sanitizer" in options.parts:
        found, watched = check_sanitizer(runner)
        wrong += found
    if "clock" in options.parts:
        wrong += check_clock(runner)
    device = runner.device()
    runner.close()
    print("\n".join(wrong) or "nothing is wrong")
    report: dict[str, object] = {"device": device, "wrong": wrong}
    report["sanitizer"] = watched
    report["accuracy"] = accuracy
    options.output.write_text(json.dumps(report, indent=1))
    if "emulated" in str(device) or "emulation" in str(device):
        print("no GPU: nothing is timed")
        return 1
    if "times" in options.parts:
        report["times"] = bench(options.rounds)
        options.output.write_text(json.dumps(report, indent=1))
        print_table(report["times"])
    if "matrix" in options.parts:
        report["matrix"] = bench_matrix_unit(options.rounds)
        options.output.write_text(json.dumps(report, indent=1))
    if "layers" in options.parts:
        report["layers"] = bench_layers(options.rounds)
        options.output.write_text(json.dumps(report, indent=1))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
