"""What an outcome remembers of how its number was taken, beside what the gates said."""

from __future__ import annotations

import json
from typing import Any, cast

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


def _object(text: str) -> dict[str, Any]:
    found = json.loads(text)
    return cast(dict[str, Any], found) if isinstance(found, dict) else {}
