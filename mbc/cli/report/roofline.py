"""The roofline: FLOPs per byte against the rate, and each kernel before and after.

Williams, Waterman, Patterson, "Roofline: an insightful visual performance model",
2009. The roof is that of the target's description, from which floors are computed.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from mbc.cli.report.document import Document
from mbc.cli.report.scale import LogScale

WIDTH, HEIGHT = 640, 360
LEFT, RIGHT, TOP, BOTTOM = 64, 620, 16, 320
UNITS = {"cycle": "cycles", "ns": "ns"}


@dataclass(frozen=True)
class Point:
    label: str
    x: float
    default_y: float
    tuned_y: float
    text: str


@dataclass(frozen=True)
class Roofline:
    """Places in pixels; `memory` and `cache` are lines up to the flat roof."""

    x: LogScale
    y: LogScale
    unit: str
    roof_y: float
    memory: tuple[float, float, float, float]
    cache: tuple[float, float, float, float]
    points: list[Point]
    absent: list[str]
    """Kernels without arithmetic, or without a number in the peaks' unit."""


@dataclass(frozen=True)
class _Rated:
    label: str
    intensity: float
    default: float
    tuned: float


def roofline(document: Document) -> Roofline | None:
    """None where no kernel has both arithmetic and a number."""
    peaks = document["peaks"]
    rated = list(_rated(document))
    if not rated:
        return None
    peak, bandwidth = float(peaks["flops"]), float(peaks["bandwidth"])
    fast = bandwidth * float(peaks["cache_factor"])
    ridges = (peak / bandwidth, peak / fast)
    x = LogScale.around([*(r.intensity for r in rated), *ridges], LEFT, RIGHT)
    rates = [rate for r in rated for rate in (r.default, r.tuned)]
    y = LogScale.around([*rates, peak, x.low * bandwidth], BOTTOM, TOP)
    known = {each.label for each in rated}
    absent = [h["label"] for h in document["histories"] if h["label"] not in known]
    unit = "FLOPs per cycle" if peaks["unit"] == "cycle" else "FLOPs per ns"
    memory, cache = (_slope(x, y, peak, rate) for rate in (bandwidth, fast))
    points = [_point(x, y, each) for each in rated]
    return Roofline(x, y, unit, y.at(peak), memory, cache, points, absent)


def _rated(document: Document) -> Iterator[_Rated]:
    rows: dict[str, Mapping[str, Any]] = {r["label"]: r for r in document["kernels"]}
    unit = UNITS[document["peaks"]["unit"]]
    for history in document["histories"]:
        row, work = rows[history["label"]], float(history["flops"])
        if not work or not history["bytes"] or row["unit"] != unit:
            continue
        # The ratio is of interleaved runs; the two times may not be.
        rate = work / float(row["default"])
        tuned = rate * float(row["ratio"])
        yield _Rated(history["label"], work / float(history["bytes"]), rate, tuned)


def _slope(
    x: LogScale, y: LogScale, peak: float, bandwidth: float
) -> tuple[float, float, float, float]:
    """From the edge of the chart to the ridge."""
    start = max(x.low, y.low / bandwidth)
    ridge = min(max(peak / bandwidth, start), x.high)
    ends = [min(at * bandwidth, peak) for at in (start, ridge)]
    return x.at(start), y.at(ends[0]), x.at(ridge), y.at(ends[1])


def _point(x: LogScale, y: LogScale, each: _Rated) -> Point:
    text = (
        f"{each.label}: {each.intensity:.3g} FLOPs per byte, "
        f"{each.default:.3g} by default, {each.tuned:.3g} as tuned"
    )
    at = x.at(each.intensity)
    return Point(each.label, at, y.at(each.default), y.at(each.tuned), text)
