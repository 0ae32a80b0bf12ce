"""Modelled cycles of tuned RVV kernels, with the floor of each."""

from __future__ import annotations

from mbc.agent.loop import Budget
from mbc.api.module import Module
from mbc.api.tune import tune
from tools.bench.kernels import conv, gemm, softmax
from tools.bench.moves import SMALL

BYTES_PER_CYCLE = 16
"""Of the memory unit."""


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
    }


def conv_64() -> dict[str, object]:
    return tuned(conv(64, 56), 64 * 64 * 9 * 56 * 56 // 8, measurements=6)


def depthwise_64() -> dict[str, object]:
    return tuned(conv(64, 56, groups=64), 64 * 9 * 56 * 56 // 8, measurements=12)


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
