"""How many rounds a measurement takes: warm-ups, then until it is settled.

The side that asks for rounds drops the first ones and decides when there are enough;
what runs in them cannot tell which they are.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np

from mbc.runtime.outcome import Failed
from mbc.runtime.statistics import paired_bootstrap

ENOUGH = 30
"""Samples after which nothing more is learned for its price."""
STEP = 10
"""Samples between looks at the interval; a few alone may agree by chance."""
NARROW = math.log(1.02)
WARM_ROUNDS = 2

Samples = list[list[float]]
"""By program and round."""


def sampled(take: Callable[[int], Samples | Failed], rounds: int) -> Samples | Failed:
    """Samples of at most `rounds` rounds after the warm-ups, in the order taken."""
    found = take(WARM_ROUNDS)
    if isinstance(found, Failed):
        return found
    samples: Samples = [[] for _ in found]
    while (done := len(samples[0]) if samples else rounds) < rounds:
        more = take(min(STEP, rounds - done))
        if isinstance(more, Failed):
            return more
        for row, new in zip(samples, more, strict=True):
            row += new
        if settled(samples):
            break
    return samples


def settled(samples: Sequence[Sequence[float]]) -> bool:
    """Whether every program's log ratio to the last one is known within 2 %."""
    logs = np.asarray(samples, np.float64)
    if logs.size == 0 or logs.shape[1] < STEP or not (logs > 0).all():
        return False
    logs = np.log(logs)
    ratios = logs[:-1] - logs[-1] if len(logs) > 1 else logs
    bounds = (paired_bootstrap(row)[:2] for row in ratios)
    return all(high - low < NARROW for low, high in bounds)
