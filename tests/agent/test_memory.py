"""The knowledge base: append-only, recomputable, mergeable, shared, hard to break."""

from __future__ import annotations

import math
import sqlite3
from collections.abc import Iterable
from dataclasses import replace
from multiprocessing import get_context
from pathlib import Path
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mbc.agent.evaluation import refutation
from mbc.agent.exchange import export_lines, import_lines
from mbc.agent.frontier import Frontier
from mbc.agent.memory import KnowledgeBase
from mbc.agent.records import GATE_VERSION, ActionText, Outcome, TargetIdentity
from mbc.agent.rules import Rule
from mbc.errors import InvalidInput
from mbc.runtime.gates.report import GateResult, Passed, Rejected, Report, Skipped
from tests.agent.samples import (
    KERNEL,
    PROVEN,
    STATE,
    TARGET,
    failure,
    outcome,
    timed,
)

VARIED = [
    outcome(0, 0.5),
    outcome(1, -0.2),
    failure(2, "compile_fail"),
    failure(3, "refused"),
    replace(outcome(4, 0.3), action=ActionText("set-vector{width=8}")),
    replace(outcome(5, 0.1), target=TargetIdentity("cuda", "simt", "H200", "nvrtc")),
    replace(outcome(6, 0.2), kernel=replace(KERNEL, family="map", fingerprint="d")),
    replace(outcome(7, 0.7), state_before="compute", parent=outcome(0, 0.5).id),
    failure(8, "blocked"),
]


def holding(outcomes: Iterable[Outcome]) -> KnowledgeBase:
    knowledge = KnowledgeBase(":memory:")
    for one in outcomes:
        knowledge.append(one)
    return knowledge


def test_outcomes_read_back_as_written() -> None:
    assert holding(VARIED).outcomes() == VARIED


def test_an_outcome_is_kept_once() -> None:
    knowledge = holding([outcome(), outcome()])
    assert knowledge.outcomes() == [outcome()]
    assert {row["n"] for row in knowledge.statistics()} == {1}


def test_rebuild_equals_incremental() -> None:
    knowledge = holding(VARIED)
    incremental = knowledge.statistics()
    knowledge.rebuild()
    assert incremental
    assert knowledge.statistics() == incremental


def test_one_outcome_changes_exactly_its_statistics() -> None:
    knowledge = holding(VARIED)
    before = knowledge.statistics()
    new = outcome(9, 0.4)
    knowledge.append(new)
    changed = [row for row in knowledge.statistics() if row not in before]
    keys = {(row["state"], row["scope_key"]) for row in changed}
    levels = (STATE, STATE.rsplit("/", 1)[0], "memory")
    scopes = ("contract|rvv", "rvv", "simd", "")
    assert {row["action"] for row in changed} == {new.action.id}
    assert keys == {(state, scope) for state in levels for scope in scopes}
    assert len(changed) == 12


def test_half_and_then_twice_as_fast_average_to_no_change() -> None:
    halves = holding([outcome(0, math.log(0.5)), outcome(1, math.log(2.0))])
    means = {row["mean_log"] for row in halves.statistics()}
    assert all(math.exp(mean) == pytest.approx(1.0) for mean in means)


def test_blocked_and_default_count_nowhere() -> None:
    default = replace(outcome(1), action=ActionText(""))
    assert holding([failure(0, "blocked"), default]).statistics() == []


def test_policies_do_not_read_what_weaker_gates_let_through() -> None:
    old = replace(outcome(0, 0.9), gate_version=GATE_VERSION - 1)
    knowledge = holding([old])
    assert knowledge.outcomes() == [old]
    assert knowledge.known(KERNEL, TARGET) == []
    assert knowledge.best(KERNEL, TARGET) is None
    assert knowledge.evidence(STATE, KERNEL, TARGET) == {}
    assert knowledge.best_of_each() == []
    assert [row["log_default"] for row in knowledge.overview()] == [None]


def report_of(*results: GateResult) -> str:
    return Report("k0", "rvv", "model v1", "limits", results).to_json()


UNPROVEN = {
    "nothing": "{}",
    "no JSON": "accepted",
    "no object": "[1]",
    "another list": '{"gates": [1, "G6", null]}',
    "no hidden cases": report_of(Passed("G2", 9, 0.1)),
    "hidden cases skipped": report_of(Passed("G2", 9, 0.1), Skipped("G6", "no tool")),
    "only hidden cases": report_of(Passed("G6", 9, 0.1)),
    "rejected": report_of(
        Passed("G2", 9, 0.1), Rejected("G6", "bound", "verify_fail", "out of bounds")
    ),
    "no checks": PROVEN.replace('"checks": 50', '"checks": 0'),
}


