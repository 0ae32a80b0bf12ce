"""Axes: from a value to a pixel, with the values that get a label."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Tick:
    at: float
    """In pixels."""
    text: str


@dataclass(frozen=True)
class Scale:
    """`low` and `high` in data, `start` and `end` in pixels."""

    low: float
    high: float
    start: float
    end: float

    def at(self, value: float) -> float:
        part = (value - self.low) / (self.high - self.low)
        return round(self.start + part * (self.end - self.start), 1)

    def ticks(self, wanted: int = 5) -> list[Tick]:
        """At multiples of 1, 2 or 5 times a power of ten."""
        rough = (self.high - self.low) / wanted
        power = 10.0 ** math.floor(math.log10(rough))
        step = next(m * power for m in (1, 2, 5, 10) if m * power >= rough * 0.999)
        first = math.ceil(self.low / step - 1e-9)
        last = math.floor(self.high / step + 1e-9)
        values = [index * step for index in range(first, last + 1)]
        return [Tick(self.at(value), f"{value:.4g}") for value in values]


@dataclass(frozen=True)
class LogScale(Scale):
    """Powers of ten are evenly spaced; values are over zero."""

    def at(self, value: float) -> float:
        low, high = math.log10(self.low), math.log10(self.high)
        part = (math.log10(value) - low) / (high - low)
        return round(self.start + part * (self.end - self.start), 1)

    def ticks(self, wanted: int = 5) -> list[Tick]:
        low, high = math.log10(self.low), math.log10(self.high)
        powers = range(math.ceil(low - 1e-9), math.floor(high + 1e-9) + 1)
        values = [10.0**power for power in powers]
        return [Tick(self.at(value), short(value)) for value in values]

    @classmethod
    def around(cls, values: Sequence[float], start: float, end: float) -> LogScale:
        """From the power of ten at or below the least to that above the largest."""
        low = 10.0 ** math.floor(math.log10(min(values)))
        high = 10.0 ** math.ceil(math.log10(max(values) * 1.0001))
        return cls(low, high, start, end)


def short(value: float) -> str:
    """1234567 as 1.23 M: three digits and a prefix."""
    for power, prefix in ((12, "T"), (9, "G"), (6, "M"), (3, "k")):
        if abs(value) >= 0.9995 * 10.0**power:
            return f"{value / 10.0**power:.3g} {prefix}"
    return f"{value:.3g}"
