"""Killing a search at any moment: what is remembered is whole, and it can go on."""

from __future__ import annotations

import sqlite3
import time
from contextlib import closing
from multiprocessing import get_context
from pathlib import Path
from random import Random

from mbc.agent.loop import Budget, optimize_kernel
from mbc.agent.memory import KnowledgeBase
from mbc.agent.policies import make_policy
from tests.agent.toy import Toy, kernel

MOMENTS = 16
LONGEST = 0.2
"""Seconds that a search lives; one outcome takes a few milliseconds."""
SIZES = (64, 128)


def _search(path: str, seed: int) -> None:
    with KnowledgeBase(path) as knowledge:
        for size in SIZES:
            toy, policy = Toy(kernel("killed", size)), make_policy("heuristic")
            optimize_kernel(toy, policy, knowledge, Budget(measurements=40), seed)


def stored_ids(path: str) -> list[str]:
    """As the file has them; a record makes its id from its content."""
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        return [row[0] for row in connection.execute("SELECT id FROM outcome")]


def check_whole(path: str) -> int:
    """How many outcomes there are; each is all there, and counted once."""
    with KnowledgeBase(path) as knowledge:
        outcomes = knowledge.outcomes()
        ids = stored_ids(path)
        assert sorted(outcome.id for outcome in outcomes) == sorted(ids)
        known = set(ids)
        assert all(o.parent in known for o in outcomes if o.parent)
        counted = knowledge.statistics()
        knowledge.rebuild()
        assert knowledge.statistics() == counted
    return len(outcomes)


def test_a_search_killed_at_any_moment_goes_on(tmp_path: Path) -> None:
    path, rng = str(tmp_path / "kb.db"), Random(20)
    context = get_context("fork")
    grown: list[int] = [0]
    for moment in range(MOMENTS):
        search = context.Process(target=_search, args=(path, moment))
        search.start()
        time.sleep(rng.uniform(0, LONGEST))
        search.kill()
        search.join()
        grown.append(check_whole(path))
        assert grown[-1] >= grown[-2]
    assert len(set(grown)) > MOMENTS / 2, "the kills came before there was anything"
    toy = Toy(kernel("killed", SIZES[0]))
    with KnowledgeBase(path) as knowledge:
        before = {o.pipeline for o in knowledge.known(toy.kernel, toy.target)}
        resumed = optimize_kernel(
            toy, make_policy("heuristic"), knowledge, Budget(measurements=5)
        )
    assert resumed.recalled == len(before) > 0
    assert not before & set(toy.evaluated)
