"""`mbc`: import, tune and run models, look into what was learned, check the set-up."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from importlib import import_module

from mbc.cli.arguments import Parser, add_common, argv_of
from mbc.cli.config import fill
from mbc.cli.diagnostics import Reporter

COMMANDS = (
    "import_model",
    "check_model",
    "tune",
    "report",
    "run",
    "verify",
    "bench",
    "bisect",
    "kb",
    "config",
    "doctor",
    "cache",
)
"""Modules of `mbc.cli.commands`; each adds its own arguments and says what runs."""

EPILOG = """\
`mbc-opt` runs passes and prints source.
Exit codes: 0 ok; 1 input error; 2 usage; 3 a tool or device is missing; 4 a result
outside its error bound; 130 interrupted.
"""


def main(argv: Sequence[str] | None = None) -> int:
    arguments = argv_of(argv)
    reporter = Reporter("mbc", debug="--debug" in arguments)
    with reporter:
        parsed, unknown = _parser().parse_known_args(arguments)
        if unknown:
            # The subcommand's parser knows what may have been meant.
            parsed.parser.error(f"unrecognized arguments: {' '.join(unknown)}")
        fill(parsed)
        reporter.exit_code = parsed.execute(parsed)
        sys.stdout.flush()
    return reporter.exit_code


def _parser() -> Parser:
    parser = Parser("mbc", description=__doc__, epilog=EPILOG)
    add_common(parser)
    commands = parser.add_subparsers(
        title="commands", metavar="COMMAND", required=True, parser_class=Parser
    )
    for name in COMMANDS:
        import_module(f"mbc.cli.commands.{name}").add_to(commands)
    return parser


if __name__ == "__main__":
    sys.exit(main())
