"""What a gate can say, and the report of all of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

GateName = Literal["G0", "G1", "G2", "G3", "G4", "G5", "G6"]

RejectionVerdict = Literal[
    "refused", "compile_fail", "verify_fail", "timeout", "suspect", "blocked"
]


@dataclass(frozen=True)
class Passed:
    """`checks` is how many comparisons or inspections were made, over zero."""

    gate: GateName
    checks: int
    seconds: float
    detail: Mapping[str, Any] = field(default_factory=dict[str, Any], hash=False)

    def __post_init__(self) -> None:
        if self.checks <= 0:
            raise ValueError(f"{self.gate} passed without a check")


@dataclass(frozen=True)
class Rejected:
    """`rule` names what was broken: "asm", "guard page", "bound", "determinism" ..."""

    gate: GateName
    rule: str
    verdict: RejectionVerdict
    reason: str
    """One sentence."""
    seconds: float = 0.0
    detail: Mapping[str, Any] = field(default_factory=dict[str, Any], hash=False)


@dataclass(frozen=True)
class Skipped:
    """A gate that cannot run here, and why; it is not a pass."""

    gate: GateName
    reason: str


GateResult = Passed | Rejected | Skipped


@dataclass(frozen=True)
class Report:
    """All gates that ran on one candidate, in order."""

    label: str
    target: str
    device: str
    isolation: str
    results: tuple[GateResult, ...]
    notes: tuple[str, ...] = ()
    """What holds whatever the verdict: `non-discriminating: constant`, for example."""

    @property
    def rejection(self) -> Rejected | None:
        return next((r for r in self.results if isinstance(r, Rejected)), None)

    @property
    def accepted(self) -> bool:
        """No gate rejected, and the differential one passed."""
        passed = {r.gate for r in self.results if isinstance(r, Passed)}
        return self.rejection is None and "G2" in passed
