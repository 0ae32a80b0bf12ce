"""report.json, read and checked before anything is drawn from it."""

from __future__ import annotations

import json
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, cast

from jinja2 import UndefinedError

from mbc.api.history import REPORT, REPORT_FILE, REPORT_VERSION
from mbc.errors import InvalidInput
from mbc.frontend.store import read_text

NEEDED: Mapping[str, type] = {
    "target": dict,
    "peaks": dict,
    "shares": list,
    "kernels": list,
    "histories": list,
    "geometric_mean": dict,
    "gates": dict,
    "notes": list,
    "imported": str,
    "lowered": str,
}
Document = dict[str, Any]


def read_report(run: Path) -> Document:
    """`run` is a folder that tuning wrote, or the report in it.

    Raises `InvalidInput` for a file that is missing, is no report, or is of a newer
    version.
    """
    path = run / REPORT_FILE if run.is_dir() else run
    if run.is_dir() and not path.exists():
        raise InvalidInput(
            f"'{run}' has no {REPORT_FILE}: `mbc tune -o {run}` writes one"
        )
    text = read_text(path)
    try:
        found = json.loads(text)
    except ValueError as error:
        raise InvalidInput(f"'{path}' is not JSON: {error}") from error
    if not isinstance(found, dict):
        raise InvalidInput(f"'{path}' is no report of mbc")
    return _checked(cast(Document, found), path)


@contextmanager
def described_by(run: Path) -> Generator[None]:
    """What is missing deeper down fails inside in whatever way it does."""
    try:
        yield
    except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as e:
        raise InvalidInput(f"'{run}' is a damaged report of mbc") from e
    except UndefinedError as e:
        raise InvalidInput(f"'{run}' is a damaged report of mbc: {e.message}") from e


def _checked(document: Document, path: Path) -> Document:
    version = document.get("version")
    if document.get("format") != REPORT or not isinstance(version, int):
        raise InvalidInput(f"'{path}' is no report of mbc")
    if version > REPORT_VERSION:
        raise InvalidInput(
            f"'{path}' has report version {version}; this mbc reads up to "
            f"{REPORT_VERSION}: install a newer one"
        )
    for key, kind in NEEDED.items():
        if not isinstance(document.get(key), kind):
            raise InvalidInput(f"'{path}': '{key}' is missing or of the wrong kind")
    return document
