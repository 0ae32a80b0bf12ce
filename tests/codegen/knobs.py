"""Schedules to try: every value of every knob."""

from __future__ import annotations

from collections.abc import Iterator

from mbc.codegen.families import Space
from mbc.ir.attributes import Entry


def each_knob(space: Space) -> Iterator[dict[str, Entry]]:
    """The default schedule, then every other value of one knob at a time."""
    start = {knob: values[0] for knob, values in space.items()}
    yield start
    for knob, values in space.items():
        yield from ({**start, knob: value} for value in values[1:])
