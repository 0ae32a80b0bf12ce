"""What a benchmark run is told on the command line."""

from __future__ import annotations

from dataclasses import dataclass

Figures = dict[str, object]


@dataclass(frozen=True)
class Options:
    targets: tuple[str, ...] = ("rvv", "opencl")
    match: str = ""
    """Only rows whose name holds this text."""
    measurements: int = 10
    """Candidates per layer; 0 times the untuned default."""
    rounds: int = 25
    """Timed calls of each side, in turn."""
