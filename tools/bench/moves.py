"""Kernels that move data: small modules, and what PyTorch says for each."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Any

import numpy as np
from xdsl.ir import SSAValue

from mbc.api.module import Module
from mbc.ir import build
from mbc.ir.ops.concat import ConcatOp
from mbc.ir.ops.gather import GatherOp
from mbc.ir.ops.interpolate import InterpolateOp
from mbc.ir.types import Array
from tools.bench.kernels import Make, module_of

Eager = Callable[..., Any]


@dataclass(frozen=True)
class Move:
    """A module; its floor in bytes is what it must read and write."""

    module: Module
    shapes: Mapping[str, Sequence[int]]
    bytes: int
    eager: Eager
    """Of torch and the inputs as tensors."""

    def inputs(self) -> dict[str, Array]:
        rng = np.random.default_rng(1)
        rows = self.shapes.get("x", (1,))[0]
        return {
            name: rng.integers(0, rows, shape)
            if name == "indices"
            else rng.standard_normal(shape).astype(np.float32)
            for name, shape in self.shapes.items()
        }

    def peer(self) -> Callable[[], object]:
        torch: Any = import_module("torch")
        tensors = [torch.from_numpy(array) for array in self.inputs().values()]
        return lambda: self.eager(torch, *tensors)


def transpose(rows: int, columns: int) -> Move:
    def make(x: SSAValue) -> SSAValue:
        return build.transpose(x, (1, 0))

    def eager(torch: Any, x: Any) -> Any:
        return x.t().contiguous()

    return moved({"x": (rows, columns)}, make, 8 * rows * columns, eager)


def channels_last(batch: int, channels: int, side: int) -> Move:
    def make(x: SSAValue) -> SSAValue:
        return build.transpose(x, (0, 2, 3, 1))

    def eager(torch: Any, x: Any) -> Any:
        return x.permute(0, 2, 3, 1).contiguous()

    shape = (batch, channels, side, side)
    return moved({"x": shape}, make, 8 * math.prod(shape), eager)


def joined(batch: int, channels: int, side: int) -> Move:
    def make(x: SSAValue, y: SSAValue) -> SSAValue:
        return ConcatOp.of([x, y], axis=1).result

    def eager(torch: Any, x: Any, y: Any) -> Any:
        return torch.cat([x, y], 1)

    shape = (batch, channels, side, side)
    return moved({"x": shape, "y": shape}, make, 16 * math.prod(shape), eager)


def embedding(words: int, length: int, count: int) -> Move:
    def make(x: SSAValue, at: SSAValue) -> SSAValue:
        return GatherOp.of([x, at], axis=0).result

    def eager(torch: Any, x: Any, at: Any) -> Any:
        return torch.nn.functional.embedding(at, x)

    shapes = {"x": (words, length), "indices": (count,)}
    return moved(shapes, make, 8 * count * length + 8 * count, eager)


def bilinear(batch: int, channels: int, side: int) -> Move:
    """To twice the side."""

    def make(x: SSAValue) -> SSAValue:
        sizes, steps = (2 * side, 2 * side), (0.5, 0.5)
        return InterpolateOp.resized(x, "linear", sizes, steps, True)

    def eager(torch: Any, x: Any) -> Any:
        resize: Any = torch.nn.functional.interpolate
        return resize(x, scale_factor=2, mode="bilinear")

    shape = (batch, channels, side, side)
    return moved({"x": shape}, make, 20 * math.prod(shape), eager)


def moved(
    shapes: Mapping[str, Sequence[int]], make: Make, bytes: int, eager: Eager
) -> Move:
    return Move(module_of(shapes, make), shapes, bytes, eager)


SMALL: dict[str, Move] = {
    "transpose 128^2": transpose(128, 128),
    "channels last 64x14^2": channels_last(1, 64, 14),
    "join 2x8x28^2": joined(1, 8, 28),
    "embedding 40 of 100x128": embedding(100, 128, 40),
    "bilinear 4x32^2 to twice": bilinear(1, 4, 32),
}
"""In cache, for modelled cycles."""
