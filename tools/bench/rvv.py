"""Modelled cycles of tuned RVV kernels, with the floor of each."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

from mbc.agent.loop import Budget
from mbc.api.module import Module
from mbc.api.tune import tune
from tools.bench.kernels import gemm, softmax
from tools.bench.layers import LAYERS, Layer
from tools.bench.moves import SMALL, Move
from tools.bench.options import Figures, Options

BYTES_PER_CYCLE = 16
"""Of the memory unit."""
FLOPS_PER_CYCLE = 16
"""Of f32: a multiply-add in each of eight lanes."""


def rows(options: Options) -> Iterator[tuple[str, Figures]]:
    """Cycles at VLEN = DLEN = 256; floors: multiply-adds or bytes at peak rate."""
    todo: dict[str, Callable[[], Figures]] = {
        "gemm 28x128x64": lambda: tuned(gemm(28, 128, 64), 28 * 128 * 64 // 8),
        "softmax 16x256": lambda: tuned(
            softmax(16, 256), 16 * 256 * 8 // BYTES_PER_CYCLE
        ),
        **{name: partial(moved, move) for name, move in SMALL.items()},
        **{
            f"{name} {layer.small[0]}": partial(whole, layer, options)
            for name, layer in LAYERS.items()
        },
    }
    for name, measure in todo.items():
        if options.match in name:
            yield name, measure()


def moved(move: Move) -> Figures:
    return tuned(move.module, move.bytes // BYTES_PER_CYCLE)


def whole(layer: Layer, options: Options) -> Figures:
    """All kernels of a layer, and the sum of their floors."""
    budget = Budget(measurements=options.measurements)
    result = tune(layer.module(layer.small), "rvv", budget=budget)
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


def tuned(module: Module, floor: int, measurements: int = 40) -> Figures:
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
