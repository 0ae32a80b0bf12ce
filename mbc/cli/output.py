"""Reading inputs and writing outputs: whole files or nothing."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from mbc.errors import InvalidInput

STANDARD = "-"
"""As a file name: standard input or output."""


def read_text(name: str) -> str:
    """The text of a file, or of standard input."""
    if name != STANDARD:
        # Not before a file is read: `--help` loads no other layer.
        from mbc.frontend.store import read_text as text_of

        return text_of(name)
    try:
        return sys.stdin.read()
    except UnicodeDecodeError as error:
        raise InvalidInput("standard input is not text") from error


def write_text(name: str, text: str) -> None:
    """To standard output, or to a file that appears when it is complete."""
    if name == STANDARD:
        sys.stdout.write(text)
        sys.stdout.flush()
        return
    # Renaming onto a link would replace the link.
    path = Path(os.path.realpath(name))
    try:
        if path.exists() and not path.is_file():
            path.write_text(text, encoding="utf-8")  # a device or a pipe
        else:
            _replace(path, text)
    except OSError as error:
        raise InvalidInput(f"cannot write '{name}': {error.strerror}") from error


def _replace(path: Path, text: str) -> None:
    new = path.with_name(f".{path.name}.{os.getpid()}.new")
    try:
        new.write_text(text, encoding="utf-8")
        new.replace(path)
    finally:
        new.unlink(missing_ok=True)


def make_folder(path: Path) -> None:
    """Now, so that hours of work do not end in a place that cannot be written."""
    try:
        path.mkdir(parents=True, exist_ok=True)
    except FileExistsError as error:
        raise InvalidInput(f"cannot write '{path}': it is not a folder") from error
    except OSError as error:
        raise InvalidInput(f"cannot write '{path}': {error.strerror}") from error
    if not os.access(path, os.W_OK):
        raise InvalidInput(f"cannot write '{path}': Permission denied")


def is_folder(name: str) -> bool:
    """Whether an output name means a folder of files rather than one text."""
    if name == STANDARD:
        return False
    path = Path(name)
    return name.endswith(os.sep) or path.is_dir() or not (path.suffix or path.exists())
