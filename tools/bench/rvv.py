"""Modelled cycles of tuned RVV kernels, with the floor of each."""

from __future__ import annotations

from mbc.agent.loop import Budget
from mbc.api.module import Module
from mbc.api.tune import tune
from tools.bench.kernels import conv, gemm, softmax
from tools.bench.layers import LAYERS
from tools.bench.moves import SMALL

BYTES_PER_CYCLE = 16
"""Of the memory unit."""
FLOPS_PER_CYCLE = 16
"""Of f32: a multiply-add in each of eight lanes."""


def figures() -> dict[str, object]:
    """Cycles at VLEN = DLEN = 256; floors: multiply-adds or bytes at peak rate."""
    return {
        "gemm 28x128x64": tuned(gemm(28, 128, 64), 28 * 128 * 64 // 8),
        "softmax 16x256": tuned(softmax(16, 256), 16 * 256 * 8 // BYTES_PER_CYCLE),
        "conv 3x3 64x56x56": conv_64(),
        "depthwise 3x3 64x56x56": depthwise_64(),
        **{
            name: tuned(move.module, move.bytes // BYTES_PER_CYCLE)
            for name, move in SMALL.items()
        },
        **{
            f"{name} {layer.small[0]}": whole(layer.module(layer.small))
            for name, layer in LAYERS.items()
        },
    }


def conv_64() -> dict[str, object]:
    return tuned(conv(64, 56), 64 * 64 * 9 * 56 * 56 // 8, measurements=6)


def depthwise_64() -> dict[str, object]:
    return tuned(conv(64, 56, groups=64), 64 * 9 * 56 * 56 // 8, measurements=12)


def whole(module: Module) -> dict[str, object]:
    """All kernels of a layer, and the sum of their floors."""
    result = tune(module, "rvv", budget=Budget(measurements=12))
    pairs = list(zip(result.histories, result.rows, strict=True))
    floors = [
        max(h.flops / FLOPS_PER_CYCLE, h.bytes / BYTES_PER_CYCLE) for h, _ in pairs
    ]
    times = [history.occurrences for history, _ in pairs]
    cycles = sum(n * row.tuned for n, (_, row) in zip(times, pairs, strict=True))
    floor = sum(n * one for n, one in zip(times, floors, strict=True))
    return {
        "cycles": cycles,
        "default": sum(n * r.default for n, (_, r) in zip(times, pairs, strict=True)),
        "floor": round(floor),
        "over floor": round(cycles / floor, 3),
        "kernels": [f"{row.label} {row.family}" for row in result.rows],
    }


def tuned(module: Module, floor: int, measurements: int = 40) -> dict[str, object]:
    result = tune(module, "rvv", budget=Budget(measurements=measurements))
    row = max(result.rows, key=lambda row: row.tuned)
    return {
        "cycles": row.tuned,
        "default": row.default,
        "floor": floor,
        "over floor": round(row.tuned / floor, 3),
        "pipeline": row.pipeline,
        "fidelity": row.fidelity,
    }
