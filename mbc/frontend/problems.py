"""Everything a model uses that mbc cannot import, as one sentence."""

from __future__ import annotations

from dataclasses import dataclass, field

from mbc.errors import Location, UnsupportedModel
from mbc.frontend.locations import short

REASONS = {
    "cond": "control flow that depends on data",
    "while_loop": "control flow that depends on data",
}
"""Why some operators will not come, where the name does not say it."""


@dataclass
class Problems:
    """Uses by operator and reason, in program order."""

    uses: dict[tuple[str, str], list[Location | None]] = field(
        default_factory=dict[tuple[str, str], list[Location | None]]
    )

    def add(self, operator: str, reason: str, location: Location | None) -> None:
        key = (operator, reason or REASONS.get(operator, ""))
        self.uses.setdefault(key, []).append(location)

    def raise_if_any(self) -> None:
        if not self.uses:
            return
        count = len({operator for operator, _ in self.uses})
        subject = "1 operator is" if count == 1 else f"{count} operators are"
        listed = ", ".join(
            f"{operator} ({_details(reason, places)})"
            for (operator, reason), places in self.uses.items()
        )
        first = next((p for places in self.uses.values() for p in places if p), None)
        raise UnsupportedModel(f"{subject} not supported: {listed}", first)


def _details(reason: str, places: list[Location | None]) -> str:
    uses = "1 use" if len(places) == 1 else f"{len(places)} uses"
    where = next((f", {short(place)}" for place in places if place), "")
    return uses + where + (f": {reason}" if reason else "")
