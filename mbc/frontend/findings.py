"""What is to be said about a model: data, which the command line prints."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from mbc.errors import Location

Severity = Literal["error", "warning", "note"]
"""The model cannot be imported; it may not compute what is meant; good to know."""


@dataclass(frozen=True)
class Finding:
    """`kind` is a stable name like `random-operator`; `places` has every use of it."""

    severity: Severity
    kind: str
    message: str
    places: tuple[Location, ...] = ()
