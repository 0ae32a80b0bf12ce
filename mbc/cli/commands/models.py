"""Models and targets as the subcommands take them."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from mbc.cli.arguments import Parser, target_of

if TYPE_CHECKING:
    from mbc.api import Module
    from mbc.ir.attributes import Entry


def add_target(parser: Parser) -> None:
    parser.add_argument("--target", metavar="NAME", help="like rvv or 'rvv{vlen=512}'")
    parser.add_argument(
        "--target-option",
        action="append",
        default=[],
        metavar="KEY=VALUE",
        help="like vlen=512",
    )


def chosen_target(arguments: argparse.Namespace) -> tuple[str, Mapping[str, Entry]]:
    """Its name and options; ends with a usage error where none was given."""
    if arguments.target is None:
        arguments.parser.error("the following arguments are required: --target")
    return target_of(arguments.target, arguments.target_option)


def load_model(path: Path) -> Module:
    """A `.py` file is imported, anything else is read as MLIR."""
    from mbc.api import Module, import_file

    return import_file(path) if path.suffix == ".py" else Module.load(path)
