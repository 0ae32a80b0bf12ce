"""Settings that stand for options: command line, then environment, then a file.

The file is the nearest `mbc.toml`, or `[tool.mbc]` of a `pyproject.toml`, from the
working folder upwards. Every setting knows where its value is from.
"""

from __future__ import annotations

import argparse
import os
import tomllib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mbc.errors import InvalidInput


@dataclass(frozen=True)
class Setting:
    """A value that an option takes where the command line is silent."""

    kind: Callable[[str], object]
    meaning: str
    default: object = None
    """None: the command decides, as its help says."""


SETTINGS: Mapping[str, Setting] = {
    "target": Setting(str, "what to compile for, like rvv or 'rvv{vlen=512}'"),
    "kb": Setting(Path, "path of the knowledge base"),
    "cache_dir": Setting(Path, "folder of built programs"),
    "budget_measurements": Setting(int, "candidates that a search may evaluate"),
    "budget_seconds": Setting(float, "seconds that a search may take"),
    "policy": Setting(str, "who proposes candidates", "heuristic"),
    "seed": Setting(int, "of everything that is drawn", 0),
}
"""By name as files spell it; `MBC_<NAME>` in the environment, `--<name>` as option."""

CACHE = "MBC_CACHE_DIR"
"""Read where programs are built, which knows no command line."""


@dataclass(frozen=True)
class Value:
    value: object
    origin: str
    """A variable, a file, or `default`."""


def settings(folder: Path | None = None) -> dict[str, Value]:
    """Every setting with its value, seen from a folder (the working one)."""
    file, written = _file(folder or Path.cwd())
    return {name: _value(name, file, written) for name in SETTINGS}


def fill(parsed: argparse.Namespace) -> None:
    """Give the options that were not given what the settings say.

    The target is taken where one is asked for: an artifact brings its own.
    """
    found = settings()
    for name, value in found.items():
        if name != "target" and getattr(parsed, name, ...) is None:
            setattr(parsed, name, value.value)
    if found["cache_dir"].value is not None:
        os.environ[CACHE] = str(found["cache_dir"].value)


def _value(name: str, file: str, written: Mapping[str, object]) -> Value:
    variable = f"MBC_{name.upper()}"
    if os.environ.get(variable):
        return Value(_typed(name, os.environ[variable], variable), variable)
    if name in written:
        return Value(_typed(name, written[name], file), file)
    return Value(SETTINGS[name].default, "default")


def _typed(name: str, value: object, origin: str) -> object:
    kind = SETTINGS[name].kind
    try:
        if isinstance(value, str | int | float) and not isinstance(value, bool):
            return kind(str(value))
    except ValueError:
        pass
    wanted = getattr(kind, "__name__", "value").lower()
    raise InvalidInput(f"{origin}: {name} takes a {wanted}, not {value!r}")


def _file(folder: Path) -> tuple[str, Mapping[str, object]]:
    """The nearest file with settings and what it says, checked for names."""
    for place in (folder, *folder.parents):
        for path, table in _tables(place):
            for name in table:
                if name not in SETTINGS:
                    known = ", ".join(SETTINGS)
                    raise InvalidInput(
                        f"{path}: no setting '{name}'; there are {known}"
                    )
            return str(path), table
    return "", {}


def _tables(place: Path) -> Iterator[tuple[Path, Mapping[str, object]]]:
    own, project = place / "mbc.toml", place / "pyproject.toml"
    if own.is_file():
        yield own, _read(own)
    if project.is_file():
        table = _read(project).get("tool", {}).get("mbc")
        if isinstance(table, dict):
            yield project, table  # pyright: ignore[reportUnknownVariableType]  # TOML keys are strings


def _read(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise InvalidInput(f"{path}: not TOML: {error}") from error
    except OSError as error:
        raise InvalidInput(f"cannot open '{path}': {error.strerror}") from error
