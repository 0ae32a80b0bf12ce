"""Killing a search at any moment: what is remembered is whole, and it can go on."""

from __future__ import annotations

import os
import signal
import sqlite3
from contextlib import closing
from multiprocessing import get_context
from pathlib import Path
from random import Random
from threading import Timer

from mbc.agent.loop import Budget, Progress, optimize_kernel
from mbc.agent.memory import KnowledgeBase
from mbc.agent.policies import make_policy
from tests.agent.toy import Toy, kernel

MOMENTS = 16
LONGEST = 0.2
"""Seconds until a kill, from the start or the first outcome; one takes about 10 ms."""
SIZES = (64, 128)


def _kill_within(seconds: float) -> None:
    """At whatever instruction the process is then."""
    timer = Timer(seconds, os.kill, (os.getpid(), signal.SIGKILL))
    timer.daemon = True
    timer.start()


def _search(path: str, seed: int, seconds: float) -> None:
    """Every fourth one is killed at any moment, the others after an outcome, too."""
    early = seed % 4 == 0
    if early:
        _kill_within(seconds)
    armed = [early]

    def arm(_: Progress) -> None:
        if not armed[0]:
            armed[0] = True
            _kill_within(seconds)

    with KnowledgeBase(path) as knowledge:
        for size in SIZES:
            toy, policy = Toy(kernel("killed", size)), make_policy("heuristic")
            budget = Budget(measurements=400)
            optimize_kernel(toy, policy, knowledge, budget, seed, arm)


def stored_ids(path: str) -> list[str]:
    """As the file has them; a record makes its id from its content."""
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        return [row[0] for row in connection.execute("SELECT id FROM outcome")]


def check_whole(path: str) -> int:
    """How many outcomes there are; each is all there, with its parent."""
    with KnowledgeBase(path) as knowledge:
        outcomes = knowledge.outcomes()
        ids = stored_ids(path)
        assert sorted(outcome.id for outcome in outcomes) == sorted(ids)
        known = set(ids)
        assert all(o.parent in known for o in outcomes if o.parent)
    return len(outcomes)


def check_counted(path: str) -> None:
    """Statistics were written with the outcomes that they count."""
    with KnowledgeBase(path) as knowledge:
        counted = knowledge.statistics()
        knowledge.rebuild()
        assert knowledge.statistics() == counted


def test_a_search_killed_at_any_moment_goes_on(tmp_path: Path) -> None:
    path, rng = str(tmp_path / "kb.db"), Random(20)
    context = get_context("fork")
    count = 0
    for moment in range(MOMENTS):
        seconds = rng.uniform(0, LONGEST)
        search = context.Process(target=_search, args=(path, moment, seconds))
        search.start()
        search.join()
        assert search.exitcode == -signal.SIGKILL, "it ended by itself"
        before, count = count, check_whole(path)
        assert count >= before + (moment % 4 > 0)
    check_counted(path)
    toy = Toy(kernel("killed", SIZES[0]))
    with KnowledgeBase(path) as knowledge:
        before = {o.pipeline for o in knowledge.known(toy.kernel, toy.target)}
        resumed = optimize_kernel(
            toy, make_policy("heuristic"), knowledge, Budget(measurements=5)
        )
    assert resumed.recalled == len(before) > 0
    assert not before & set(toy.evaluated)
