"""`mbc report`: what a tuning run found, as one page that a browser opens."""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from mbc.cli.commands import Commands, add_command
from mbc.cli.diagnostics import OK
from mbc.cli.output import write_text


def add_to(commands: Commands) -> None:
    parser = add_command(
        commands, "report", "Show a tuning run as one HTML page.", execute
    )
    parser.add_argument(
        "run", type=Path, metavar="RUN", help="a folder that `mbc tune` wrote"
    )
    parser.add_argument(
        "-o",
        dest="output",
        metavar="FILE",
        help="where the page goes, - for standard output; default: RUN/report.html",
    )
    parser.add_argument(
        "--json", action="store_true", help="print the same as data instead"
    )


def execute(arguments: argparse.Namespace) -> int:
    from mbc.cli.report.document import described_by, read_report
    from mbc.cli.report.page import page

    run: Path = arguments.run
    document = read_report(run)
    if arguments.json:
        print(json.dumps(document))
        return OK
    folder = run if run.is_dir() else run.parent
    output = arguments.output or str(folder / "report.html")
    with described_by(run):
        text = page(document, folder.resolve().name)
    write_text(output, text)
    if output != "-":
        print(f"wrote {output}")
    return OK
