"""Layers as PyTorch writes them, at sizes for each way of timing, and their floors."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import torch
from torch import Tensor, nn

from mbc.api.module import Module, import_model

Shape = tuple[int, ...]


class Apply(nn.Module):
    """A function as a module without parameters."""

    def __init__(self, function: Callable[..., Tensor]):
        super().__init__()
        self.function = function

    def forward(self, *inputs: Tensor) -> Tensor:
        return self.function(*inputs)


class Sweep(nn.Module):
    """An LSTM of one layer, without its last states."""

    def __init__(self, features: int, hidden: int):
        super().__init__()
        self.lstm = nn.LSTM(features, hidden)

    def forward(self, x: Tensor) -> Tensor:
        return self.lstm(x)[0]


@dataclass(frozen=True)
class Layer:
    """`small` shapes of inputs are for a modelled core, `middle` for CPUs, `large` for
    GPUs."""

    make: Callable[[], nn.Module]
    small: Sequence[Shape]
    middle: Sequence[Shape]
    large: Sequence[Shape]
    places: int = 0
    """Where it is not 0, the last input is integers below it."""

    def inputs(self, shapes: Sequence[Shape]) -> list[Tensor]:
        generator = torch.Generator().manual_seed(1)
        drawn = [torch.randn(shape, generator=generator) for shape in shapes]
        if self.places:
            drawn[-1] = torch.randint(self.places, shapes[-1], generator=generator)
        return drawn

    def module(self, shapes: Sequence[Shape]) -> Module:
        return import_model(self.model(), self.inputs(shapes))

    def model(self) -> nn.Module:
        torch.manual_seed(0)  # pyright: ignore[reportUnknownMemberType]  # torch's own
        return self.make().eval()


def causal(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
    attend: Any = nn.functional.scaled_dot_product_attention
    return attend(query, key, value, is_causal=True)


def attention(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
    return nn.functional.scaled_dot_product_attention(query, key, value)


def cumulative(x: Tensor) -> Tensor:
    return torch.cumsum(x, 1)


def largest(x: Tensor) -> Tensor:
    return torch.argmax(x, 1)


def transposed(x: Tensor) -> Tensor:
    return x.t().contiguous()


def joined(x: Tensor, y: Tensor) -> Tensor:
    return torch.cat([x, y], 1)


def ordered(x: Tensor) -> Tensor:
    return torch.sort(x, 1).values


def largest_few(x: Tensor) -> Tensor:
    return torch.topk(x, 16, 1).values


def chained(x: Tensor) -> Tensor:
    return (torch.relu(x * 1.5 + 0.25) - 0.5) * x + 1.0


def summed(x: Tensor) -> Tensor:
    return torch.sum(x, 1)


def softmax(x: Tensor) -> Tensor:
    return torch.softmax(x, 1)


def dropped(x: Tensor) -> Tensor:
    return nn.functional.dropout(x, 0.5, training=True)


def doubled(x: Tensor) -> Tensor:
    return nn.functional.interpolate(x, scale_factor=2.0, mode="bilinear")


def embedded(table: Tensor, at: Tensor) -> Tensor:
    return nn.functional.embedding(at, table)


def scattered(x: Tensor, at: Tensor) -> Tensor:
    return torch.zeros_like(x).scatter_add(1, at, x)


LAYERS: dict[str, Layer] = {
    "conv 3x3 64->64 at 56x56": Layer(
        partial(nn.Conv2d, 64, 64, 3, padding=1),
        [(1, 64, 56, 56)],
        [(1, 64, 56, 56)],
        [(64, 64, 56, 56)],
    ),
    "depthwise 3x3": Layer(
        partial(nn.Conv2d, 64, 64, 3, padding=1, groups=64),
        [(1, 64, 56, 56)],
        [(8, 64, 56, 56)],
        [(64, 64, 224, 224)],
    ),
    "transposed conv 4x4/2": Layer(
        partial(nn.ConvTranspose2d, 64, 64, 4, 2, 1),
        [(1, 64, 8, 8)],
        [(1, 64, 28, 28)],
        [(32, 64, 56, 56)],
    ),
    "linear 512->512": Layer(
        partial(nn.Linear, 512, 512), [(8, 512)], [(512, 512)], [(8192, 512)]
    ),
    "map of 6": Layer(
        partial(Apply, chained), [(64, 256)], [(1024, 4096)], [(8192, 8192)]
    ),
    "transpose": Layer(
        partial(Apply, transposed), [(128, 128)], [(2048, 2048)], [(8192, 8192)]
    ),
    "concat": Layer(
        partial(Apply, joined),
        [(1, 8, 28, 28)] * 2,
        [(8, 32, 56, 56)] * 2,
        [(64, 64, 128, 128)] * 2,
    ),
    "sum 1024": Layer(
        partial(Apply, summed), [(16, 1024)], [(8192, 1024)], [(65536, 1024)]
    ),
    "softmax 1024": Layer(
        partial(Apply, softmax), [(16, 1024)], [(2048, 1024)], [(65536, 1024)]
    ),
    "sort 1024": Layer(
        partial(Apply, ordered), [(4, 1024)], [(1024, 1024)], [(16384, 1024)]
    ),
    "top 16 of 1024": Layer(
        partial(Apply, largest_few), [(4, 1024)], [(1024, 1024)], [(16384, 1024)]
    ),
    "dropout": Layer(
        partial(Apply, dropped), [(16, 1024)], [(1024, 1024)], [(8192, 8192)]
    ),
    "bilinear to twice": Layer(
        partial(Apply, doubled),
        [(1, 4, 32, 32)],
        [(2, 16, 128, 128)],
        [(32, 64, 128, 128)],
    ),
    "embedding 512": Layer(
        partial(Apply, embedded),
        [(100, 512), (40,)],
        [(30000, 512), (1024,)],
        [(30000, 512), (65536,)],
        places=100,
    ),
    "scatter-add 1024": Layer(
        partial(Apply, scattered),
        [(4, 1024)] * 2,
        [(1024, 1024)] * 2,
        [(8192, 1024)] * 2,
        places=1024,
    ),
    "batch norm": Layer(
        partial(nn.BatchNorm2d, 64),
        [(1, 64, 28, 28)],
        [(8, 64, 56, 56)],
        [(64, 64, 224, 224)],
    ),
    "group norm": Layer(
        partial(nn.GroupNorm, 8, 64),
        [(1, 64, 28, 28)],
        [(8, 64, 56, 56)],
        [(64, 64, 128, 128)],
    ),
    "max-pool 3x3/2": Layer(
        partial(nn.MaxPool2d, 3, 2, 1),
        [(1, 16, 56, 56)],
        [(8, 64, 112, 112)],
        [(64, 64, 224, 224)],
    ),
    "avg-pool 2x2": Layer(
        partial(nn.AvgPool2d, 2),
        [(1, 16, 56, 56)],
        [(8, 64, 112, 112)],
        [(64, 64, 224, 224)],
    ),
    "layer norm 768": Layer(
        partial(nn.LayerNorm, 768),
        [(16, 768)],
        [(4096, 768)],
        [(65536, 768)],
    ),
    "attention 64": Layer(
        partial(Apply, attention),
        [(1, 8, 256, 64)] * 3,
        [(1, 8, 256, 64)] * 3,
        [(8, 16, 2048, 64)] * 3,
    ),
    "causal attention 64": Layer(
        partial(Apply, causal),
        [(1, 8, 256, 64)] * 3,
        [(1, 8, 256, 64)] * 3,
        [(8, 16, 2048, 64)] * 3,
    ),
    "cumsum 1024": Layer(
        partial(Apply, cumulative),
        [(16, 1024)],
        [(8192, 1024)],
        [(65536, 1024)],
    ),
    "argmax 1024": Layer(
        partial(Apply, largest),
        [(16, 1024)],
        [(8192, 1024)],
        [(65536, 1024)],
    ),
    "LSTM 128": Layer(
        partial(Sweep, 128, 128),
        [(4, 8, 128)],
        [(64, 16, 128)],
        [(256, 256, 128)],
    ),
}
"""One per family at least. Names leave the sizes out, which differ by the machine."""
