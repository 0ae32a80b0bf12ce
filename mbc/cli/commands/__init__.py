"""One file per subcommand of `mbc`: `add_to` declares it, `execute` runs it.

Modules of the layers below are imported by `execute`, so that `mbc --help` is quick.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from typing import Protocol

from mbc.cli.arguments import Parser

Execute = Callable[[argparse.Namespace], int]
"""Runs a parsed command line; returns the exit code."""


class Commands(Protocol):
    """Where a subcommand declares itself: what `add_subparsers` returns."""

    def add_parser(self, name: str, *, help: str, description: str) -> Parser: ...


def add_command(commands: Commands, name: str, help: str, execute: Execute) -> Parser:
    """A subcommand that runs `execute`; `--debug` may stand behind it, too."""
    parser = commands.add_parser(name, help=help, description=help)
    parser.set_defaults(execute=execute, parser=parser)
    parser.add_argument("--debug", action="store_true", help=argparse.SUPPRESS)
    return parser
