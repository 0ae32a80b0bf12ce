"""`mbc tune`: search for faster pipelines, checking and measuring each candidate."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from mbc.cli.commands import Commands, add_command
from mbc.cli.commands.models import add_sandbox, add_target, chosen_target, load_model
from mbc.cli.diagnostics import INTERRUPTED, OK
from mbc.cli.knowledge_path import add_knowledge, chosen_path
from mbc.cli.output import make_folder
from mbc.cli.table import print_rows

if TYPE_CHECKING:
    from mbc import Budget
    from mbc.api.tuned import Tuned, TunedKernel

POLICIES = ("heuristic", "random", "greedy")


def add_to(commands: Commands) -> None:
    parser = add_command(
        commands,
        "tune",
        "Make a model fast: check, measure and remember candidates.",
        execute,
    )
    parser.add_argument("model", type=Path, metavar="MODEL", help=".mlir or .py")
    add_target(parser)
    add_knowledge(parser)
    parser.add_argument(
        "--budget-measurements",
        type=int,
        metavar="N",
        help="candidates to evaluate; without any budget a default number",
    )
    parser.add_argument("--budget-seconds", type=float, metavar="S")
    parser.add_argument("--policy", choices=POLICIES)
    parser.add_argument("--seed", type=int, metavar="N")
    add_sandbox(parser)
    parser.add_argument(
        "-o",
        dest="output",
        type=Path,
        metavar="DIR",
        help="where the artifact goes; default: MODEL-TARGET here",
    )
    parser.add_argument("--json", action="store_true", help="print one JSON object")


def execute(arguments: argparse.Namespace) -> int:
    target, options = chosen_target(arguments)
    from mbc import tune
    from mbc.cli.progress import shown_progress

    module = load_model(arguments.model, arguments.extent)
    path = chosen_path(arguments.kb)
    folder: Path = arguments.output or Path(f"{arguments.model.stem}-{target}")
    make_folder(folder)
    with shown_progress() as progress:
        tuned = tune(
            module,
            target,
            options=options,
            budget=chosen_budget(arguments),
            policy=arguments.policy,
            knowledge_path=path,
            seed=arguments.seed,
            progress=progress,
            require_sandbox=arguments.require_sandbox,
        )
    tuned.save(folder)
    if arguments.json:
        print(json.dumps(tuned.document()))
    else:
        print_report(tuned)
        print(f"wrote {folder}; outcomes are in {path}")
    if tuned.interrupted:
        print(
            "mbc: interrupted; the best so far is saved, and the same command resumes",
            file=sys.stderr,
        )
    return INTERRUPTED if tuned.interrupted else OK


def chosen_budget(arguments: argparse.Namespace) -> Budget:
    from mbc import Budget
    from mbc.api.tune import DEFAULT_BUDGET

    measurements, seconds = arguments.budget_measurements, arguments.budget_seconds
    if measurements is None and seconds is None:
        return DEFAULT_BUDGET
    return Budget(measurements, seconds)


def print_report(tuned: Tuned) -> None:
    from mbc.runtime.outcome import NotMeasured

    print_kernels(tuned.rows)
    total = tuned.aggregate
    if not isinstance(total, NotMeasured):
        print(total.text())
    for note in tuned.notes:
        print(f"note: {note}")
    print(tuned.report.text())


def print_kernels(rows: Sequence[TunedKernel]) -> None:
    print_rows(
        ("kernel", "family", "default", "tuned", "ratio", "fidelity", "verdict"),
        (
            (
                row.label,
                row.family,
                _number(row.default, row.unit),
                _number(row.tuned, row.unit),
                f"{row.ratio:.2f}x" if row.unit else "-",
                row.fidelity,
                row.verdict,
            )
            for row in rows
        ),
    )


def _number(value: float, unit: str) -> str:
    """Without a unit nothing was measured."""
    return f"{value:,.0f} {unit}" if unit else "-"
