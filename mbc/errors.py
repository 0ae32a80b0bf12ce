"""Every failure that a user of mbc can cause, as one sentence with its place.

A caller that wants to handle any of them catches `MbcError`; the command line turns
each into one diagnostic line and an exit code.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Location:
    """A place in a user's file; line and column count from 1, 0 means unknown."""

    file: str
    line: int = 0
    column: int = 0

    def __str__(self) -> str:
        parts = [self.file, *(str(n) for n in (self.line, self.column) if n)]
        return ":".join(parts)


class MbcError(Exception):
    """The root: a message of one sentence and, where known, a location."""

    exit_code = 1

    def __init__(self, message: str, location: Location | None = None):
        super().__init__(message)
        self.message = message
        self.location = location


class InvalidInput(MbcError):
    """Text, a file, an argument or an array that is not what was asked for."""


class UnsupportedModel(MbcError):
    """A model that uses what mbc cannot import; the message names all of it."""


class PassRefused(MbcError):
    """A pass whose precondition does not hold.

    `reason` is constraint material for the knowledge base: one short sentence
    without addresses or SSA names.
    """

    def __init__(self, op: str, reason: str, location: Location | None = None):
        super().__init__(f"{op}: {reason}", location)
        self.op = op
        self.reason = reason


class BuildFailed(MbcError):
    """A toolchain rejected emitted source; `log` is its own output."""

    def __init__(self, message: str, log: str = ""):
        super().__init__(message)
        self.log = log


class ToolMissing(MbcError):
    """A target's tool or device is absent; the message ends in what installs it."""

    exit_code = 3


class WrongResult(MbcError):
    """A result outside the bound; `counterexample` says where and by how much."""

    exit_code = 4

    def __init__(self, message: str, counterexample: str = ""):
        super().__init__(message)
        self.counterexample = counterexample
