"""The page: what is said of each kernel, and everything drawn, in one HTML text."""

from __future__ import annotations

import difflib
import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined

from mbc.cli.report import bars, curve, roofline
from mbc.cli.report.document import Document
from mbc.cli.report.scale import short

Plain = Mapping[str, Any]


@dataclass(frozen=True)
class KernelView:
    """A row of the table, and what is folded away below it."""

    row: Plain
    history: Plain
    share: float
    """Of the time of all kernels, as tuned."""
    of_floor: str
    """How many floors the tuned time is; empty in another unit."""
    interval: str
    """Of the ratio; empty where the kernel is as by default."""
    errors: list[bars.Bin]
    changes: list[tuple[str, str]]
    """Lines of the IR with what happened to them: same, gone or new."""


def page(document: Document, title: str) -> str:
    """Self-contained HTML; all text from the document is escaped."""
    environment = Environment(
        loader=PackageLoader("mbc.cli.report", "."),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["short"] = short
    rows = bars.verdict_rows(document)
    return environment.get_template("page.html.j2").render(
        title=title,
        exp=math.exp,
        document=document,
        kernels=views(document),
        roofline=roofline.roofline(document),
        roof=roofline,
        curve=curve.curve(document),
        steps=curve,
        verdicts=rows,
        used=bars.used_verdicts(rows),
        errors=bars.model_errors(document),
        tallest=bars.HEIGHT,
    )


def views(document: Document) -> list[KernelView]:
    rows = {row["label"]: row for row in document["kernels"]}
    total = sum(
        history["occurrences"] * float(rows[history["label"]]["tuned"])
        for history in document["histories"]
    )
    return [_view(document, rows[h["label"]], h, total) for h in document["histories"]]


def _view(document: Document, row: Plain, history: Plain, total: float) -> KernelView:
    peaks, tuned = document["peaks"], float(row["tuned"])
    comparable = row["unit"] == roofline.UNITS[peaks["unit"]] and history["floor"]
    return KernelView(
        row,
        history,
        history["occurrences"] * tuned / total if total else 0.0,
        f"{tuned / history['floor']:.2f}" if comparable else "",
        _interval(row, history),
        bars.error_bins(history["errors"], document["shares"]),
        changed_lines(history["before"], history["after"]),
    )


def _interval(row: Plain, history: Plain) -> str:
    """The lower 95 % bound of the ratio in use."""
    if row["verdict"] != "improved":
        return ""
    used = [a for a in history["attempts"] if a["pipeline"] == row["pipeline"]]
    lows = [a["low_default"] for a in used if "low_default" in a]
    return f"≥ {math.exp(lows[-1]):.2f}x" if lows else ""


def changed_lines(before: str, after: str) -> list[tuple[str, str]]:
    kinds = {" ": "same", "-": "gone", "+": "new"}
    lines = difflib.ndiff(before.splitlines(), after.splitlines())
    return [(kinds[line[0]], line[2:]) for line in lines if line[0] in kinds]