@pytest.mark.parametrize("claim", UNPROVEN)
def test_nothing_is_the_best_without_the_gates_word(claim: str, tmp_path: Path) -> None:
    """Whoever wrote the file: here, another machine's export."""
    bold = replace(outcome(0, 2.0), gate_report=UNPROVEN[claim])
    assert not bold.accepted
    lines = tmp_path / "outcomes.jsonl"
    export_lines(holding([bold, outcome(1, 0.2)]), lines)
    knowledge = KnowledgeBase(":memory:")
    assert import_lines(knowledge, lines) == 2
    assert knowledge.best(KERNEL, TARGET) == outcome(1, 0.2)
    assert [row["id"] for row in knowledge.best_of_each()] == [outcome(1, 0.2).id]
    assert [row["log_default"] for row in knowledge.overview()] == [0.2]
    frontier = Frontier(outcome().pipeline, "k0")
    frontier.add(bold)
    assert frontier.best is None


def test_what_a_later_gate_refutes_is_no_longer_the_best() -> None:
    good, better = outcome(0, 0.2), outcome(1, 0.9)
    rejection = Rejected("G3", "bound", "verify_fail", "the model is out of bounds")
    report = Report("model", "rvv", "model v1", "limits", (rejection,))
    refuted = refutation(better, "later", report)
    assert refuted.verdict == "verify_fail"
    for order in ([good, better, refuted], [refuted, better, good]):
        knowledge = KnowledgeBase(":memory:")
        knowledge.merge(order)
        assert knowledge.best(KERNEL, TARGET) == good
        assert [row["id"] for row in knowledge.best_of_each()] == [good.id]
    frontier = Frontier(good.pipeline, "k0")
    for one in (good, better, refuted):
        frontier.add(one)
    assert frontier.best == good
    assert better not in list(frontier.parents(Random(0)))


def test_a_file_of_the_first_version_gets_the_new_views(tmp_path: Path) -> None:
    path = tmp_path / "kb.db"
    bold = replace(outcome(0, 2.0), gate_report="{}")
    with KnowledgeBase(path) as knowledge:
        knowledge.append(bold)
    with sqlite3.connect(path) as connection:
        connection.executescript(
            "PRAGMA user_version = 1; DROP VIEW best; DROP VIEW accepted;"
            "CREATE VIEW accepted AS SELECT * FROM outcomes WHERE verdict = 'improved';"
            "CREATE VIEW best AS SELECT *, max(log_default) FROM accepted;"
        )
    with KnowledgeBase(path) as knowledge:
        assert knowledge.outcomes() == [bold]
        assert knowledge.best_of_each() == []


def test_evidence_is_strongest_where_it_was_found() -> None:
    knowledge = holding([outcome(0, 0.5)])
    action = outcome().action.id
    other_family = replace(KERNEL, family="map")
    gpu = TargetIdentity("opencl", "simt", "gpu", "icd")
    weights = [
        knowledge.evidence(STATE, kernel, target)[action].weight
        for kernel, target in ((KERNEL, TARGET), (other_family, TARGET), (KERNEL, gpu))
    ]
    assert weights == sorted(weights, reverse=True)
    assert len(set(weights)) == 3


def test_unknown_state_inherits_from_its_parents() -> None:
    knowledge = holding([outcome(0, 0.5)])
    near = STATE.rsplit("/", 1)[0] + "/ai_ratio-3"
    found = knowledge.evidence(near, KERNEL, TARGET)[outcome().action.id]
    assert 0 < found.weight < 3
    assert found.weighted_sum / found.weight == pytest.approx(0.5)


def test_best_is_accepted_and_beats_the_default_beyond_doubt() -> None:
    doubtful = replace(outcome(2), result=replace(timed(0.9), low_default=0.01))
    knowledge = holding([outcome(0, 0.4), outcome(1, 0.2), doubtful, outcome(3, -1.0)])
    assert knowledge.best(KERNEL, TARGET) == outcome(0, 0.4)
    assert [row["id"] for row in knowledge.best_of_each("rvv")] == [outcome(0, 0.4).id]
    assert knowledge.best_of_each("cuda") == []


@pytest.mark.parametrize("number", [0.0, -1.0, math.inf, math.nan])
def test_no_number_stands_for_not_measured(number: float) -> None:
    with pytest.raises(ValueError, match="is no measurement"):
        replace(timed(0.1), value=number)


def test_overview_show_and_runs() -> None:
    knowledge = holding(VARIED)
    assert sum(row["outcomes"] for row in knowledge.overview()) == len(VARIED)
    child = VARIED[7]
    assert knowledge.show(child.id[:12]) == [VARIED[0], child]
    assert knowledge.outcomes(run="other") == []
    with pytest.raises(InvalidInput, match="no outcome in :memory: with id zz"):
        knowledge.show("zz")


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE outcome SET log_speedup = 9",
        "DELETE FROM outcome",
    ],
)
def test_outcome_is_append_only(tmp_path: Path, statement: str) -> None:
    path = tmp_path / "kb.db"
    with KnowledgeBase(path) as knowledge:
        knowledge.append(outcome())
    with pytest.raises(sqlite3.IntegrityError, match="append-only"):
        sqlite3.connect(path).execute(statement)


def test_replacing_an_outcome_changes_nothing(tmp_path: Path) -> None:
    path = tmp_path / "kb.db"
    with KnowledgeBase(path) as knowledge:
        knowledge.append(outcome())
        with sqlite3.connect(path) as connection:
            connection.execute(
                "REPLACE INTO outcome SELECT * FROM outcome WHERE id = ?",
                (outcome().id,),
            )
        assert knowledge.outcomes() == [outcome()]


