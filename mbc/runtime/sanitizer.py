"""What a checking tool says about one run: a simulator, or a tool around the device.

Such tools see what comparing results cannot: races that happened to go well, reads
behind a buffer, values that nobody wrote. A tool that is absent or cannot run a program
says so; that is never a pass.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

import numpy as np
import numpy.typing as npt

from mbc.codegen.program import Program


@dataclass(frozen=True)
class Clean:
    """`checks` are the classes of fault that were looked for and not found."""

    tool: str
    checks: tuple[str, ...]
    note: str = ""
    """What was left out, and why."""


@dataclass(frozen=True)
class Finding:
    """The most telling fault of a run."""

    rule: str
    """"race", "bounds", "uninitialized", "barrier", "access", "alignment", "trap"."""
    message: str
    """One clause, without place and address."""
    line: int = 0
    """Of the program's source, or 0 where the tool does not know it."""
    address: str = ""
    log: str = ""


@dataclass(frozen=True)
class Unchecked:
    """The tool is absent, or cannot run this program; why, in one clause."""

    reason: str


Sanitized = Clean | Finding | Unchecked


@runtime_checkable
class Sanitizing(Protocol):
    """A runner that knows such a tool for its target."""

    def sanitize(
        self, program: Program, inputs: Mapping[str, npt.NDArray[np.generic]]
    ) -> Sanitized: ...
