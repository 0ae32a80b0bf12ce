"""What the command line of `mbc-opt` and of `mbc` have in common."""

from __future__ import annotations

import argparse
import difflib
import re
import sys
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NoReturn

from rich_argparse import RawDescriptionRichHelpFormatter

import mbc
from mbc.cli.diagnostics import USAGE
from mbc.errors import InvalidInput

if TYPE_CHECKING:
    from mbc.ir.attributes import Entry


class HelpFormatter(RawDescriptionRichHelpFormatter):
    group_name_formatter = str  # rich's own writes "Ir Dumps"


class Parser(argparse.ArgumentParser):
    """Says what is wrong in one line, and what may have been meant."""

    def __init__(self, *args: Any, **options: Any):
        options.setdefault("formatter_class", HelpFormatter)
        super().__init__(*args, allow_abbrev=False, **options)

    def error(self, message: str) -> NoReturn:
        unknown = re.match(r"unrecognized arguments: (--[\w-]+)", message)
        guess = self._guess(unknown[1]) if unknown else ""
        self.exit(
            USAGE, f"{self.prog}: error: {message}{guess}; see {self.prog} --help\n"
        )

    def _guess(self, option: str) -> str:
        close = difflib.get_close_matches(option, self._option_string_actions, 1)
        return f" (did you mean {close[0]}?)" if close else ""


class VersionAction(argparse.Action):
    """`--version`; xDSL's is looked up only when asked for."""

    def __init__(self, option_strings: Sequence[str], dest: str, **_: Any):
        super().__init__(option_strings, dest, nargs=0, help="print the version")

    def __call__(self, parser: argparse.ArgumentParser, *_: Any) -> NoReturn:
        from importlib.metadata import version

        print(f"{parser.prog} {mbc.__version__} (xdsl {version('xdsl')})")
        parser.exit()


class CompletionAction(argparse.Action):
    """`--print-completion SHELL`; what writes it is loaded only when asked for."""

    def __init__(self, option_strings: Sequence[str], dest: str, **_: Any):
        about = "print what completes this command in bash, zsh or tcsh"
        super().__init__(option_strings, dest, metavar="SHELL", help=about)

    def __call__(
        self, parser: argparse.ArgumentParser, namespace: object, values: Any, *_: Any
    ) -> NoReturn:
        import shtab

        shells = tuple(shtab.SUPPORTED_SHELLS)
        if values not in shells:
            parser.error(f"--print-completion takes {', '.join(shells)}, not {values}")
        print(shtab.complete(parser, values))
        parser.exit()


def add_common(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--version", action=VersionAction)
    parser.add_argument("--print-completion", action=CompletionAction)
    parser.add_argument(
        "--debug", action="store_true", help="show tracebacks of errors"
    )


def target_of(text: str, more: Sequence[str]) -> tuple[str, Mapping[str, Entry]]:
    """`rvv{vlen=512}` and `--target-option vlen=512`: a name and its options."""
    # Not before a target is named: `--help` loads no pass.
    from mbc.passes.assign_target import parse_option

    match = re.fullmatch(r"([\w-]+)(?:\{(.*)\})?", text.strip())
    if match is None:
        raise InvalidInput(
            f"'{text}' is no target: write it like rvv or rvv{{vlen=512}}"
        )
    inside = (match[2] or "").split()
    return match[1], dict(parse_option(entry) for entry in (*inside, *more))


def argv_of(argv: Sequence[str] | None) -> list[str]:
    return list(sys.argv[1:] if argv is None else argv)