def _write(path: str, writer: int) -> None:
    with KnowledgeBase(path) as knowledge:
        for number in range(200):
            knowledge.append(outcome(1000 * writer + number))


def test_six_writers_lose_nothing(tmp_path: Path) -> None:
    path = str(tmp_path / "kb.db")
    context = get_context("fork")
    writers = [context.Process(target=_write, args=(path, n)) for n in range(6)]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join()
    assert [writer.exitcode for writer in writers] == [0] * 6
    with KnowledgeBase(path) as knowledge:
        assert len(knowledge.outcomes()) == 1200
        assert {row["n"] for row in knowledge.statistics()} == {1200}


subsets = st.lists(st.sampled_from(VARIED), unique=True)


def content(knowledge: KnowledgeBase) -> object:
    return knowledge.outcomes(), knowledge.statistics()


def merged(*parts: list[Outcome]) -> KnowledgeBase:
    knowledge = KnowledgeBase(":memory:")
    for part in parts:
        knowledge.merge(holding(part).outcomes())
    return knowledge


@settings(max_examples=15, deadline=None)
@given(subsets, subsets, subsets)
def test_merge_laws(a: list[Outcome], b: list[Outcome], c: list[Outcome]) -> None:
    together = content(merged(a, b, c))
    assert content(merged(c, b, a)) == together
    assert content(merged(a, b, c, a, c)) == together
    assert content(merged(merged(a, b).outcomes(), c)) == together
    assert content(merged(a, merged(b, c).outcomes())) == together


def test_export_and_import(tmp_path: Path) -> None:
    lines = tmp_path / "outcomes.jsonl"
    source, copy = holding(VARIED), KnowledgeBase(":memory:")
    assert export_lines(source, lines) == len(VARIED)
    assert import_lines(copy, lines) == len(VARIED)
    assert import_lines(copy, lines) == 0
    assert content(copy) == content(source)


@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        (lambda text: text.replace('"log_speedup": 0.5', '"log_speedup": 5.0'), "id"),
        (lambda text: text + "{\n", "this line is no outcome"),
        (lambda text: text + "{}\n", "this line is no outcome"),
        (lambda text: text + "[]\n", "this line is no outcome"),
    ],
)
def test_a_bad_line_imports_nothing(tmp_path: Path, spoil, message: str) -> None:
    lines = tmp_path / "outcomes.jsonl"
    export_lines(holding(VARIED), lines)
    lines.write_text(spoil(lines.read_text()))
    knowledge = KnowledgeBase(":memory:")
    with pytest.raises(InvalidInput, match=message) as caught:
        import_lines(knowledge, lines)
    assert caught.value.location is not None
    assert knowledge.outcomes() == []


def test_importing_what_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="cannot read outcomes from"):
        import_lines(KnowledgeBase(":memory:"), tmp_path / "none.jsonl")


def _other_program(path: Path) -> None:
    sqlite3.connect(path).execute("CREATE TABLE song (title)")


def _newer(path: Path) -> None:
    KnowledgeBase(path).close()
    sqlite3.connect(path).execute("PRAGMA user_version = 99")


def _damaged(path: Path) -> None:
    with KnowledgeBase(path) as knowledge:
        knowledge.merge(outcome(n) for n in range(50))
    data = bytearray(path.read_bytes())
    data[8192:20480] = b"\xff" * 12288
    path.write_bytes(data)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (
            lambda path: path.write_text("not a database, but long enough" * 99),
            "is not",
        ),
        (_other_program, "not a knowledge base of mbc"),
        (_newer, "has version 99, newer than this mbc"),
        (_damaged, "malformed|damaged"),
        (lambda path: path.mkdir(), "unable to open"),
    ],
)
def test_a_bad_file_is_one_sentence_and_stays_as_it_is(
    tmp_path: Path, make, message: str
) -> None:
    path = tmp_path / "kb.db"
    make(path)
    before = path.read_bytes() if path.is_file() else b""
    with pytest.raises(InvalidInput, match=message) as caught:
        KnowledgeBase(path)
    assert str(path) in caught.value.message
    assert "\n" not in caught.value.message
    assert (path.read_bytes() if path.is_file() else b"") == before


def test_rules_for_a_target_are_read_when_active() -> None:
    knowledge = KnowledgeBase(":memory:")
    rule = Rule("set-tile", "simd", "lane_util < 0.5", "tails waste lanes", ("x",))
    knowledge.add_rule(rule)
    assert knowledge.rules(TARGET) == ()
    active = replace(rule, status="active")
    knowledge.add_rule(active)
    assert knowledge.rules(TARGET) == (active,)
    assert knowledge.rules(TargetIdentity("cuda", "simt", "gpu", "nvrtc")) == ()


def test_a_rule_that_cannot_be_checked_is_refused() -> None:
    with pytest.raises(InvalidInput, match="cannot read 'is slow'"):
        KnowledgeBase(":memory:").add_rule(Rule("*", "*", "is slow", "?"))
