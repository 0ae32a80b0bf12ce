"""`mbc-opt`: reads MLIR text, runs passes, prints MLIR text or a target's source.

Conventions are those of mlir-opt: what was asked for on standard output, all else on
standard error. It is hermetic: no toolchain, no device, no knowledge base.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence

from mbc.cli.arguments import argv_of
from mbc.cli.diagnostics import Reporter


def main(argv: Sequence[str] | None = None) -> int:
    arguments = argv_of(argv)
    reporter = Reporter("mbc-opt", debug="--debug" in arguments)
    with reporter:
        _run(arguments, reporter)
        sys.stdout.flush()
    return reporter.exit_code


def _run(arguments: list[str], reporter: Reporter) -> None:
    from mbc.cli.opt_arguments import parse_arguments

    options = parse_arguments(arguments)
    if options.list_passes:
        from mbc.cli.listings import print_passes

        print_passes(options.listing)
    elif options.list_targets:
        from mbc.cli.listings import print_targets

        print_targets(options.listing)
    else:
        from mbc.cli.driver import Driver

        Driver(options, reporter).run()


if __name__ == "__main__":
    sys.exit(main())
