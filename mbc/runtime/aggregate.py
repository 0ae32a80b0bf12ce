"""One number for many kernels: two geometric means, because one of them can be picked.

`everything` counts whatever kept its default, and whatever has no time, as 1.0x;
`optimized` is the mean of those that improved, and says how many they are.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from mbc.runtime.outcome import NotMeasured


@dataclass(frozen=True)
class Gain:
    """A kernel's log-speedup over its default; only an improved one counts as such."""

    log_speedup: float
    improved: bool

    def __post_init__(self) -> None:
        if not math.isfinite(self.log_speedup):
            raise ValueError(f"a log-speedup of {self.log_speedup} is no measurement")


@dataclass(frozen=True)
class Aggregate:
    """Ratios over the default; `optimized` is of `improved` out of `kernels`."""

    everything: float
    kernels: int
    optimized: float | NotMeasured
    improved: int
    unmeasured: int

    def text(self) -> str:
        line = f"geometric mean: {self.everything:.2f}x over all {self.kernels} kernels"
        if isinstance(self.optimized, NotMeasured):
            line += "; none improved"
        else:
            line += f", {self.optimized:.2f}x over the {self.improved} improved"
        return f"{line}; {self.unmeasured} not measured" if self.unmeasured else line

    def document(self) -> dict[str, object]:
        """For JSON: `optimized` is null where nothing improved, as in SQL."""
        has_none = isinstance(self.optimized, NotMeasured)
        return {
            "all": self.everything,
            "kernels": self.kernels,
            "optimized": None if has_none else self.optimized,
            "improved": self.improved,
            "not_measured": self.unmeasured,
        }


def aggregate(gains: Sequence[Gain | NotMeasured]) -> Aggregate | NotMeasured:
    """Of no kernel at all there is no mean."""
    if not gains:
        return NotMeasured("there is no kernel")
    logs = [g.log_speedup for g in gains if isinstance(g, Gain) and g.improved]
    missing = sum(isinstance(gain, NotMeasured) for gain in gains)
    optimized = (
        math.exp(math.fsum(logs) / len(logs))
        if logs
        else NotMeasured("no kernel improved")
    )
    everything = math.exp(math.fsum(logs) / len(gains))
    return Aggregate(everything, len(gains), optimized, len(logs), missing)
