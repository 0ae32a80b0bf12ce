"""Schedule knobs as the types that emitters use."""

from __future__ import annotations

from mbc.codegen.families import Schedule


def number(schedule: Schedule, knob: str) -> int:
    value = schedule[knob]
    assert isinstance(value, int)
    return value


def first(schedule: Schedule, knob: str) -> int:
    """The first number of a knob that holds several."""
    value = schedule[knob]
    assert isinstance(value, tuple)
    return value[0]
