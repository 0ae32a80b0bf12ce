"""Which problems of a benchmark import, and which mean the same, with time and memory.

Each is imported as written, in training mode, without the memory of its weights, and
counts as imported where its IR verifies and its text reads back to the same text. At
reduced extents it may be executed, and is equal where PyTorch agrees; or emitted for a
target and run there, and is equal where `execute` agrees.
"""

from __future__ import annotations

import json
import logging
import time
import warnings
from collections import Counter
from collections.abc import Callable, Generator, Iterable, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from mbc.api.agreement import Differs, Equal, agreement, values_of
from mbc.api.cross_check import cross_check, missing_importer
from mbc.errors import InvalidInput, MbcError, ToolMissing
from mbc.frontend.kernelbench.problems import Problem
from mbc.ir.text import parse_module, print_module
from mbc.runtime.separate import Died, Returned, call_each

if TYPE_CHECKING:
    from mbc.frontend.imported import ImportedModel
    from mbc.frontend.model_file import LoadedModel

Status = Literal["imported", "equal", "failed", "differs"]
FAILURES = ("failed", "differs")
PRELOAD = ("mbc.frontend.kernelbench.warm", "mbc.frontend.untouched")
LIMIT = 600.0
"""Seconds after which a problem is given up."""


@dataclass(frozen=True)
class Imported:
    """What one process found about one problem.

    `reason` says why it failed; `share` is how much of an element's bound was used;
    `detail` is what a target made of it (`on_target.Checked`).
    """

    status: Status
    reason: str
    ops: int
    warnings: tuple[str, ...]
    seconds: float
    share: float = 0.0
    detail: dict[str, Any] = field(default_factory=dict[str, Any])


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
    detail: dict[str, Any] = field(default_factory=dict[str, Any])

    @property
    def level(self) -> int:
        return int(self.problem.partition("_")[0])


@dataclass(frozen=True)
class Task:
    """A problem, and the kernels that are known to be right, by key."""

    problem: Problem
    known: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Action:
    """What is done with every problem; `name` is its rows', `passed` a status."""

    name: str
    passed: Status
    run: Callable[[Task], Imported]


def import_problem(task: Task) -> Imported:
    """As written, in the process that calls; a failure is a value."""
    return _timed(_import_whole, task)


def execute_problem(task: Task) -> Imported:
    """At reduced extents: imported, executed and compared with PyTorch."""
    return _timed(_execute, task)


def run_problem(target: str, task: Task) -> Imported:
    """At reduced extents: emitted for `target`, run and compared with `execute`."""
    return _timed(partial(_run, target), task)


def cross_problem(task: Task) -> Imported:
    """At reduced extents: compared with what torch-mlir makes of the model."""
    return _timed(_cross, task)


IMPORT = Action("import_problem", "imported", import_problem)
EXECUTE = Action("execute_problem", "equal", execute_problem)
CROSS = Action("cross_problem", "equal", cross_problem)


def cross_action() -> Action:
    """`ToolMissing` where torch-mlir is not installed."""
    missing = missing_importer()
    if missing:
        raise ToolMissing(missing)
    return CROSS


def on_target_action(target: str) -> Action:
    """`ToolMissing` where programs of the target cannot run here."""
    from mbc.api.on_target import missing_tools

    missing = missing_tools(target)
    if missing:
        raise ToolMissing(f"target '{target}' cannot run here: {missing}")
    return Action(f"run_problem {target}", "equal", partial(run_problem, target))


def _timed(action: Callable[[Task], Imported], task: Task) -> Imported:
    # torch.export says much about models that are fine.
    logging.disable(logging.ERROR)
    warnings.simplefilter("ignore")
    start = time.process_time()
    try:
        found = action(task)
    except MbcError as error:
        found = Imported("failed", " ".join(error.message.split()), 0, (), 0.0)
    return replace(found, seconds=time.process_time() - start)


def _import_whole(task: Task) -> Imported:
    # torch is loaded where models are built.
    from mbc.frontend.model_file import ModelFile, run
    from mbc.frontend.untouched import make_untouched

    path = task.problem.path
    _, found = _import(make_untouched(ModelFile(path, run(path))))
    return found


def _execute(task: Task) -> Imported:
    from mbc.frontend.model_file import seeded

    with seeded():
        loaded = _at_scale(task.problem)
        imported, found = _import(loaded)
        match agreement(loaded.model, loaded.inputs, imported):
            case Differs(reason):
                return replace(found, status="differs", reason=reason)
            case Equal(given, wide):
                return replace(found, status="equal", share=max(given, wide))


