"""Times whole layers by default schedules, called in this process, beside torch eager.

Both are replayed from CUDA graphs, in turn, each behind a flushed L2 cache.
"""

from __future__ import annotations

from collections.abc import Callable
from statistics import median
from typing import Any

import torch

import mbc
from mbc.ir.cost import fewest_bytes, flops
from mbc.ir.kernel import kernels
from mbc.runtime.cuda.device import Clock
from mbc.runtime.outcome import Failed
from tools.bench.layers import LAYERS, Layer
from tools.gpu.bench import TOLERANCE

COPIED = 1 << 28
"""Bytes read, and as many written, for the bandwidth of a copy."""


def bench_layers(rounds: int) -> list[dict[str, Any]]:
    torch.backends.cuda.matmul.allow_tf32 = False
    torch.backends.cudnn.allow_tf32 = False
    rows: list[dict[str, Any]] = []
    for name, layer in LAYERS.items():
        rows.append(_row(name, layer, rounds))
        print(rows[-1], flush=True)
        torch.cuda.empty_cache()
    return rows


def _row(name: str, layer: Layer, rounds: int) -> dict[str, Any]:
    artifact = mbc.lower(layer.module(layer.large), "cuda")
    loaded = artifact.resident()
    if isinstance(loaded, Failed):
        return {"layer": name, "failed": loaded.message}
    inputs = [tensor.cuda() for tensor in layer.inputs(layer.large)]
    model = layer.model().cuda()
    source = torch.empty(COPIED // 4, device="cuda")
    calls: list[Callable[[], object]] = [
        source.clone,
        lambda: model(*inputs),
        lambda: artifact(*inputs),
    ]
    with torch.inference_mode():
        difference = _difference(artifact(*inputs), model(*inputs))
        samples, _ = Clock(torch).measure(calls, rounds)
    copy, eager, ours = (median(each) for each in samples)
    formed = list(kernels(artifact.module))
    moved, work = sum(map(fewest_bytes, formed)), sum(map(flops, formed))
    ratios = sorted(e / o for e, o in zip(samples[1], samples[2], strict=True))
    return {
        "layer": name,
        "shape": layer.large[0],
        "us": ours / 1e3,
        "eager us": eager / 1e3,
        "over eager": round(median(ratios), 3),
        "spread": [round(ratios[len(ratios) // 10], 3), round(ratios[-2], 3)],
        "of copy": round(moved / ours / (2 * COPIED / copy), 3),
        "TFLOP/s": round(work / ours / 1e3, 2),
        "kernels": [k.label.data for k in formed],
        "wrong": difference if difference > TOLERANCE else 0.0,
    }


def _difference(found: Any, wanted: Any) -> float:
    """Relative to the largest value; for integers, the share that differs."""
    if not found.is_floating_point():
        return float((found != wanted).float().mean())
    return float((found - wanted).abs().max() / wanted.abs().max())
