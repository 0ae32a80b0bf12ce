"""Where a candidate claims to be right: conditions on a kernel's free extents."""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from mbc.errors import InvalidInput

COMPARISONS: dict[str, Callable[[int, int], bool]] = {
    "==": operator.eq,
    "!=": operator.ne,
    "<=": operator.le,
    ">=": operator.ge,
    "<": operator.lt,
    ">": operator.gt,
}
CONDITION = re.compile(r"(N\d+)\s*(?:%\s*(\d+)\s*)?(==|!=|<=|>=|<|>)\s*(\d+)")


@dataclass(frozen=True)
class Condition:
    """`N0 % 4 == 0`; without a modulus, `N0 <= 64`."""

    name: str
    modulus: int
    comparison: str
    value: int

    def holds(self, extents: Mapping[str, int]) -> bool:
        extent = extents[self.name]
        left = extent % self.modulus if self.modulus else extent
        return COMPARISONS[self.comparison](left, self.value)

    def __str__(self) -> str:
        modulus = f" % {self.modulus}" if self.modulus else ""
        return f"{self.name}{modulus} {self.comparison} {self.value}"


@dataclass(frozen=True)
class Predicate:
    """All conditions hold; none is no restriction."""

    conditions: tuple[Condition, ...] = ()

    def holds(self, extents: Mapping[str, int]) -> bool:
        return all(condition.holds(extents) for condition in self.conditions)

    def unknown(self, extents: Mapping[str, int]) -> str:
        """The first name that is no free extent, or empty."""
        names = (c.name for c in self.conditions if c.name not in extents)
        return next(names, "")

    def __str__(self) -> str:
        return ", ".join(str(c) for c in self.conditions) or "any extents"


ANYWHERE = Predicate()


def parse_predicate(text: str) -> Predicate:
    """`N0 % 4 == 0, N1 <= 64`; `InvalidInput` for anything else."""
    parts = [part.strip() for part in text.split(",") if part.strip()]
    return Predicate(tuple(_condition(part) for part in parts))


def _condition(text: str) -> Condition:
    match = CONDITION.fullmatch(text)
    if match is None or match[2] == "0":
        raise InvalidInput(
            f"'{text}' is no condition: write it like N0 % 4 == 0 or N1 <= 64"
        )
    return Condition(match[1], int(match[2] or 0), match[3], int(match[4]))
