"""`mbc kb`: what was learned, as tables and as JSON lines."""

from __future__ import annotations

import argparse
import math
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mbc.cli.arguments import Parser
from mbc.cli.commands import Commands, Execute, add_command
from mbc.cli.diagnostics import OK
from mbc.cli.knowledge_path import add_knowledge, chosen_path, existing_path
from mbc.cli.table import print_rows

if TYPE_CHECKING:
    from mbc.agent.memory import KnowledgeBase
    from mbc.agent.records import Outcome


def add_to(commands: Commands) -> None:
    parser = add_command(commands, "kb", "Look into the knowledge base.", execute)
    actions = parser.add_subparsers(
        title="actions", metavar="ACTION", required=True, parser_class=Parser
    )
    _add(actions, "best", "The best pipeline of each kernel.", reading(print_best))
    _add(actions, "ls", "What was tried on each kernel.", reading(print_overview))
    show = _add(
        actions, "show", "One outcome and what led to it.", reading(print_trajectory)
    )
    show.add_argument("id", help="the start of an outcome's id, as `best` prints it")
    export = _add(
        actions, "export", "All outcomes as JSON lines.", reading(export_file)
    )
    export.add_argument("file", type=Path, metavar="FILE.jsonl")
    merge = _add(actions, "import", "Add outcomes of a file.", import_file)
    merge.add_argument("file", type=Path, metavar="FILE.jsonl")


Action = Callable[["KnowledgeBase", argparse.Namespace], None]


def _add(actions: Commands, name: str, help: str, action: Execute) -> Parser:
    parser = add_command(actions, name, help, execute)
    parser.set_defaults(action=action)
    parser.add_argument("--target", default="", metavar="NAME")
    add_knowledge(parser)
    return parser


def execute(arguments: argparse.Namespace) -> int:
    return arguments.action(arguments)


def reading(action: Action) -> Execute:
    """Runs `action` on a knowledge base that is there."""

    def execute(arguments: argparse.Namespace) -> int:
        from mbc.agent.memory import KnowledgeBase

        with KnowledgeBase(existing_path(arguments.kb)) as knowledge:
            action(knowledge, arguments)
        return OK

    return execute


def print_best(knowledge: KnowledgeBase, arguments: argparse.Namespace) -> None:
    rows = knowledge.best_of_each(arguments.target)
    print_rows(
        ("target", "family", "shape", "speedup", "value", "pipeline", "id"),
        (
            (
                row["target_name"],
                row["family"],
                row["shape_class"],
                _ratio(row["log_default"]),
                f"{row['value']:,.0f} {row['unit']}",
                row["pipeline"],
                row["id"][:10],
            )
            for row in rows
        ),
    )


def print_overview(knowledge: KnowledgeBase, arguments: argparse.Namespace) -> None:
    rows = [
        row
        for row in knowledge.overview()
        if arguments.target in ("", row["target_name"])
    ]
    print_rows(
        ("target", "family", "shape", "outcomes", "improved", "speedup", "last"),
        (
            (
                row["target_name"],
                row["family"],
                row["shape_class"],
                str(row["outcomes"]),
                str(row["improved"]),
                _ratio(row["log_default"]),
                row["last"][:16],
            )
            for row in rows
        ),
    )
    _print_means(rows)


def _print_means(rows: Sequence[Mapping[str, Any]]) -> None:
    """One for each device: numbers of two devices have no common mean."""
    from mbc.runtime.aggregate import Gain, aggregate
    from mbc.runtime.outcome import NotMeasured
    from mbc.runtime.statistics import GAMMA

    devices = dict.fromkeys((row["target_name"], row["device"]) for row in rows)
    for target, device in devices:
        own = [r for r in rows if (r["target_name"], r["device"]) == (target, device)]
        logs = [row["log_default"] or 0.0 for row in own]
        mean = aggregate([Gain(log, log >= math.log(GAMMA)) for log in logs])
        if not isinstance(mean, NotMeasured):
            print(f"{target}, {device}: {mean.text()}")


def print_trajectory(knowledge: KnowledgeBase, arguments: argparse.Namespace) -> None:
    for outcome in knowledge.show(arguments.id):
        print(_described(outcome))


def export_file(knowledge: KnowledgeBase, arguments: argparse.Namespace) -> None:
    from mbc.agent.exchange import export_lines

    count = export_lines(knowledge, arguments.file)
    print(f"wrote {count} outcomes to {arguments.file}")


def import_file(arguments: argparse.Namespace) -> int:
    from mbc.agent.exchange import read_outcomes
    from mbc.agent.memory import KnowledgeBase

    # First, so that a mistyped file leaves no knowledge base behind.
    outcomes = read_outcomes(arguments.file)
    with KnowledgeBase(chosen_path(arguments.kb)) as knowledge:
        count = knowledge.merge(outcomes)
    print(f"added {count} new outcomes from {arguments.file}")
    return OK


def _described(outcome: Outcome) -> str:
    from mbc.runtime.outcome import NotMeasured

    match outcome.result:
        case NotMeasured(reason):
            result = f"not measured: {reason}"
        case timed:
            result = (
                f"{timed.value:,.0f} {timed.unit} ({timed.fidelity.name.lower()}), "
                f"{_ratio(timed.log_default)} against the default"
            )
    kernel = outcome.kernel
    lines = (
        f"{outcome.id[:10]}  {outcome.verdict}  {outcome.created}",
        f"  kernel    {outcome.label}, {kernel.family} {kernel.shape_class}",
        f"  target    {outcome.target.name}: {outcome.target.device}",
        f"  action    {outcome.action.id or 'the default schedule'}",
        f"  pipeline  {outcome.pipeline}",
        f"  result    {result}",
    )
    return "\n".join(lines)


def _ratio(log: float | None) -> str:
    return "-" if log is None else f"{math.exp(log):.2f}x"
