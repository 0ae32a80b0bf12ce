"""Built files, addressed by everything that went into them.

A build runs in a folder of its own, which is renamed into place when it is complete:
another process sees the whole result or none of it. Two processes that build the
same key both build, and the second one drops its copy. Failures are not kept.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import TypeVar

from mbc.runtime.scratch import cache_root, scratch_folder

F = TypeVar("F")


def build_key(parts: Mapping[str, str]) -> str:
    """A digest of named parts, in any order, and of the version of mbc."""
    digest = hashlib.sha256()
    for name, text in sorted({**parts, "mbc": _mbc_version()}.items()):
        for field in (name.encode(), text.encode()):
            # Lengths keep neighbouring fields from running into each other.
            digest.update(len(field).to_bytes(8, "little"))
            digest.update(field)
    return digest.hexdigest()


def cached_build(key: str, build: Callable[[Path], F | None]) -> Path | F:
    """The folder of `key`; if absent, filled by `build`, which returns what failed."""
    home = cache_root() / "build" / key[:2]
    ready = home / key
    if ready.is_dir():
        return ready
    home.mkdir(parents=True, exist_ok=True)
    # Renaming takes the inner folder away; the outer one is removed in any case.
    with scratch_folder() as outer:
        folder = outer / "build"
        folder.mkdir()
        failure = build(folder)
        if failure is not None:
            return failure
        _publish(folder, ready)
    return ready


def _publish(folder: Path, ready: Path) -> None:
    try:
        folder.rename(ready)
    except OSError:
        # Someone else published the same key first, which is as good.
        if not ready.is_dir():
            raise


@cache
def _mbc_version() -> str:
    try:
        return version("mbc")
    except PackageNotFoundError:
        return "source"
