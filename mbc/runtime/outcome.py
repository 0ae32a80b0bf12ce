"""What running or timing a program can end in: sum types, never None, 0 or infinity."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import IntEnum
from typing import Literal

import numpy as np
import numpy.typing as npt


class Fidelity(IntEnum):
    """How a number came about; numbers of two levels are never compared."""

    ANALYTIC = 0
    STATIC = 1
    COUNTED = 2
    """Instructions executed by an emulator."""
    MODELLED = 3
    """Cycles of a published model."""
    HARDWARE = 4
    """A clock on a named device."""


@dataclass(frozen=True)
class Measured:
    """`value` in `unit` ("ns", "cycles", "instructions"), the median of `samples`."""

    value: float
    unit: str
    fidelity: Fidelity
    device: str
    """Name and version of the device or model that the number holds for."""
    samples: tuple[float, ...] = ()
    """Round-robin samples in order: sample i of two programs belongs to one round."""
    detail: dict[str, float] = field(default_factory=dict[str, float], compare=False)
    conditions: dict[str, str | float] = field(
        default_factory=dict[str, str | float], compare=False
    )
    """What the number was taken with: timer, caches, clocks, load (`conditions.py`)."""


@dataclass(frozen=True)
class NotMeasured:
    """`rule` names what a timed call broke; it is empty where no call was at fault."""

    reason: str
    rule: str = ""


Measurement = Measured | NotMeasured

FailureKind = Literal["compile_fail", "crash", "timeout", "blocked"]


@dataclass(frozen=True)
class Completed:
    """Output arrays by buffer name, in the buffers' dtypes and shapes."""

    outputs: dict[str, npt.NDArray[np.generic]]


@dataclass(frozen=True)
class Failed:
    """`blocked`: the environment is at fault (tool or device missing or lost)."""

    kind: FailureKind
    message: str
    """One sentence."""
    log: str = ""


RunOutcome = Completed | Failed


@dataclass(frozen=True)
class Available:
    """A target that can run here: what with, in words."""

    description: str


@dataclass(frozen=True)
class EmitOnly:
    """A target that can only be emitted here, why, and the line that changes it."""

    reason: str
    install: str


Availability = Available | EmitOnly
