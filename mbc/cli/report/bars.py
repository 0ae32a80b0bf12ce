"""Bars: verdicts of each kernel's candidates, and errors as shares of their bounds."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, get_args

from mbc.agent.records import Verdict
from mbc.cli.report.document import Document

VERDICTS: tuple[str, ...] = get_args(Verdict)
WIDTH = 420
HEIGHT = 96
"""Of a histogram's tallest bar."""


@dataclass(frozen=True)
class Part:
    kind: str
    x: float
    width: float
    count: int


@dataclass(frozen=True)
class Row:
    label: str
    parts: list[Part]
    total: int


@dataclass(frozen=True)
class Bin:
    text: str
    """The range of shares."""
    height: float
    count: int


def verdict_rows(document: Document) -> list[Row]:
    """One bar per kernel, as long as it has candidates, this run's and recalled."""
    most = max((len(h["attempts"]) for h in document["histories"]), default=0)
    return [_row(h, WIDTH / most) for h in document["histories"] if most]


def _row(history: Mapping[str, Any], width: float) -> Row:
    counts = Counter(attempt["verdict"] for attempt in history["attempts"])
    parts: list[Part] = []
    x = 0.0
    for kind in VERDICTS:
        if counts[kind]:
            parts.append(Part(kind, round(x, 1), counts[kind] * width, counts[kind]))
            x += counts[kind] * width
    return Row(history["label"], parts, counts.total())


def used_verdicts(rows: Sequence[Row]) -> list[str]:
    """For the legend, in the fixed order."""
    used = {part.kind for row in rows for part in row.parts}
    return [kind for kind in VERDICTS if kind in used]


def error_bins(counts: Sequence[int], ends: Sequence[float]) -> list[Bin]:
    """Empty where nothing was compared."""
    most = max(counts, default=0)
    if not most:
        return []
    texts = [f"≤ {end:g}" for end in ends]
    return [
        Bin(text, round(HEIGHT * count / most, 1), count)
        for text, count in zip(texts, counts, strict=True)
    ]


def model_errors(document: Document) -> list[Bin]:
    """Of the whole model's results, from gate G3."""
    gates: list[Mapping[str, Any]] = document["gates"].get("gates", [])
    details = [gate.get("detail", {}) for gate in gates if gate.get("gate") == "G3"]
    found = [each["shares of bounds"] for each in details if "shares of bounds" in each]
    return error_bins(found[0], document["shares"]) if found else []
