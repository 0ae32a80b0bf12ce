"""Whether products in the matrix unit are as accurate as strict numerics ask.

Each is judged by the bound of its case, element by element, and by its RMS error
against float64: four times that of torch without tf32, plus two ulps of the result.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

import numpy as np

from mbc.ir.types import Array
from mbc.runtime.bound import Agreement, compare, epsilon, expected_results
from mbc.runtime.cuda.runner import CudaRunner
from mbc.runtime.outcome import Failed
from tests.codegen.cuda.kernels import product
from tests.codegen.cuda.samples import Sample, inputs_of, program_of

SIDE = 96
LENGTHS = (8, 100, 512, 2048, 8192)
"""Of sums."""
OFFSETS = (0.0, 1.0)
"""Added to normal draws: sums that walk, and sums that grow."""
FACTOR, ULPS = 4.0, 2.0
SPECIAL = (np.inf, -np.inf, np.nan, 3.4e38)


def check_accuracy(runner: CudaRunner) -> tuple[list[str], list[dict[str, Any]]]:
    """What is wrong, and the share of strict's error that each length uses."""
    wrong: list[str] = []
    rows: list[dict[str, Any]] = []
    samples = [
        product(f"sum{k}", "mk,nk->mn", (SIDE, k), (SIDE, k), matrix=3) for k in LENGTHS
    ]
    for offset in OFFSETS:
        inputs = {n: a + np.float32(offset) for n, a in inputs_of(samples).items()}
        outcome = runner.run(program_of(samples), inputs)
        if isinstance(outcome, Failed):
            return [f"accuracy: {outcome.message}\n{outcome.log[-2000:]}"], rows
        for sample in samples:
            got = outcome.outputs[f"{sample.name}_r0"]
            row = _row(sample, inputs, got) | {"offset": offset}
            print(row, flush=True)
            rows.append(row)
            if row["share"] > 1 or row["bound"]:
                wrong.append(f"accuracy: {row}")
    return [*wrong, *_special(runner)], rows


def _row(sample: Sample, inputs: dict[str, Array], got: Array) -> dict[str, Any]:
    torch: Any = import_module("torch")
    arguments = [inputs[f"{sample.name}_a{i}"] for i in range(2)]
    x, y = (a.astype(np.float64) for a in arguments)
    exact = x @ y.T
    torch.backends.cuda.matmul.allow_tf32 = False
    lhs, rhs = (torch.from_numpy(a).cuda() for a in arguments)
    reference = _rms((lhs @ rhs.T).cpu().numpy() - exact)
    verdict = compare(expected_results(sample.kernel, arguments), [got])
    allowed = FACTOR * reference + ULPS * epsilon("f32") * _rms(exact)
    error = _rms(got - exact)
    return {
        "k": x.shape[1],
        "error": error / _rms(exact),
        "torch": reference / _rms(exact),
        "share": round(error / allowed, 3),
        "bound": "" if isinstance(verdict, Agreement) else str(verdict),
    }


def _special(runner: CudaRunner) -> list[str]:
    """Infinities, NaN and the largest numbers reach the results that they belong to."""
    samples = [
        product(f"special{i}", "mk,kn->mn", (70, 40), (40, 50), matrix=3)
        for i in range(len(SPECIAL))
    ]
    inputs = inputs_of(samples)
    for i, value in enumerate(SPECIAL):
        inputs[f"special{i}_a{i % 2}"][33, 7] = value
        inputs[f"special{i}_a{1 - i % 2}"] /= 8
    outcome = runner.run(program_of(samples), inputs)
    if isinstance(outcome, Failed):
        return [f"special: {outcome.message}"]
    wrong: list[str] = []
    for i, sample in enumerate(samples):
        arguments = [inputs[f"{sample.name}_a{j}"] for j in range(2)]
        expected = expected_results(sample.kernel, arguments)
        verdict = compare(expected, [outcome.outputs[f"{sample.name}_r0"]])
        if not isinstance(verdict, Agreement):
            wrong.append(f"special {SPECIAL[i]}: {verdict}")
    return wrong


def _rms(values: Array) -> float:
    return float(np.sqrt(np.mean(np.square(values, dtype=np.float64))))
