"""The knowledge base: the only code that reads or writes it.

`append` adds an outcome and updates the statistics it touches in one transaction.
`rebuild` recomputes all statistics from the outcomes; merging two knowledge bases is
the union of their outcomes, then `rebuild`. Where order could matter, outcomes are read
by creation and id, so that the result does not depend on who wrote first.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Self
from uuid import uuid4

from mbc.agent.database import Row, Store, described, open_database, transaction
from mbc.agent.records import (
    DEFAULT_ACTION,
    GATE_VERSION,
    KernelIdentity,
    Outcome,
    TargetIdentity,
    Timed,
)
from mbc.agent.rows import action_row, kernel_row, outcome_of, outcome_row
from mbc.agent.rows import target_row as target_columns
from mbc.agent.rules import Rule, parse
from mbc.agent.state import levels
from mbc.agent.statistics import Evidence, Moments, pool, scope_keys
from mbc.errors import InvalidInput

_STAT_KEY = ("state", "action", "scope", "scope_key", "gate_version")
_IN_ORDER = "ORDER BY created, id"


def now() -> str:
    return datetime.now(UTC).isoformat(timespec="microseconds")


class KnowledgeBase:
    """One file, created if missing; `:memory:` keeps nothing."""

    def __init__(self, path: str | Path):
        self.path = str(path)
        self._database = open_database(self.path)

    def close(self) -> None:
        self._database.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # Writing

    def append(self, outcome: Outcome) -> None:
        """Keep an outcome, once, and update exactly the statistics it touches."""
        with described(self.path), transaction(self._database):
            if _insert_outcome(self._database, outcome):
                _count(self._database, outcome)

    def merge(self, outcomes: Iterable[Outcome]) -> int:
        """Union by content id; returns how many were new."""
        with described(self.path), transaction(self._database):
            new = sum(_insert_outcome(self._database, one) for one in outcomes)
            if new:
                self._recount()
        return new

    def rebuild(self) -> None:
        """Recompute every statistic from the outcomes."""
        with described(self.path), transaction(self._database):
            self._recount()

    def add_rule(self, rule: Rule) -> None:
        """Keep a rule, or change the status and evidence of the one already kept."""
        parse(rule.predicate)
        row = {**asdict(rule), "id": rule.id, "evidence": json.dumps(rule.evidence)}
        with described(self.path), transaction(self._database):
            _insert(self._database, "rule", row, "REPLACE")

    def begin_run(
        self, kernel: KernelIdentity, target: TargetIdentity, **facts: Any
    ) -> str:
        """Note that a search starts (`policy`, `seed`, `budget`); returns its id."""
        run = uuid4().hex
        row = {"id": run, "kernel": kernel.id, "target": target.id, "started": now()}
        with described(self.path), transaction(self._database):
            _insert(self._database, "run", {**row, **facts}, "ABORT")
        return run

    def end_run(self, run: str, stopped: str) -> None:
        with described(self.path), transaction(self._database):
            self._database.conn.execute(
                "UPDATE run SET finished = ?, stopped = ? WHERE id = ?",
                (now(), stopped, run),
            )

    # Reading: for policies, by current gates only

    def known(self, kernel: KernelIdentity, target: TargetIdentity) -> list[Outcome]:
        """What was tried on this kernel, device and toolchain: need not be redone."""
        return self._select(
            "fingerprint = ? AND target_name = ? AND device = ? AND toolchain = ?"
            " AND gate_version >= ?",
            kernel.fingerprint,
            target.name,
            target.device,
            target.toolchain,
            GATE_VERSION,
        )

    def best(self, kernel: KernelIdentity, target: TargetIdentity) -> Outcome | None:
        """The best accepted outcome on this device, by whatever toolchain."""
        found = self._select(
            "fingerprint = ? AND target_name = ? AND device = ? AND gate_version >= ?",
            kernel.fingerprint,
            target.name,
            target.device,
            GATE_VERSION,
        )
        fails = [outcome for outcome in found if outcome.verdict == "verify_fail"]
        accepted = (outcome for outcome in found if outcome.accepted)
        stands = (o for o in accepted if not any(fail.refutes(o) for fail in fails))
        return max(stands, key=_rank, default=None)

    def evidence(
        self, signature: str, kernel: KernelIdentity, target: TargetIdentity
    ) -> dict[str, Evidence]:
        """By action id: all that is known of acting in this state."""
        states = levels(signature)
        scopes = dict(scope_keys(kernel, target))
        rows = self._rows(
            f"SELECT * FROM stat WHERE state IN ({_marks(len(states))})"
            " AND gate_version >= ? ORDER BY action, state, scope, gate_version",
            *states,
            GATE_VERSION,
        )
        near = [row for row in rows if scopes[row["scope"]] == row["scope_key"]]
        actions = dict.fromkeys(row["action"] for row in near)
        return {
            action: pool(
                (row["scope"], states.index(row["state"]), _moments(row))
                for row in near
                if row["action"] == action
            )
            for action in actions
        }

    def rules(self, target: TargetIdentity) -> tuple[Rule, ...]:
        """The active ones for this target."""
        rows = self._rows(
            "SELECT * FROM rule WHERE status = 'active' AND target IN ('*', ?, ?)"
            " ORDER BY id",
            target.name,
            target.target_class,
        )
        return tuple(_rule_of(row) for row in rows)

    # Reading: for people

    def outcomes(self, run: str = "") -> list[Outcome]:
        """Of one run, or all."""
        return self._select("run_id = ?", run) if run else self._select("1")

    def statistics(self) -> list[Row]:
        return list(self._rows(f"SELECT * FROM stat ORDER BY {', '.join(_STAT_KEY)}"))

    def overview(self) -> list[Row]:
        """One row per kernel and target: how much was tried, how much came of it."""
        return list(
            self._rows(
                "SELECT family, shape_class, dtypes, target_name, device,"
                " count(*) AS outcomes, sum(verdict = 'improved') AS improved,"
                " max(CASE WHEN gate_version >= ? AND id IN (SELECT id FROM accepted)"
                " THEN log_default END) AS log_default, max(created) AS last"
                " FROM outcomes GROUP BY fingerprint, target ORDER BY last DESC",
                GATE_VERSION,
            )
        )

    def best_of_each(self, target: str = "") -> list[Row]:
        """The view `best`, for one target's name or all, by current gates only."""
        return list(
            self._rows(
                "SELECT * FROM best WHERE ? IN ('', target_name) AND gate_version >= ?"
                " ORDER BY target_name, family, log_default DESC",
                target,
                GATE_VERSION,
            )
        )

    def show(self, prefix: str) -> list[Outcome]:
        """An outcome, found by the start of its id, and its ancestors, oldest first."""
        found = self._select("substr(id, 1, ?) = ?", len(prefix), prefix)
        if len(found) != 1:
            count = f"{len(found)} outcomes" if found else "no outcome"
            raise InvalidInput(f"{count} in {self.path} with id {prefix}...")
        return self.trajectory(found[0])

    def trajectory(self, outcome: Outcome) -> list[Outcome]:
        """From the default schedule to `outcome`, as far as this file knows."""
        steps = [outcome]
        while steps[-1].parent:
            parents = self._select("id = ?", steps[-1].parent)
            if not parents:
                break
            steps += parents
        return steps[::-1]

    def _select(self, where: str, *values: str | int) -> list[Outcome]:
        sql = f"SELECT * FROM outcomes WHERE {where} {_IN_ORDER}"
        return [outcome_of(row) for row in self._rows(sql, *values)]

    def _rows(self, sql: str, *values: str | int) -> Iterator[Row]:
        with described(self.path):
            yield from self._database.query(sql, values)

    def _recount(self) -> None:
        self._database.conn.execute("DELETE FROM stat")
        for outcome in self._select("1"):
            _count(self._database, outcome)


