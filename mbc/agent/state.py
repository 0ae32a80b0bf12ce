"""The performance state of a kernel on a target: where its time goes and why.

Features are normalized by the target's own peaks, so that a state means the same on a
vector unit of 8 lanes and on a GPU. Each is binned; the bins form the signature, which
has three levels, each a prefix of the next:

    memory                                        the primary bottleneck
    memory/access-unit,reuse-1,...                and how memory and units are used
    memory/access-unit,reuse-1,.../ai_ratio-1,... everything
"""

from __future__ import annotations

import json
import math
from bisect import bisect_right
from dataclasses import asdict, dataclass
from typing import Any, Literal

from mbc.runtime.outcome import Fidelity, Measured, Measurement

Access = Literal["unit", "strided", "gather", "broadcast", "scatter"]
SpecialUnit = Literal["none", "unused", "used"]
Bottleneck = Literal["memory", "compute", "latency", "balanced", "excess"]


@dataclass(frozen=True)
class KernelFacts:
    """What is known of a scheduled kernel without running it."""

    family: str
    flops: float
    bytes: float
    """Compulsory traffic: operands and results once."""
    workset_bytes: float
    """What the innermost reused tile touches."""
    dtype_width: int
    """Bytes of the widest operand element."""
    inner_extent: int
    """Iterations of the vectorized loop."""
    parallel_points: float
    """Independent work items."""
    lanes_needed: int = 0
    """Lanes that one vector step of the schedule fills; 0 means the device's."""
    access: Access = "unit"
    moved_bytes: float = 0.0
    """Traffic that this schedule causes; 0 means compulsory."""
    special_unit: SpecialUnit = "none"
    fusable_neighbours: int = 0


@dataclass(frozen=True)
class DevicePeaks:
    """Peaks per `unit` of time: cycles for a modelled core, nanoseconds for a clock."""

    unit: str
    flops: float
    bandwidth: float
    launch: float
    """Time of one launch that does nothing."""
    lanes: int
    units: int
    caches: tuple[float, ...] = ()
    """Bytes, near to far: registers or L1 first."""


@dataclass(frozen=True)
class Feature:
    name: str
    value: float | str
    source: Literal["ir", "schedule", "peaks", "measurement"]
    fidelity: Fidelity


def _feature(fidelity: int, **fields: Any) -> Feature:
    return Feature(**fields, fidelity=Fidelity(fidelity))


@dataclass(frozen=True)
class State:
    signature: str
    features: tuple[Feature, ...]

    def dump(self) -> str:
        rows = [asdict(feature) for feature in self.features]
        return json.dumps(rows, sort_keys=True)

    @classmethod
    def load(cls, signature: str, text: str) -> State:
        return cls(signature, tuple(_feature(**row) for row in json.loads(text)))

    def values(self) -> dict[str, float | str]:
        return {feature.name: feature.value for feature in self.features}


BINS: dict[str, tuple[float, ...]] = {
    "ai_ratio": (0.1, 0.5, 2.0, 10.0),
    "mem_frac": (0.1, 0.3, 0.6, 0.85),
    "compute_frac": (0.1, 0.3, 0.6, 0.85),
    "overhead_frac": (0.05, 0.25, 0.5),
    "parallel_slack": (0.5, 1.0, 4.0, 32.0),
    "lane_util": (0.25, 0.5, 0.9),
    "reuse": (1.5, 4.0, 16.0),
    "dtype_width": (2, 4, 8),
    "fusable_neighbours": (1, 2),
}
"""Where each ordinal's next bin begins."""

LEVEL_1 = ("access", "reuse", "special_unit")
LEVEL_2 = (
    "ai_ratio",
    "mem_frac",
    "compute_frac",
    "overhead_frac",
    "parallel_slack",
    "lane_util",
    "workset_level",
    "dtype_width",
    "fusable_neighbours",
)


def levels(signature: str) -> tuple[str, ...]:
    """The signature at each level, coarse to full."""
    parts = signature.split("/")
    return tuple("/".join(parts[: n + 1]) for n in range(len(parts)))


def extract(facts: KernelFacts, peaks: DevicePeaks, measurement: Measurement) -> State:
    """Deterministic. Without a time in the peaks' unit, the roofline's stands in."""
    features = _static_features(facts, peaks) + _time_features(
        facts, peaks, measurement
    )
    values = {feature.name: feature.value for feature in features}
    parts = (
        bottleneck(values),
        ",".join(_binned(name, values[name]) for name in LEVEL_1),
        ",".join(_binned(name, values[name]) for name in LEVEL_2),
    )
    return State("/".join(parts), features)


def roofline(facts: KernelFacts, peaks: DevicePeaks) -> float:
    """The least time this kernel can take, in the peaks' unit."""
    work = max(facts.flops / peaks.flops, facts.bytes / peaks.bandwidth)
    return work + peaks.launch


def bottleneck(values: dict[str, float | str]) -> Bottleneck:
    """From what the schedule must do, not how well it does it: steady while tuning."""
    if _number(values, "overhead_frac") >= 0.5:
        return "latency"
    if _number(values, "reuse") >= 4.0:
        return "excess"
    if _number(values, "ai_ratio") < 0.5:
        return "memory"
    return "compute" if _number(values, "ai_ratio") >= 2.0 else "balanced"


def _static_features(facts: KernelFacts, peaks: DevicePeaks) -> tuple[Feature, ...]:
    balance = peaks.flops / peaks.bandwidth
    width = max(1, facts.lanes_needed or peaks.lanes)
    inner = max(1, facts.inner_extent)
    moved = facts.moved_bytes or facts.bytes
    slack = facts.parallel_points / (peaks.lanes * peaks.units)
    level = bisect_right(sorted(peaks.caches), facts.workset_bytes)
    static, analytic = Fidelity.STATIC, Fidelity.ANALYTIC
    return (
        Feature("ai_ratio", facts.flops / facts.bytes / balance, "peaks", analytic),
        Feature("parallel_slack", slack, "peaks", analytic),
        Feature(
            "lane_util", inner / (math.ceil(inner / width) * width), "schedule", static
        ),
        Feature("access", facts.access, "schedule", static),
        Feature("reuse", moved / facts.bytes, "schedule", analytic),
        Feature("workset_level", level, "schedule", analytic),
        Feature("special_unit", facts.special_unit, "schedule", static),
        Feature("dtype_width", facts.dtype_width, "ir", static),
        Feature("fusable_neighbours", facts.fusable_neighbours, "ir", static),
    )


def _time_features(
    facts: KernelFacts, peaks: DevicePeaks, measurement: Measurement
) -> tuple[Feature, ...]:
    time, fidelity = roofline(facts, peaks), Fidelity.ANALYTIC
    source: Literal["peaks", "measurement"] = "peaks"
    if isinstance(measurement, Measured) and measurement.unit == peaks.unit:
        time, fidelity = measurement.value, measurement.fidelity
        source = "measurement"
    shares = {
        "mem_frac": facts.bytes / peaks.bandwidth / time,
        "compute_frac": facts.flops / peaks.flops / time,
        "overhead_frac": peaks.launch / time,
    }
    return tuple(Feature(n, v, source, fidelity) for n, v in shares.items())


def _number(values: dict[str, float | str], name: str) -> float:
    return float(values[name])


def _binned(name: str, value: float | str) -> str:
    if isinstance(value, str):
        return f"{name}-{value}"
    if name not in BINS:
        return f"{name}-{value:g}"
    return f"{name}-{bisect_right(BINS[name], value)}"
