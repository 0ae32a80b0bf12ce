"""Constraints that were learned: where an action is not worth trying.

A predicate is a conjunction over features of the state and knobs of the action, in text
that both a person and a program can check: `lane_util < 0.25 and access == gather`.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from mbc.agent.records import ActionText, TargetIdentity, digest
from mbc.errors import InvalidInput

_COMPARISON = re.compile(r"\s*(\w+)\s*(==|!=|<=|>=|<|>)\s*([\w.+-]+)\s*")
_OPERATORS: dict[str, Callable[[Any, Any], bool]] = {
    "==": operator.eq,
    "!=": operator.ne,
    "<=": operator.le,
    ">=": operator.ge,
    "<": operator.lt,
    ">": operator.gt,
}


@dataclass(frozen=True)
class Comparison:
    name: str
    symbol: str
    value: float | str

    def holds(self, facts: Mapping[str, float | str]) -> bool:
        """A fact that is unknown, or of another kind, forbids nothing."""
        fact = facts.get(self.name)
        if fact is None or isinstance(fact, str) != isinstance(self.value, str):
            return False
        return _OPERATORS[self.symbol](fact, self.value)


@dataclass(frozen=True)
class Rule:
    """Forbids `action` on `target` where `predicate` holds."""

    action: str
    """A pass name, an action's text, or `*`."""
    target: str
    """A target's name or class, or `*`."""
    predicate: str
    text: str
    evidence: tuple[str, ...] = ()
    status: Literal["proposed", "active", "retired"] = "proposed"

    @property
    def id(self) -> str:
        return digest(self.action, self.target, self.predicate, self.text)[:32]

    def applies_to(self, action: ActionText, target: TargetIdentity) -> bool:
        actions = "*", action.name, action.text
        targets = "*", target.name, target.target_class
        return self.action in actions and self.target in targets

    def forbids(self, facts: Mapping[str, float | str]) -> bool:
        return all(part.holds(facts) for part in parse(self.predicate))


def parse(predicate: str) -> tuple[Comparison, ...]:
    return tuple(_comparison(part, predicate) for part in predicate.split(" and "))


def _comparison(part: str, predicate: str) -> Comparison:
    match = _COMPARISON.fullmatch(part)
    if match is None:
        raise InvalidInput(f"cannot read {part.strip()!r} in predicate {predicate!r}")
    name, symbol, text = match.groups()
    return Comparison(name, symbol, _literal(text))


def _literal(text: str) -> float | str:
    try:
        return float(text)
    except ValueError:
        return text
