"""Sharing what was learned: a knowledge base as JSON lines, one outcome a line."""

from __future__ import annotations

import json
from itertools import count
from pathlib import Path
from typing import Any

from mbc.agent.memory import KnowledgeBase
from mbc.agent.records import Outcome
from mbc.agent.rows import action_row, kernel_row, outcome_of, outcome_row, target_row
from mbc.errors import InvalidInput, Location


def export_lines(knowledge: KnowledgeBase, path: Path) -> int:
    """Write all outcomes to `path`, in an order that depends on them only."""
    outcomes = knowledge.outcomes()
    lines = (json.dumps(_exported(one), sort_keys=True) for one in outcomes)
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return len(outcomes)


def import_lines(knowledge: KnowledgeBase, path: Path) -> int:
    """Add the outcomes of `path`, all or none; returns how many were new."""
    return knowledge.merge(read_outcomes(path))


def read_outcomes(path: Path) -> list[Outcome]:
    """What `export_lines` wrote; `InvalidInput` with the place of a bad line."""
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except OSError as error:
        reason = error.strerror
        raise InvalidInput(f"cannot read outcomes from {path}: {reason}") from error
    except UnicodeDecodeError as error:
        raise InvalidInput(f"cannot read outcomes from {path}: not text") from error
    places = (Location(str(path), number) for number in count(1))
    return list(map(_outcome, lines, places))


def _exported(outcome: Outcome) -> dict[str, Any]:
    target, action = target_row(outcome.target), action_row(outcome.action)
    return {
        **outcome_row(outcome),
        **kernel_row(outcome.kernel),
        "target_name": target["name"],
        "target_class": target["class"],
        "device": target["device"],
        "toolchain": target["toolchain"],
        "action_text": action["text"],
        "action_role": action["role"],
    }


def _outcome(line: str, location: Location) -> Outcome:
    try:
        row = json.loads(line)
        outcome = outcome_of(row)
    except (ValueError, KeyError, TypeError) as error:
        raise InvalidInput("this line is no outcome", location) from error
    if outcome.id != row.get("id"):
        raise InvalidInput("this outcome does not match its id", location)
    return outcome
