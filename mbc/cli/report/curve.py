"""The tuning curve: how fast the kernels are together, candidate by candidate."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from mbc.cli.report.document import Document
from mbc.cli.report.scale import Scale

WIDTH, HEIGHT = 640, 300
LEFT, RIGHT, TOP, BOTTOM = 48, 620, 16, 240
RUG = 280
"""Where each candidate has a mark, below the axis."""


@dataclass(frozen=True)
class Mark:
    x: float
    verdict: str
    text: str


@dataclass(frozen=True)
class Curve:
    x: Scale
    y: Scale
    line: str
    """The points of a polyline."""
    marks: list[Mark]
    end: float
    """Times faster than by default at the end, as the sum of the kernels."""


def curve(document: Document) -> Curve | None:
    """None where this run evaluated nothing, or no kernel has a number."""
    defaults = {r["label"]: float(r["default"]) for r in document["kernels"]}
    units = {row["unit"] for row in document["kernels"] if row["unit"]}
    histories = [h for h in document["histories"] if defaults[h["label"]] > 0]
    tried = _in_order(histories)
    if not tried or len(units) != 1:
        return None
    times = {h["label"]: h["occurrences"] * defaults[h["label"]] for h in histories}
    best = {h["label"]: _best_recalled(h["attempts"]) for h in histories}
    heights = [_ratio(times, best)]
    for label, attempt in tried:
        best[label] = max(best[label], _gain(attempt))
        heights.append(_ratio(times, best))
    x = Scale(0, len(tried), LEFT, RIGHT)
    y = Scale(1.0, max(1.2, max(heights) * 1.05), BOTTOM, TOP)
    return Curve(x, y, _steps(x, y, heights), _marks(x, tried), heights[-1])


def _in_order(
    histories: Sequence[Mapping[str, Any]],
) -> list[tuple[str, Mapping[str, Any]]]:
    """What this run evaluated, oldest first."""
    tried = [
        (h["label"], attempt)
        for h in histories
        for attempt in h["attempts"]
        if not attempt["recalled"]
    ]
    return sorted(tried, key=lambda each: each[1]["created"])


def _best_recalled(attempts: Sequence[Mapping[str, Any]]) -> float:
    return max((_gain(a) for a in attempts if a["recalled"]), default=0.0)


def _gain(attempt: Mapping[str, Any]) -> float:
    """The log-speedup over the default of what was accepted; 0 of all else."""
    if attempt["verdict"] != "improved":
        return 0.0
    return max(0.0, float(attempt["log_default"]))


def _ratio(times: Mapping[str, float], best: Mapping[str, float]) -> float:
    tuned = sum(time * math.exp(-best[label]) for label, time in times.items())
    return sum(times.values()) / tuned


def _steps(x: Scale, y: Scale, heights: Sequence[float]) -> str:
    points = [f"{x.at(0)},{y.at(heights[0])}"]
    for number, (before, after) in enumerate(pairwise(heights), start=1):
        points += [f"{x.at(number)},{y.at(h)}" for h in dict.fromkeys((before, after))]
    return " ".join(points)


def _marks(x: Scale, tried: Sequence[tuple[str, Mapping[str, Any]]]) -> list[Mark]:
    return [
        Mark(x.at(number), a["verdict"], f"{label} {a['action']}: {a['verdict']}")
        for number, (label, a) in enumerate(tried, start=1)
    ]
