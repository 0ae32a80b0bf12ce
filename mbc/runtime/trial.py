"""A program to be timed, what it is given, and what every timed call must return.

A clock only believes calls whose results were checked. The worker that times a program
draws one of its cases for each call and sends back every distinct result; the parent,
which alone knows the right ones, decides here what they mean.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from mbc.codegen.program import Program
from mbc.runtime.outcome import NotMeasured
from mbc.runtime.poison import FLOAT_BYTES, INTEGER_BYTE

Arrays = Mapping[str, npt.NDArray[np.generic]]
Accepts = Callable[[Arrays], str]
"""Outputs by buffer name to the empty string, or to one sentence on what is wrong."""


@dataclass(frozen=True)
class Case:
    """Inputs by buffer name, and the judge of what comes of them."""

    inputs: Arrays
    accepts: Accepts


@dataclass(frozen=True)
class Trial:
    """With several cases a result that is kept from one call is wrong in the next."""

    program: Program
    cases: tuple[Case, ...]

    @classmethod
    def repeating(cls, program: Program, inputs: Arrays, outputs: Arrays) -> Trial:
        """One case, whose results must equal `outputs` bit for bit."""
        return cls(program, (Case(inputs, lambda found: _difference(outputs, found)),))


@dataclass(frozen=True)
class Observed:
    """A result that `calls` calls on one case had in common."""

    case: int
    outputs: Arrays
    calls: int


def caught(
    trial: Trial, observed: Sequence[Observed], calls: int
) -> NotMeasured | None:
    """The rule that a timed call broke, or None if all `calls` were right."""
    checked = sum(one.calls for one in observed)
    if checked != calls or not calls:
        return NotMeasured(f"{checked} of {calls} timed calls were checked", "checked")
    for one in observed:
        reason = trial.cases[one.case].accepts(one.outputs)
        if reason:
            rule = _rule(trial, one)
            share = f"{one.calls} of {calls} timed calls"
            return NotMeasured(f"{rule} in {share}: {reason}", rule)
    return None


def _rule(trial: Trial, wrong: Observed) -> str:
    """What a wrong result is: never written, another call's, or just wrong."""
    if any(_is_poison(array) for array in wrong.outputs.values()):
        return "skipped call"
    others = (c for i, c in enumerate(trial.cases) if i != wrong.case)
    if any(not case.accepts(wrong.outputs) for case in others):
        return "result cache"
    return "wrong result"


def _is_poison(array: npt.NDArray[np.generic]) -> bool:
    raw = np.frombuffer(np.ascontiguousarray(array).tobytes(), np.uint8)
    return any(
        raw.size > 0 and bool((raw == byte).all())
        for byte in (*FLOAT_BYTES, INTEGER_BYTE)
    )


def _difference(wanted: Arrays, found: Arrays) -> str:
    for name, array in wanted.items():
        if found[name].tobytes() != array.tobytes():
            return f"'{name}' is not what the same call returned before"
    return ""
