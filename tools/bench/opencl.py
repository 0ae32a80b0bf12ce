"""Layers on OpenCL beside torch eager: whole calls of both, in interleaved rounds."""

from __future__ import annotations

from collections.abc import Iterator

import torch

from mbc.agent.loop import Budget
from mbc.api.lower import lower
from mbc.api.module import Module
from mbc.api.tune import tune
from mbc.runtime.outcome import Failed
from tools.bench.interleaved import beside
from tools.bench.layers import LAYERS, Layer
from tools.bench.options import Figures, Options


def rows(options: Options) -> Iterator[tuple[str, Figures]]:
    for name, layer in LAYERS.items():
        if options.match in name:
            yield f"{name} {layer.middle[0]}", beside_eager(layer, options)


def beside_eager(layer: Layer, options: Options) -> Figures:
    model, inputs = layer.model(), layer.inputs(layer.middle)
    return module_beside(layer.module(layer.middle), model, inputs, options)


def module_beside(
    module: Module,
    model: torch.nn.Module,
    inputs: list[torch.Tensor],
    options: Options,
) -> Figures:
    """An artifact's call holds all there is: checks, launches, the result's memory."""
    if options.measurements:
        budget = Budget(measurements=options.measurements)
        artifact = tune(module, "opencl", budget=budget).artifact
        artifact.use_runner(None)
    else:
        artifact = lower(module, "opencl")
    loaded = artifact.resident()
    if isinstance(loaded, Failed):
        return {"failed": loaded.message}
    with torch.inference_mode():
        figures = beside(
            lambda: artifact(*inputs), lambda: model(*inputs), options.rounds
        )
    return {**figures, "kernels": list(artifact.code.kernels)}
