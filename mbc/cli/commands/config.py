"""`mbc config show`: every setting, its value and where that is from."""

from __future__ import annotations

import argparse
import json

from mbc.cli.commands import Commands, add_command
from mbc.cli.config import SETTINGS, settings
from mbc.cli.diagnostics import OK


def add_to(commands: Commands) -> None:
    parser = add_command(
        commands, "config", "Show settings and where they are from.", execute
    )
    parser.add_argument("what", choices=("show",), help="show: list all settings")
    parser.add_argument("--json", action="store_true", help="print one JSON object")


def execute(arguments: argparse.Namespace) -> int:
    found = settings()
    if arguments.json:
        rows = {
            name: {"value": _text(value.value), "origin": value.origin}
            for name, value in found.items()
        }
        print(json.dumps(rows, indent=2))
        return OK
    for name, value in found.items():
        text = _text(value.value) or "-"
        print(f"{name:20} {text:24} {value.origin:12} {SETTINGS[name].meaning}")
    return OK


def _text(value: object) -> str | None:
    return None if value is None else str(value)
