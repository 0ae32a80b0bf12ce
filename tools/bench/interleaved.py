"""Two calls timed in turn, round after round, and how their times compare."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from typing import Any

Call = Callable[[], Any]

WARM_UP = 3


def beside(ours: Call, peer: Call, rounds: int) -> dict[str, object]:
    """Median microseconds of both, and the speed over the peer with its quartiles.

    The ratio is the median of the rounds' ratios: a slow moment of the machine hits
    both calls of a round, which also change places every time.
    """
    for _ in range(WARM_UP):
        ours()
        peer()
    samples: dict[Call, list[int]] = {ours: [], peer: []}
    order = [ours, peer]
    for _ in range(rounds):
        for call in order:
            samples[call].append(timed(call))
        order.reverse()
    pairs = zip(samples[peer], samples[ours], strict=True)
    ratios = sorted(theirs / mine for theirs, mine in pairs)
    quarter = len(ratios) // 4
    return {
        "ratio": round(statistics.median(ratios), 3),
        "quartiles": [round(ratios[quarter], 3), round(ratios[-1 - quarter], 3)],
        "us": round(statistics.median(samples[ours]) / 1000, 1),
        "peer us": round(statistics.median(samples[peer]) / 1000, 1),
    }


def timed(call: Call) -> int:
    """Nanoseconds of one call."""
    start = time.perf_counter_ns()
    call()
    return time.perf_counter_ns() - start
