"""Models and targets as the subcommands take them."""

from __future__ import annotations

import argparse
import sys
import warnings
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from mbc.cli.arguments import Parser, target_of
from mbc.cli.config import settings
from mbc.errors import InvalidInput

if TYPE_CHECKING:
    from mbc import Module
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
    parser.add_argument(
        "--extent", type=int, metavar="N", help="of the axis that the model leaves open"
    )


def add_sandbox(parser: Parser) -> None:
    parser.add_argument(
        "--require-sandbox",
        action="store_true",
        help="refuse to go on where processes cannot be isolated",
    )


def chosen_target(arguments: argparse.Namespace) -> tuple[str, Mapping[str, Entry]]:
    """Its name and options; ends with a usage error where none was given."""
    target = arguments.target or settings()["target"].value
    parser: Parser = arguments.parser
    if target is None:
        parser.error("the following arguments are required: --target")
    return target_of(str(target), arguments.target_option)


def load_model(path: Path, extent: int | None) -> Module:
    """A `.py` file is imported, anything else is read as MLIR; at `extent` if open."""
    from mbc import Module

    module = import_model(path) if path.suffix == ".py" else Module.load(path)
    if extent is not None:
        return module.specialize(extent)
    if module.is_open:
        raise InvalidInput(f"{path} leaves an extent open: choose it with --extent N")
    return module


def import_model(path: Path) -> Module:
    """Its warnings go to standard error; those of torch are about torch."""
    from mbc import import_file

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FutureWarning)
        module = import_file(path)
    for warning in module.warnings:
        print(f"{path}: warning: {warning}", file=sys.stderr)
    return module
