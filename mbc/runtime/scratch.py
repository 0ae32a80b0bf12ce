"""Temporary folders of this process, and the removal of those that dead ones left.

A process that is killed cannot clean up. So all its folders lie in one that it holds a
lock on, which the system releases with it; whoever starts next takes what is not locked
for left over. They are in the cache folder, so that what was built can be renamed.
"""

from __future__ import annotations

import atexit
import fcntl
import os
import shutil
import tempfile
from collections.abc import Generator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from uuid import uuid4

import platformdirs

SCRATCH = "scratch"
LOCK = ".lock"


def cache_root() -> Path:
    """`MBC_CACHE_DIR`, or the user's cache folder of this system."""
    override = os.environ.get("MBC_CACHE_DIR")
    return Path(override) if override else Path(platformdirs.user_cache_dir("mbc"))


@contextmanager
def scratch_folder() -> Generator[Path]:
    """An empty folder, removed with all that is in it."""
    own = _of_process(cache_root())
    own.mkdir(parents=True, exist_ok=True)  # someone may have emptied the cache
    with tempfile.TemporaryDirectory(dir=own) as name:
        yield Path(name)


@cache
def _of_process(root: Path) -> Path:
    """Made and locked at the first use; what others left is swept before."""
    home = root / SCRATCH
    home.mkdir(parents=True, exist_ok=True)
    sweep(home)
    own = home / uuid4().hex
    # Locked before it has its name, so that no one ever finds it unlocked.
    draft = own.with_suffix(".new")
    fcntl.flock(os.open(draft, os.O_CREAT | os.O_RDWR, 0o600), fcntl.LOCK_EX)
    draft.rename(own.with_suffix(LOCK))
    own.mkdir()
    atexit.register(_remove, own, os.getpid())
    return own


def sweep(home: Path) -> None:
    """Remove the folders whose owners are dead."""
    for lock in home.glob(f"*{LOCK}"):
        try:
            handle = os.open(lock, os.O_RDWR)
        except OSError:
            continue  # another process removed it, or it is another user's
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            _discard(lock.with_suffix(""))
        except OSError:
            pass  # its owner is alive
        finally:
            os.close(handle)


def _remove(own: Path, owner: int) -> None:
    """At exit; a forked child leaves its parent's folder alone."""
    if os.getpid() == owner:
        _discard(own)


def _discard(folder: Path) -> None:
    shutil.rmtree(folder, ignore_errors=True)
    folder.with_suffix(LOCK).unlink(missing_ok=True)
