"""Whatever ends a command, as one diagnostic and one exit code.

    model.mlir:6:8: error: 'arith.addi' op operand #0 must be integer, but got 'f32'
      %c = arith.addi %a, %a : f32
           ^

Only `--debug` shows a traceback. Notes that a caller adds to an `MbcError` are printed
as `note:` lines; notes of xDSL's own errors hold a dump of the module and are not.
"""

from __future__ import annotations

import os
import sys
import traceback
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import Self

from mbc.errors import BuildFailed, InvalidInput, Location, MbcError, WrongResult

OK = 0
FAILED = 1
USAGE = 2
INTERRUPTED = 130

LOG_LINES = 12
"""How much of a compiler's own output is shown."""


class Reporter:
    """As a context: reports what ends it; `exit_code` then says how it ended."""

    def __init__(self, program: str, debug: bool = False):
        self.exit_code = OK
        self._program = program
        self._debug = debug
        self._texts: dict[str, str] = {}

    def remember(self, file: str, text: str) -> None:
        """The text of an input, for the line that a diagnostic shows."""
        self._texts[file] = text

    def report(self, error: MbcError) -> None:
        """Print one error and go on; the highest exit code of all stays."""
        self.exit_code = max(self.exit_code, error.exit_code)
        if self._debug:
            traceback.print_exception(error)
        print(render(error, self._program, self._texts), file=sys.stderr)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> bool:
        match error:
            case None:
                pass
            case SystemExit(code=code):
                self.exit_code = code if isinstance(code, int) else OK
            case KeyboardInterrupt():
                print(f"{self._program}: interrupted", file=sys.stderr)
                self.exit_code = INTERRUPTED
            case BrokenPipeError():
                _forget_stdout()
            case _:
                self._report_any(error)
        return True

    def _report_any(self, error: BaseException) -> None:
        described = translate(error)
        if described is not None:
            self.report(described)
            return
        self.exit_code = FAILED
        if self._debug:
            traceback.print_exception(error)
        summary = " ".join(f"{type(error).__name__}: {error}".split())
        hint = "" if self._debug else "; --debug shows where it happened"
        print(
            f"{self._program}: internal error, which is a bug in mbc: {summary}{hint}",
            file=sys.stderr,
        )


@contextmanager
def translated() -> Generator[None]:
    """Errors of xDSL and of the file system leave as `MbcError`."""
    try:
        yield
    except BaseException as error:
        described = translate(error)
        if described is None or described is error:
            raise
        raise described from error


def translate(error: BaseException) -> MbcError | None:
    """The same as one sentence, or None if it is nobody's input that is wrong."""
    # Not before something went wrong: `--help` needs no xDSL.
    from xdsl.utils.exceptions import (
        ArgSpecParseError,
        DiagnosticException,
        ParseError,
        UnregisteredConstructException,
    )

    match error:
        case MbcError():
            return error
        case ParseError():
            place = error.span.get_location()
            return InvalidInput(error.msg, Location(place.file, place.line, place.col))
        case ArgSpecParseError():
            words = str(error).strip().splitlines()[-1].lstrip(" ^")
            return InvalidInput(f"malformed pipeline: {words}")
        case DiagnosticException() | UnregisteredConstructException():
            return InvalidInput(first_line(str(error)))
        case BrokenPipeError():
            return None
        case OSError(filename=str(name), strerror=str(reason)):
            return InvalidInput(f"cannot use '{name}': {reason}")
        case OSError(strerror=str(reason)):
            return InvalidInput(f"input or output failed: {reason}")
        case _:
            return None


def render(error: MbcError, program: str, texts: dict[str, str]) -> str:
    """`file:line:col: error: message`, the line with a caret, and the notes."""
    place = error.location
    # A compiler's own words begin like this, too.
    message = error.message.removeprefix("error: ")
    lines = [f"{program if place is None else place}: error: {message}"]
    if place is not None:
        lines += _excerpt(place, texts)
    lines += [f"note: {note}" for note in _notes(error)]
    return "\n".join(lines)


def first_line(text: str) -> str:
    lines = text.strip().splitlines()
    return lines[0].strip() if lines else "no reason was given"


def _excerpt(place: Location, texts: dict[str, str]) -> list[str]:
    lines = _text_of(place.file, texts).splitlines()
    if not 0 < place.line <= len(lines):
        return []
    line = lines[place.line - 1]
    if not place.column:
        return [line]
    # Tabs stay tabs, so that the caret stands below its character.
    indent = "".join("\t" if c == "\t" else " " for c in line[: place.column - 1])
    return [line, f"{indent}^"]


def _text_of(file: str, texts: dict[str, str]) -> str:
    if file in texts:
        return texts[file]
    try:
        return Path(file).read_text(encoding="utf-8")
    except (OSError, ValueError):
        return ""


def _notes(error: MbcError) -> list[str]:
    notes: list[str] = list(getattr(error, "__notes__", ()))
    match error:
        case BuildFailed(log=str(log)) if log.strip():
            notes.append("\n  ".join(["the compiler said:", *_head(log)]))
        case WrongResult(counterexample=str(text)) if text:
            notes.append(text)
        case _:
            pass
    return notes


def _head(log: str) -> list[str]:
    lines = log.strip().splitlines()
    left = len(lines) - LOG_LINES
    return lines[:LOG_LINES] + ([f"... {left} more lines"] if left > 0 else [])


def _forget_stdout() -> None:
    """The reader went away; what is still buffered must not fail again at exit."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
