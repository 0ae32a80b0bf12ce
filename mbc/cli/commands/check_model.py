"""`mbc check`: everything wrong with a PyTorch model, before any work is done on it."""

from __future__ import annotations

import argparse
import sys
import warnings
from contextlib import redirect_stdout
from pathlib import Path
from typing import TYPE_CHECKING

from mbc.cli.commands import Commands, add_command
from mbc.cli.diagnostics import FAILED, OK
from mbc.errors import Location

if TYPE_CHECKING:
    from mbc.api.diagnose import Diagnosis
    from mbc.frontend.findings import Finding

MOST_PLACES = 8


def add_to(commands: Commands) -> None:
    parser = add_command(
        commands, "check", "Say everything that is wrong with a model.", execute
    )
    parser.add_argument(
        "model",
        type=Path,
        metavar="MODEL.py",
        help="defines Model, get_inputs and optionally get_init_inputs",
    )
    parser.add_argument("--json", action="store_true", help="print one JSON object")


def execute(arguments: argparse.Namespace) -> int:
    from mbc.api.diagnose import diagnose

    # What the file prints is no part of the report; torch's warnings are about torch.
    with warnings.catch_warnings(), redirect_stdout(sys.stderr):
        warnings.simplefilter("ignore")
        diagnosis = diagnose(arguments.model)
    print(diagnosis.to_json() if arguments.json else report(diagnosis))
    return OK if diagnosis.passed else FAILED


def report(diagnosis: Diagnosis) -> str:
    lines = [_line(diagnosis.path, finding) for finding in diagnosis.findings]
    counts = [
        f"{count} {severity}{'' if count == 1 else 's'}"
        for severity, count in diagnosis.counts.items()
    ]
    return "\n".join(
        [*lines, f"{diagnosis.path}: {', '.join(counts) or 'no findings'}"]
    )


def _line(path: str, finding: Finding) -> str:
    """`file:line: severity: message`, with every place if there are several."""
    places = [_short(place) for place in finding.places]
    where = places[0] if places else path
    return f"{where}: {finding.severity}: {finding.message}{_uses(places)}"


def _uses(places: list[str]) -> str:
    if len(places) < 2:
        return ""
    shown = list(dict.fromkeys(places))
    more = ", ..." if len(shown) > MOST_PLACES else ""
    return f" ({len(places)} uses: {', '.join(shown[:MOST_PLACES])}{more})"


def _short(place: Location) -> str:
    from mbc.frontend.locations import short

    return short(place)
