"""`mbc cache`: where built files are kept, and dropping them."""

from __future__ import annotations

import argparse
import shutil

from mbc.cli.commands import Commands, add_command
from mbc.cli.diagnostics import OK

FOLDERS = ("build",)
"""Only what mbc makes itself: the cache folder may be one that a user chose."""


def add_to(commands: Commands) -> None:
    parser = add_command(
        commands, "cache", "Show or clear the cache of built programs.", execute
    )
    parser.add_argument("action", nargs="?", choices=("show", "clear"), default="show")


def execute(arguments: argparse.Namespace) -> int:
    from mbc.runtime.scratch import cache_root

    folders = [cache_root() / name for name in FOLDERS]
    files = [path for one in folders for path in one.rglob("*") if path.is_file()]
    size = sum(path.stat().st_size for path in files) / 2**20
    what = f"{len(files)} files, {size:.1f} MiB in {cache_root()}"
    if arguments.action == "clear":
        for folder in filter(lambda one: one.is_dir(), folders):
            shutil.rmtree(folder)
        what = f"removed {what}"
    print(what)
    return OK
