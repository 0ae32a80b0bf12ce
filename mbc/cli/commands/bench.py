"""`mbc bench`: which problems of a public benchmark mbc can take."""

from __future__ import annotations

import argparse
import json
import sys
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

from mbc.cli.arguments import Parser
from mbc.cli.commands import Commands, add_command
from mbc.cli.diagnostics import FAILED, OK
from mbc.errors import WrongResult

if TYPE_CHECKING:
    from mbc.api.bench import Action, Row

EXIT = {"failed": FAILED, "differs": WrongResult.exit_code}


def add_to(commands: Commands) -> None:
    parser = add_command(
        commands, "bench", "Measure mbc on a public benchmark.", execute
    )
    actions = parser.add_subparsers(
        title="actions", metavar="ACTION", required=True, parser_class=Parser
    )
    about = (
        "Import KernelBench's problems, each in its own process: as written, or at "
        "reduced extents to compare or run them."
    )
    _add_import(add_command(actions, "import", about, execute))


def _add_import(parser: Parser) -> None:
    _add_problems(parser)
    parser.add_argument(
        "--jobs", type=_positive, default=1, metavar="N", help="processes at a time"
    )
    parser.add_argument(
        "--limit",
        type=_positive,
        default=600,
        metavar="SECONDS",
        help="give a problem up after this long (default: %(default)s)",
    )
    parser.add_argument(
        "--results",
        type=Path,
        metavar="FILE.jsonl",
        help="rows go there as they end; problems that passed there are not run again",
    )
    _add_reduced(parser)
    parser.add_argument("--json", action="store_true", help="print one JSON object")


def _add_problems(parser: Parser) -> None:
    parser.add_argument(
        "--path",
        type=Path,
        required=True,
        metavar="KERNELBENCH",
        help="a checkout of KernelBench",
    )
    parser.add_argument(
        "--level",
        type=int,
        action="append",
        choices=(1, 2, 3),
        metavar="N",
        help="1, 2 or 3; may be repeated; all by default",
    )
    parser.add_argument(
        "--problem",
        action="append",
        default=[],
        metavar="ID",
        help="level and number, like 2_66; may be repeated",
    )


def _add_reduced(parser: Parser) -> None:
    """What may be done at reduced extents: one of these."""
    reduced = parser.add_mutually_exclusive_group()
    reduced.add_argument(
        "--execute",
        dest="executed",
        action="store_true",
        help="at reduced extents, and compare what is executed with PyTorch",
    )
    reduced.add_argument(
        "--cross-check",
        action="store_true",
        help="at reduced extents and in evaluation mode, and compare with what "
        "torch-mlir makes of the model; needs the extra torch-mlir",
    )
    reduced.add_argument(
        "--target",
        help="cuda, opencl or rvv: at reduced extents, and run what is emitted: whole "
        "models on a device, each distinct kernel and small models on an emulator",
    )


def _positive(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"'{text}' is not a number of at least 1")
    return int(text)


def execute(arguments: argparse.Namespace) -> int:
    from mbc.api.bench import right_kernels, run_problems, totals
    from mbc.frontend.kernelbench.problems import LEVELS, find_problems

    levels = arguments.level or LEVELS
    problems = find_problems(arguments.path, levels, arguments.problem)
    results: Path | None = arguments.results
    wanted = {problem.id for problem in problems}
    action = _action(arguments)
    known = _known(results, action)
    rows = [row for row in known if row.problem in wanted]
    done = {row.problem for row in rows}
    left = [problem for problem in problems if problem.id not in done]
    right = right_kernels(known)
    for row in run_problems(left, action, arguments.jobs, arguments.limit, right):
        rows.append(row)
        _keep(row, results, f"{len(rows)}/{len(problems)}")
    lines = totals(rows, action)
    _print(rows, lines, arguments.json)
    return max((EXIT.get(row.status, OK) for row in rows), default=OK)


def _action(arguments: argparse.Namespace) -> Action:
    from mbc.api.bench import EXECUTE, IMPORT, cross_action, on_target_action

    if arguments.target is not None:
        return on_target_action(arguments.target)
    if arguments.cross_check:
        return cross_action()
    return EXECUTE if arguments.executed else IMPORT


def _known(results: Path | None, action: Action) -> list[Row]:
    from mbc.api.bench import read_rows

    return read_rows(results, action) if results else []


def _keep(row: Row, results: Path | None, place: str) -> None:
    from mbc.api.bench import append_row

    if results:
        append_row(results, row)
    took = f"{row.seconds:.2f} s, {row.megabytes:.0f} MB"
    state = f"{row.status}, {row.ops} ops" if row.ops else row.status
    print(f"{place} {row.problem} {row.name}: {state}, {took}", file=sys.stderr)


def _print(rows: list[Row], lines: list[str], as_json: bool) -> None:
    if as_json:
        ordered = sorted(rows, key=lambda row: [int(n) for n in row.problem.split("_")])
        print(json.dumps({"rows": [asdict(r) for r in ordered], "totals": lines}))
        return
    for row in rows:
        if row.reason:
            print(f"{row.problem} {row.name}: {row.reason}")
    print("\n".join(lines))
