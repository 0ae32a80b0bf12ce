"""What an outcome remembers of how its number was taken, beside what the gates said."""

from __future__ import annotations

import json
from typing import Any, cast

from mbc.runtime.bound import Agreement
from mbc.runtime.outcome import Measured, Measurement

Conditions = dict[str, Any]


def with_measurement(report: str, measurement: Measurement) -> str:
    """The report, a JSON object, with `measurement`: conditions and samples."""
    document = _object(report)
    if isinstance(measurement, Measured):
        count = {"samples": len(measurement.samples)}
        document["measurement"] = {**measurement.conditions, **count}
    return json.dumps(document)


def conditions_in(report: str) -> Conditions:
    """What `with_measurement` kept; empty where nothing was."""
    found = _object(report).get("measurement", {})
    return cast(Conditions, found) if isinstance(found, dict) else {}


def comparison_report(agreement: Agreement) -> str:
    """Of a candidate that was compared, and not judged by all gates."""
    worst, shares = round(agreement.worst, 4), agreement.shares
    return json.dumps({"worst": worst, "shares of bounds": shares})


def error_shares(report: str) -> tuple[int, ...]:
    """Elements compared, by the share of their bound (`SHARES`); empty if unknown.

    All gates' comparison where there was one, else that before timing.
    """
    document = _object(report)
    gates: list[dict[str, Any]] = document.get("gates", [])
    details = [gate.get("detail", {}) for gate in gates if gate["gate"] == "G2"]
    found = [each for each in (*details, document) if "shares of bounds" in each]
    return tuple(found[0]["shares of bounds"]) if found else ()


def _object(text: str) -> dict[str, Any]:
    found = json.loads(text)
    return cast(dict[str, Any], found) if isinstance(found, dict) else {}