def _count(database: Store, outcome: Outcome) -> None:
    """Add one outcome to its statistics: three levels of state at four scopes."""
    if outcome.action == DEFAULT_ACTION or outcome.verdict == "blocked":
        return
    for state in levels(outcome.state_before):
        for scope, key in scope_keys(outcome.kernel, outcome.target):
            values = state, outcome.action.id, scope, key, outcome.gate_version
            where = " AND ".join(f"{column} = ?" for column in _STAT_KEY)
            rows = database.query(f"SELECT * FROM stat WHERE {where}", values)
            moments = next((_moments(row) for row in rows), Moments())
            moments = moments.with_verdict(outcome.verdict)
            if isinstance(outcome.result, Timed):
                moments = moments.with_log(outcome.result.log_speedup)
            row = {**dict(zip(_STAT_KEY, values, strict=True)), **asdict(moments)}
            _insert(database, "stat", row, "REPLACE")


def _insert_outcome(database: Store, outcome: Outcome) -> bool:
    """Whether it was new."""
    kernel, target, action = outcome.kernel, outcome.target, outcome.action
    _insert(database, "kernel", {"id": kernel.id, **kernel_row(kernel)})
    _insert(database, "target", {"id": target.id, **target_columns(target)})
    _insert(database, "action", {"id": action.id, **action_row(action)})
    for signature in filter(None, (outcome.state_before, outcome.state_after)):
        _insert_state(database, signature)
    return _insert(database, "outcome", outcome_row(outcome)) == 1


def _insert_state(database: Store, signature: str) -> None:
    parent: str | None = None
    for level, state in enumerate(levels(signature)):
        _insert(database, "state", {"id": state, "level": level, "parent": parent})
        parent = state


def _insert(database: Store, table: str, row: Row, on_conflict: str = "IGNORE") -> int:
    columns = ", ".join(row)
    sql = f"INSERT OR {on_conflict} INTO {table} ({columns})"
    values = tuple(row.values())
    return database.conn.execute(f"{sql} VALUES ({_marks(len(row))})", values).rowcount


def _marks(count: int) -> str:
    return ", ".join("?" * count)


def _moments(row: Row) -> Moments:
    return Moments(**{k: v for k, v in row.items() if k not in _STAT_KEY})


def _rule_of(row: Row) -> Rule:
    fields = {k: v for k, v in row.items() if k not in ("id", "evidence")}
    return Rule(**fields, evidence=tuple(json.loads(row["evidence"])))


def _rank(outcome: Outcome) -> tuple[int, float, str]:
    assert isinstance(outcome.result, Timed)
    return outcome.result.fidelity, outcome.result.log_default, outcome.id
