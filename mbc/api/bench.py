"""Which problems of a benchmark import, and which mean the same, with time and memory.

Each is imported as written, in training mode, without the memory of its weights, and
counts as imported where its IR verifies and its text reads back to the same text. Then
it may be executed at reduced extents, and is equal where PyTorch agrees.
"""

from __future__ import annotations

import json
import logging
import time
import warnings
from collections.abc import Callable, Generator, Iterable, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from mbc.api.agreement import Differs, Equal, agreement
from mbc.errors import InvalidInput, MbcError
from mbc.frontend.kernelbench.problems import Problem
from mbc.ir.text import parse_module, print_module
from mbc.runtime.separate import Died, Returned, call_each

if TYPE_CHECKING:
    from mbc.frontend.imported import ImportedModel
    from mbc.frontend.model_file import LoadedModel

Status = Literal["imported", "equal", "failed", "differs"]
FAILURES = ("failed", "differs")
PASSED = {"import": "imported", "execute": "equal"}
"""By the first word of an action's name."""

PRELOAD = ("mbc.frontend.kernelbench.warm", "mbc.frontend.untouched")
LIMIT = 600.0
"""Seconds after which a problem is given up."""


@dataclass(frozen=True)
class Imported:
    """What one process found about one problem.

    `reason` says why it failed; `share` is how much of an element's bound was used.
    """

    status: Status
    reason: str
    ops: int
    warnings: tuple[str, ...]
    seconds: float
    share: float = 0.0


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
    share: float

    @property
    def level(self) -> int:
        return int(self.problem.partition("_")[0])


Action = Callable[[Problem], Imported]


def import_problem(problem: Problem) -> Imported:
    """As written, in the process that calls; a failure is a value."""
    return _timed(_import_whole, problem)


def execute_problem(problem: Problem) -> Imported:
    """At reduced extents: imported, executed and compared with PyTorch."""
    return _timed(_execute, problem)


def _timed(action: Action, problem: Problem) -> Imported:
    # torch.export says much about models that are fine.
    logging.disable(logging.ERROR)
    warnings.simplefilter("ignore")
    start = time.process_time()
    try:
        found = action(problem)
    except MbcError as error:
        found = Imported("failed", " ".join(error.message.split()), 0, (), 0.0)
    return replace(found, seconds=time.process_time() - start)


def _import_whole(problem: Problem) -> Imported:
    # torch is loaded where models are built.
    from mbc.frontend.model_file import ModelFile, run
    from mbc.frontend.untouched import make_untouched

    _, found = _import(make_untouched(ModelFile(problem.path, run(problem.path))))
    return found


def _execute(problem: Problem) -> Imported:
    from mbc.frontend.kernelbench.scale import at_scale, scale_of
    from mbc.frontend.model_file import ModelFile, run, seeded

    with seeded():
        change = at_scale(scale_of(problem.id))
        loaded = ModelFile(problem.path, run(problem.path, change)).make()
        imported, found = _import(loaded)
        match agreement(loaded.model, loaded.inputs, imported):
            case Differs(reason):
                return replace(found, status="differs", reason=reason)
            case Equal(given, wide):
                return replace(found, status="equal", share=max(given, wide))


def _import(loaded: LoadedModel) -> tuple[ImportedModel, Imported]:
    from mbc.frontend.torch_export import import_model

    imported = import_model(loaded.model, loaded.inputs)
    text = print_module(imported.module)
    if print_module(parse_module(text)) != text:
        raise InvalidInput("its text does not read back to the same text")
    (function,) = imported.module.body.block.ops
    ops = len(list(function.regions[0].block.ops)) - 1
    return imported, Imported("imported", "", ops, tuple(imported.warnings), 0.0)


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
        round(found.share, 4),
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
        if row.action == action.__name__ and row.status not in FAILURES:
            rows.append(row)
    return list({row.problem: row for row in rows}.values())


def append_row(path: Path, row: Row) -> None:
    with path.open("a", encoding="utf-8") as file:
        file.write(json.dumps(asdict(row)) + "\n")


def totals(rows: Sequence[Row]) -> list[str]:
    """One line per level, then what all of them took."""
    lines = [_level(level, rows) for level in sorted({row.level for row in rows})]
    done = [row for row in rows if row.status not in FAILURES]
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
    own = [row for row in rows if row.level == level]
    passed = [row for row in own if row.status not in FAILURES]
    word = (
        "equal" if any(row.action == "execute_problem" for row in own) else "imported"
    )
    return f"level {level}: {len(passed)} of {len(own)} {word}"


def _median(values: Sequence[float]) -> float:
    return sorted(values)[len(values) // 2]
