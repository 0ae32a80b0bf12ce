"""Checks whole models on the GPU, and tunes one of them."""

from __future__ import annotations

from pathlib import Path

import mbc
from mbc.api.check import check_random
from mbc.api.lower import lower_with
from mbc.api.module import from_op
from mbc.errors import MbcError
from mbc.runtime.cuda.runner import CudaRunner
from tools.support_table import TARGETS, all_ops

MODELS = ("mlp", "resnet_block", "transformer", "lstm")
TUNED = "mlp"
MEASUREMENTS = 12
FOLDER = Path(__file__).resolve().parents[2] / "tests/models"


def check_models(runner: CudaRunner) -> list[str]:
    """One line per thing that is wrong."""
    wrong: list[str] = []
    for name in MODELS:
        try:
            module = mbc.import_file(FOLDER / f"{name}.py")
            artifact = mbc.lower(module, "cuda")
            artifact.use_runner(runner)
            report = check_random(artifact, module)
        except MbcError as error:
            print(f"{name}: {error}", flush=True)
            wrong.append(f"{name}: {error}")
            continue
        share = f"{report.worst:.1%} of the bound used"
        print(f"{name}: {report.text}, {share}", flush=True)
        wrong += [] if report.passed else [f"{name}: {report.text}"]
    return wrong


def check_ops(runner: CudaRunner) -> list[str]:
    """Every named op under the default pipeline, in one program."""
    module, target = from_op(all_ops()), TARGETS["CUDA"]
    artifact = lower_with(module, target, target.pipeline, "unverified")
    artifact.use_runner(runner)
    report = check_random(artifact, module)
    print(f"all ops: {report.text}", flush=True)
    return [] if report.passed else [f"all ops: {report.text}"]


def tune_one() -> list[str]:
    """One line per kernel that was not timed."""
    module = mbc.import_file(FOLDER / f"{TUNED}.py")
    budget = mbc.Budget(measurements=MEASUREMENTS)
    try:
        tuned = mbc.tune(module, "cuda", budget=budget)
    except MbcError as error:
        return [f"tuning {TUNED}: {error}"]
    print(f"{TUNED}: {tuned.measured} measured; {tuned.check}")
    for row in tuned.rows:
        print(
            f"  {row.label:<24}{row.family:<10}{row.default:>10.0f} to "
            f"{row.tuned:.0f} {row.unit} ({row.fidelity}): {row.verdict}"
        )
    untimed = [row for row in tuned.rows if row.fidelity != "hardware"]
    return [f"tuning {row.label}: {row.verdict}" for row in untimed]
