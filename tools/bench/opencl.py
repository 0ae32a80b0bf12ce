"""Tuned OpenCL kernels beside NumPy and torch eager, in interleaved rounds."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from importlib import import_module
from typing import Any

import numpy as np

from mbc.agent.loop import Budget
from mbc.api.artifact import Artifact
from mbc.api.module import Module
from mbc.api.tune import tune
from mbc.runtime.execution import bind, run_prepare
from mbc.runtime.outcome import Completed, Failed, Measured
from mbc.runtime.trial import Trial
from tools.bench.kernels import chain, conv, gemm
from tools.bench.layers import LAYERS, Layer
from tools.bench.moves import LARGE

ROUNDS = 15


def figures() -> dict[str, object]:
    moves = {
        name: against(move.module, move.inputs(), {"torch eager": move.peer()}, 10)
        for name, move in LARGE.items()
    }
    return {
        "gemm 512^3": gemm_512(),
        "conv 3x3 64x56x56": conv_64(groups=1),
        "depthwise 3x3 64x56x56": conv_64(groups=64),
        "chain of 6 on 16 M": chain_16m(),
        **moves,
        **{
            f"{n} {layer.middle[0]}": beside_eager(layer) for n, layer in LAYERS.items()
        },
    }


def beside_eager(layer: Layer) -> dict[str, object]:
    torch: Any = import_module("torch")
    module, model = layer.module(layer.middle), layer.model()
    tensors = layer.inputs(layer.middle)

    def eager() -> object:
        with torch.inference_mode():
            return model(*tensors)

    named = module.signature.input_values([tensor.numpy() for tensor in tensors])
    return against(module, named, {"torch eager": eager}, measurements=10)


def gemm_512() -> dict[str, object]:
    module = gemm(512, 512, 512)
    x = np.random.default_rng(1).standard_normal((512, 512)).astype(np.float32)
    weight = module.parameters["w"].T.copy()
    return against(module, {"x": x}, {"numpy": lambda: x @ weight}, measurements=20)


def conv_64(groups: int) -> dict[str, object]:
    torch: Any = import_module("torch")
    module = conv(64, 56, groups)
    x = np.random.default_rng(1).standard_normal((1, 64, 56, 56)).astype(np.float32)
    t, w = torch.from_numpy(x), torch.from_numpy(module.parameters["w"])

    def eager() -> object:
        with torch.inference_mode():
            return torch.nn.functional.conv2d(t, w, padding=1, groups=groups)

    return against(module, {"x": x}, {"torch eager": eager}, measurements=12)


def chain_16m() -> dict[str, object]:
    torch: Any = import_module("torch")
    module = chain(1 << 24)
    x = np.random.default_rng(1).standard_normal(1 << 24).astype(np.float32)
    t = torch.from_numpy(x)

    def eager() -> object:
        return (torch.relu(t * 1.5 + 0.25) - 0.5) * t + 1.0

    return against(module, {"x": x}, {"torch eager": eager}, measurements=10)


def against(
    module: Module,
    inputs: dict[str, np.ndarray],
    peers: dict[str, Callable[[], object]],
    measurements: int,
) -> dict[str, object]:
    """Tune, then time the artifact and every peer in turn, round after round."""
    result = tune(module, "opencl", budget=Budget(measurements=measurements))
    ours: list[float] = []
    theirs: dict[str, list[float]] = {name: [] for name in peers}
    for name in peers:
        peers[name]()
    for _ in range(ROUNDS):
        ours.append(kernel_time(result.artifact, inputs))
        for name, call in peers.items():
            theirs[name].append(timed(call))
    result.artifact.runner().close()
    found: dict[str, object] = {
        "ns": statistics.median(ours),
        "pipeline": result.rows[0].pipeline,
    }
    for name, samples in theirs.items():
        ratios = sorted(t / o for t, o in zip(samples, ours, strict=True))
        found[f"speed over {name}"] = round(statistics.median(ratios), 3)
        quarter = len(ratios) // 4
        spread = [round(r, 3) for r in (ratios[quarter], ratios[-1 - quarter])]
        found[f"quartiles over {name}"] = spread
    return found


def kernel_time(artifact: Artifact, inputs: dict[str, np.ndarray]) -> float:
    """One timed round of @forward by profiling events, in nanoseconds."""
    runner = artifact.runner()
    prepared = run_prepare(runner, artifact.code, artifact.parameters)
    assert not isinstance(prepared, Failed)
    bound = bind(artifact.code.forward, {**artifact.parameters, **inputs}, prepared)
    program = artifact.code.forward.program
    outcome = runner.run(program, bound)
    assert isinstance(outcome, Completed), outcome
    trial = Trial.repeating(program, bound, outcome.outputs)
    (measured,) = runner.measure([trial], 1)
    assert isinstance(measured, Measured), measured
    return measured.value


def timed(call: Callable[[], object]) -> float:
    start = time.perf_counter_ns()
    call()
    return float(time.perf_counter_ns() - start)
