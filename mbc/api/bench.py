"""Which problems of a benchmark import, with their time and memory.

Each is imported as written, in training mode, without the memory of its weights, and
counts as imported where its IR verifies and its text reads back to the same text.
"""

from __future__ import annotations

import json
import time
import warnings
from collections.abc import Callable, Generator, Iterable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Literal

from mbc.errors import InvalidInput, MbcError
from mbc.frontend.kernelbench.problems import Problem
from mbc.ir.text import parse_module, print_module
from mbc.runtime.separate import Died, Returned, call_each

Status = Literal["imported", "failed"]

PRELOAD = ("mbc.frontend.kernelbench.warm", "mbc.frontend.kernelbench.weightless")
LIMIT = 600.0
"""Seconds after which a problem is given up."""


@dataclass(frozen=True)
class Imported:
    """What one process found about one problem; `reason` says why it failed."""

    status: Status
    reason: str
    ops: int
    warnings: tuple[str, ...]
    seconds: float


@dataclass(frozen=True)
class Row:
    """One problem. `seconds` are processor seconds, which other work on the machine
    does not change, from the file to verified IR that was read back; `megabytes` is
    the most memory that the process had, PyTorch included."""

    problem: str
    name: str
    action: str
    status: str
    reason: str
    ops: int
    warnings: tuple[str, ...]
    seconds: float
    megabytes: float

    @property
    def level(self) -> int:
        return int(self.problem.partition("_")[0])


Action = Callable[[Problem], Imported]


def import_problem(problem: Problem) -> Imported:
    """In the process that calls; a failure is a value."""
    start = time.process_time()
    try:
        ops, notes = _import(problem.path)
    except MbcError as error:
        reason = " ".join(error.message.split())
        return Imported("failed", reason, 0, (), time.process_time() - start)
    return Imported("imported", "", ops, notes, time.process_time() - start)


def _import(path: Path) -> tuple[int, tuple[str, ...]]:
    # torch is loaded where models are built.
    from mbc.frontend.kernelbench.weightless import build_without_memory
    from mbc.frontend.model_file import open_model_file
    from mbc.frontend.torch_export import import_model

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        loaded = build_without_memory(open_model_file(path))
        imported = import_model(loaded.model, loaded.inputs)
    text = print_module(imported.module)
    if print_module(parse_module(text, path.name)) != text:
        raise InvalidInput("its text does not read back to the same text")
    (function,) = imported.module.body.block.ops
    ops = len(list(function.regions[0].block.ops)) - 1
    return ops, tuple(imported.warnings)


def run_problems(
    problems: Iterable[Problem], action: Action, jobs: int
) -> Generator[Row]:
    """One row per problem as they end, each from a process of its own."""
    for problem, ended in call_each(action, problems, jobs, LIMIT, PRELOAD):
        yield _row(problem, action.__name__, ended)


def _row(problem: Problem, action: str, ended: Returned[Imported] | Died) -> Row:
    name = problem.path.stem.partition("_")[2]
    match ended:
        case Died(reason):
            found, peak = Imported("failed", reason, 0, (), 0.0), 0
        case Returned(found, peak):
            pass
    return Row(
        problem.id,
        name,
        action,
        found.status,
        found.reason,
        found.ops,
        found.warnings,
        round(found.seconds, 3),
        round(peak / 2**20, 1),
    )


def read_rows(path: Path, action: Action) -> list[Row]:
    """Rows of an earlier run that did not fail; none where the file is not there.

    A line that an interrupted run left half written is not read.
    """
    if not path.exists():
        return []
    rows: list[Row] = []
    for line in path.read_text(encoding="utf-8").splitlines():
        try:
            row = Row(**json.loads(line))
        except (ValueError, TypeError):
            continue
        if row.action == action.__name__ and row.status != "failed":
            rows.append(row)
    return list({row.problem: row for row in rows}.values())


def append_row(path: Path, row: Row) -> None:
    with path.open("a", encoding="utf-8") as file:
        file.write(json.dumps(asdict(row)) + "\n")


def totals(rows: Sequence[Row]) -> list[str]:
    """One line per level, then what all of them took."""
    lines = [_level(level, rows) for level in sorted({row.level for row in rows})]
    done = [row for row in rows if row.status != "failed"]
    if done:
        slowest = max(done, key=lambda row: row.seconds)
        largest = max(done, key=lambda row: row.megabytes)
        seconds = _median([row.seconds for row in done])
        megabytes = _median([row.megabytes for row in done])
        lines.append(
            f"time: median {seconds:.2f} s, most {slowest.seconds:.1f} s "
            f"({slowest.problem}); memory: median {megabytes:.0f} MB, "
            f"most {largest.megabytes:.0f} MB ({largest.problem})"
        )
    return lines


def _level(level: int, rows: Sequence[Row]) -> str:
    own = [row.status for row in rows if row.level == level]
    return f"level {level}: {len(own) - own.count('failed')} of {len(own)} imported"


def _median(values: Sequence[float]) -> float:
    return sorted(values)[len(values) // 2]
