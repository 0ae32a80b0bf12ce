"""The demo's two models whole: RVV against plain loops, OpenCL against torch eager."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from unittest.mock import patch

from mbc.agent.loop import Budget
from mbc.api.artifact import Artifact
from mbc.api.lower import lower
from mbc.api.module import Module, import_file
from mbc.api.tune import tune
from mbc.codegen.families import FAMILIES
from mbc.frontend.model_file import load_model_file
from mbc.runtime.execution import bind, run_prepare
from mbc.runtime.outcome import Completed, Failed, Measured
from mbc.runtime.runner import Runner, runner_for
from mbc.runtime.trial import Trial
from tools.bench.opencl import module_beside
from tools.bench.options import Figures, Options

ROOT = Path(__file__).parent.parent.parent
MODELS = {
    "residual conv net": ROOT / "tests/models/resnet_block.py",
    "transformer block": ROOT / "tests/models/transformer.py",
}
PLAIN = "form-kernels"
"""Every op a kernel of its own, as it was imported."""


def rows(options: Options) -> Iterator[tuple[str, Figures]]:
    for target in options.targets:
        for name, path in MODELS.items():
            if options.match in name:
                yield f"{target} {name}", ON[target](path, options)


def over_plain_loops(path: Path, options: Options) -> Figures:
    """Modelled cycles of @forward: plain loops, default and tuned schedules."""
    module = import_file(path)
    with patch.dict(FAMILIES, {"nest": FAMILIES["nest"]}, clear=True):
        plain = lower(module, "rvv", pipeline=PLAIN)
    ours = {"default": lower(module, "rvv")}
    if options.measurements:
        budget = Budget(measurements=options.measurements)
        ours["tuned"] = tune(module, "rvv", budget=budget).artifact
    runner = runner_for("rvv")
    try:
        before = cost(runner, plain, module, path)
        after = {n: cost(runner, a, module, path) for n, a in ours.items()}
    finally:
        runner.close()
    figures: Figures = {
        "fidelity": before.fidelity.name.lower(),
        "plain loops": before.value,
    }
    for name, measured in after.items():
        figures[name] = measured.value
        figures[f"{name} over plain"] = round(before.value / measured.value, 2)
    return figures


def cost(runner: Runner, artifact: Artifact, module: Module, path: Path) -> Measured:
    inputs = load_model_file(path).inputs
    named = module.signature.input_values([tensor.numpy() for tensor in inputs])
    prepared = run_prepare(runner, artifact.code, artifact.parameters)
    assert not isinstance(prepared, Failed), prepared
    bound = bind(artifact.code.forward, {**artifact.parameters, **named}, prepared)
    program = artifact.code.forward.program
    outcome = runner.run(program, bound)
    assert isinstance(outcome, Completed), outcome
    trial = Trial.repeating(program, bound, outcome.outputs)
    (measured,) = runner.measure([trial], 1)
    assert isinstance(measured, Measured), measured
    return measured


def over_eager(path: Path, options: Options) -> Figures:
    loaded = load_model_file(path)
    module = import_file(path)
    return module_beside(module, loaded.model.eval(), list(loaded.inputs), options)


ON: dict[str, Callable[[Path, Options], Figures]] = {
    "rvv": over_plain_loops,
    "opencl": over_eager,
}