def _cross(task: Task) -> Imported:
    from mbc.frontend.model_file import seeded

    with seeded():
        loaded = _at_scale(task.problem)
        loaded.model.eval()  # torch-mlir has no draws, and writes no statistics
        imported, found = _import(loaded)
        match cross_check(loaded.model, loaded.inputs, imported):
            case Differs(reason):
                return replace(found, status="differs", reason=reason)
            case Equal(share):
                return replace(found, status="equal", share=share)


def _run(target: str, task: Task) -> Imported:
    from mbc.api.on_target import Checked, Wrong, on_target
    from mbc.frontend.model_file import seeded

    with seeded():
        loaded = _at_scale(task.problem)
        imported, found = _import(loaded)
    values = values_of(imported, loaded.inputs)
    match on_target(imported.module, values, target).checked(task.known):
        case Wrong(reason, emitted):
            detail = {"emitted": asdict(emitted)}
            return replace(found, status="differs", reason=reason, detail=detail)
        case Checked(share=share) as checked:
            return replace(found, status="equal", share=share, detail=checked.detail)


def _at_scale(problem: Problem) -> LoadedModel:
    from mbc.frontend.kernelbench.scale import at_scale, scale_of
    from mbc.frontend.model_file import ModelFile, run

    change = at_scale(scale_of(problem.id))
    return ModelFile(problem.path, run(problem.path, change)).make()


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
    problems: Iterable[Problem],
    action: Action,
    jobs: int,
    seconds: float = LIMIT,
    known: Iterable[str] = (),
) -> Generator[Row]:
    """One row per problem as they end, each from a process of its own.

    `known` are keys of kernels that earlier rows found right.
    """
    right = {*known}
    tasks = (Task(problem, frozenset(right)) for problem in problems)
    for task, ended in call_each(action.run, tasks, jobs, seconds, PRELOAD):
        row = _row(task.problem, action.name, ended)
        right.update(right_kernels([row]))
        yield row


def right_kernels(rows: Iterable[Row]) -> set[str]:
    """Keys of the kernels that rows found right."""
    passed = (row for row in rows if row.status not in FAILURES)
    return {key for row in passed for key in row.detail.get("keys", ())}


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
        found.detail,
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
        if row.action == action.name and row.status not in FAILURES:
            rows.append(row)
    return list({row.problem: row for row in rows}.values())


def append_row(path: Path, row: Row) -> None:
    with path.open("a", encoding="utf-8") as file:
        file.write(json.dumps(asdict(row)) + "\n")


def totals(rows: Sequence[Row], action: Action) -> list[str]:
    """One line per level, then what all of them took, and how they were emitted."""
    levels = sorted({row.level for row in rows})
    lines = [_level(level, rows, action.passed) for level in levels]
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
    return [*lines, *emission_totals(rows)]


def emission_totals(rows: Sequence[Row]) -> list[str]:
    """What a target made of all problems; nothing where none was involved."""
    emitted = [(row, row.detail["emitted"]) for row in rows if "emitted" in row.detail]
    if not emitted:
        return []
    families: Counter[str] = Counter()
    fallbacks: Counter[str] = Counter()
    for _, one in emitted:
        families.update(one["families"])
        fallbacks.update(one["fallbacks"])
    whole = sum(bool(row.detail.get("whole")) for row, _ in emitted)
    alone = sum(len(row.detail.get("keys", ())) for row, _ in emitted)
    lines = [
        f"models run whole: {whole}; distinct kernels run alone: {alone}",
        "kernels: " + ", ".join(f"{n} {f}" for f, n in families.most_common()),
    ]
    lines += [f"plain loop nest: {ops} ({n})" for ops, n in fallbacks.most_common()]
    for word, key in (("float64 in", "wide"), ("too large alone:", "too_large")):
        lines += _places(word, key, emitted)
    return lines


def _places(
    word: str, key: str, emitted: Sequence[tuple[Row, dict[str, Any]]]
) -> list[str]:
    """A line for each kernel that is listed under `key`."""
    lists = [(row, {**one, **row.detail}.get(key, ())) for row, one in emitted]
    return [f"{word} {row.problem} {name}" for row, names in lists for name in names]


def _level(level: int, rows: Sequence[Row], word: str) -> str:
    own = [row for row in rows if row.level == level]
    passed = [row for row in own if row.status not in FAILURES]
    return f"level {level}: {len(passed)} of {len(own)} {word}"


def _median(values: Sequence[float]) -> float:
    return sorted(values)[len(values) // 2]
