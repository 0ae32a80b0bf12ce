"""`mbc kb`: reading what was learned, sharing it, and files that are not usable."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from mbc.agent.memory import KnowledgeBase
from mbc.agent.records import TargetIdentity
from tests.agent.samples import failure, outcome
from tests.cli.conftest import Command

OPENCL = TargetIdentity("opencl", "simt", "PoCL", "pocl 6")


@pytest.fixture
def kb(here: Path) -> Path:
    """The default knowledge base, with outcomes on two targets."""
    path = here.parent / "kb.db"
    with KnowledgeBase(path) as knowledge:
        knowledge.append(outcome(0, 0.5))
        knowledge.append(failure(1, "compile_fail"))
        knowledge.append(replace(outcome(2, 0.2), target=OPENCL))
    return path


def test_best_shows_a_row_per_kernel_and_target(mbc: Command, kb: Path):
    header, *rows = mbc("kb", "best").out.splitlines()
    assert header.split()[:4] == ["target", "family", "shape", "speedup"]
    assert [row.split()[0] for row in rows] == ["opencl", "rvv"]
    assert "1.65x" in rows[1]
    (row,) = mbc("kb", "best", "--target", "rvv").out.splitlines()[1:]
    assert "set-tile{kernel=k0 sizes=8,8}" in row


def test_ls_counts_outcomes(mbc: Command, kb: Path):
    rows = mbc("kb", "ls", "--kb", kb, "--target", "rvv").out.splitlines()
    assert rows[1].split()[:5] == ["rvv", "contract", "small", "2", "1"]


def test_show_takes_the_start_of_an_id(mbc: Command, kb: Path):
    ended = mbc("kb", "show", outcome(0, 0.5).id[:10])
    assert "set-tile{sizes=8,8}" in ended.out
    assert "100 cycles (modelled)" in ended.out
    assert "no outcome" in mbc("kb", "show", "nothing").complains()


def test_export_and_import(mbc: Command, kb: Path, here: Path):
    assert "wrote 3 outcomes" in mbc("kb", "export", "all.jsonl").out
    lines = (here / "all.jsonl").read_text().splitlines()
    assert len([json.loads(line) for line in lines]) == 3
    added = mbc("kb", "import", "all.jsonl", "--kb", here / "new.db")
    assert "added 3 new outcomes" in added.out
    again = mbc("kb", "import", "all.jsonl", "--kb", here / "new.db")
    assert "added 0 new outcomes" in again.out


def test_a_bad_line_adds_nothing(mbc: Command, kb: Path, here: Path):
    mbc("kb", "export", "all.jsonl")
    text = (here / "all.jsonl").read_text()
    (here / "bad.jsonl").write_text(f"{text}nonsense\n")
    error = mbc("kb", "import", "bad.jsonl", "--kb", here / "new.db").complains()
    assert error.startswith("bad.jsonl:4: error: this line is no outcome\nnonsense")
    with KnowledgeBase(here / "new.db") as knowledge:
        assert knowledge.outcomes() == []


def test_a_missing_knowledge_base_is_not_created(mbc: Command, here: Path):
    error = mbc("kb", "best", "--kb", "typo.db").complains()
    assert "no knowledge base at typo.db" in error
    assert list(here.iterdir()) == []


def test_importing_nothing_creates_nothing(mbc: Command, here: Path):
    error = mbc("kb", "import", "nope.jsonl", "--kb", "new.db").complains()
    assert "from nope.jsonl: No such file or directory" in error
    assert list(here.iterdir()) == []


@pytest.mark.parametrize("content", [b"", b"not a database at all", b"SQLite format 3"])
def test_a_corrupt_knowledge_base_is_one_sentence(
    mbc: Command, here: Path, content: bytes
):
    (here / "kb.db").write_bytes(content)
    ended = mbc("kb", "best", "--kb", "kb.db")
    if not content:
        assert (ended.code, ended.out) == (0, "nothing yet\n")
        return
    assert "kb.db" in ended.complains()
    assert (here / "kb.db").read_bytes() == content


def test_an_unwritable_export_is_one_sentence(mbc: Command, kb: Path):
    error = mbc("kb", "export", "/nonexistent/all.jsonl").complains()
    assert "/nonexistent/all.jsonl" in error
