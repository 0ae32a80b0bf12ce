"""What a gate can say, and the report of all of them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

TITLES = {
    "G0": "text",
    "G1": "object",
    "G2": "differential",
    "G3": "model",
    "G4": "performance",
    "G5": "plausibility",
    "G6": "hidden cases",
}

GateName = Literal["G0", "G1", "G2", "G3", "G4", "G5", "G6"]

RejectionVerdict = Literal[
    "refused",
    "compile_fail",
    "verify_fail",
    "timeout",
    "suspect",
    "blocked",
    "no_improvement",
    "regressed",
    "inconclusive",
]

PROOF: frozenset[GateName] = frozenset({"G2", "G6"})
"""What must have passed for the word accepted: no other gate compares results on
cases of many extents and values, and on some that nobody has seen."""
MODEL_PROOF: frozenset[GateName] = frozenset({"G3"})
"""The same for a whole model, whose kernels passed the others."""


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
    """`rule` names what was broken: "asm", "redzone", "bound", "determinism" ..."""

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
    proof: frozenset[GateName] = PROOF

    @property
    def rejection(self) -> Rejected | None:
        return next((r for r in self.results if isinstance(r, Rejected)), None)

    @property
    def accepted(self) -> bool:
        """No gate rejected, and those that prove a result passed."""
        passed = {r.gate for r in self.results if isinstance(r, Passed)}
        return self.rejection is None and passed >= self.proof

    @property
    def conclusion(self) -> str:
        """`accepted`, the rejection's verdict, or `unverified`."""
        if self.rejection is not None:
            return self.rejection.verdict
        return "accepted" if self.accepted else "unverified"

    @property
    def seconds(self) -> float:
        return sum(getattr(result, "seconds", 0.0) for result in self.results)

    def text(self) -> str:
        """A line for each gate, then what holds whatever the verdict."""
        where = f"{self.label} on {self.target}: {self.conclusion}"
        lines = [where, *(_line(result) for result in self.results)]
        lines += [f"note: {note}" for note in self.notes]
        lines.append(f"{self.seconds:.2f} s on {self.device}, by {self.isolation}")
        return "\n".join(lines)

    def to_json(self) -> str:
        """One object; a gate's entry says how it ended and where the time went."""
        document = {
            "label": self.label,
            "target": self.target,
            "device": self.device,
            "isolation": self.isolation,
            "conclusion": self.conclusion,
            "accepted": self.accepted,
            "seconds": round(self.seconds, 4),
            "gates": [_entry(result) for result in self.results],
            "notes": list(self.notes),
        }
        return json.dumps(document, default=str)


def is_proven(document: str) -> bool:
    """Whether a report's JSON says that the gates of `PROOF` passed, with checks."""
    try:
        entries = json.loads(document)["gates"]
        passed = {e["gate"] for e in entries if e["result"] == "passed" and e["checks"]}
    except (ValueError, KeyError, TypeError):
        return False
    return passed >= PROOF


def _line(result: GateResult) -> str:
    head = f"  {result.gate} {TITLES[result.gate]:<13}"
    match result:
        case Passed(checks=checks, seconds=seconds, detail=detail):
            line = f"{head} passed   {seconds:6.2f} s  {checks} checks"
            watched = detail.get("sanitizer")
            return f"{line}\n{'':5}sanitizer {watched}" if watched else line
        case Rejected(rule=rule, reason=reason, seconds=seconds):
            return f"{head} rejected {seconds:6.2f} s  {rule}: {reason}"
        case Skipped(reason=reason):
            return f"{head} skipped            {reason}"


def _entry(result: GateResult) -> dict[str, Any]:
    entry: dict[str, Any] = {"gate": result.gate, "title": TITLES[result.gate]}
    match result:
        case Passed(checks=checks, seconds=seconds, detail=detail):
            entry |= {"result": "passed", "checks": checks}
        case Rejected(rule=rule, verdict=verdict, reason=reason):
            seconds, detail = result.seconds, result.detail
            entry |= {"result": "rejected", "rule": rule, "verdict": verdict}
            entry["reason"] = reason
        case Skipped(reason=reason):
            return {**entry, "result": "skipped", "reason": reason}
    return {**entry, "seconds": round(seconds, 4), "detail": dict(detail)}
