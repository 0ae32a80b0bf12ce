"""`mbc bench import` on a checkout of our own problems."""

import json
from pathlib import Path

import pytest

from mbc.errors import ToolMissing
from tests.cli.conftest import Command
from tests.frontend.kernelbench.checkout import NORM, make_checkout


def test_every_problem_has_a_row_and_failures_a_reason(mbc: Command, here: Path):
    folder = make_checkout(here / "kb")
    ended = mbc("bench", "import", "--path", folder, "--results", "rows.jsonl")
    assert ended.code == 1
    failure, *totals = ended.out.splitlines()
    assert failure.startswith("3_7 Unsupported: ")
    assert "linalg_svd" in failure
    assert totals[:3] == [
        "level 1: 2 of 2 imported",
        "level 2: 1 of 1 imported",
        "level 3: 0 of 1 imported",
    ]
    assert totals[3].startswith("time: median ")
    assert "1_2 Norm: imported, " in ended.err

    again = mbc(
        *("bench", "import", "--path", folder, "--results", "rows.jsonl"), "--json"
    )
    assert len(again.err.splitlines()) == 1  # the failure alone runs again
    rows = json.loads(again.out)["rows"]
    assert [row["problem"] for row in rows] == ["1_2", "1_10", "2_1", "3_7"]
    assert [row["status"] for row in rows] == [*["imported"] * 3, "failed"]
    assert all(row["megabytes"] > 100 for row in rows)
    assert rows[0]["warnings"] == ["norm: BatchNorm2d is in training mode"]


def test_problems_are_executed_at_reduced_extents(mbc: Command, here: Path):
    """Problem 1_33 has a row in the table; the file is our own."""
    path = here / "kb" / "level1" / "33_Norm.py"
    path.parent.mkdir(parents=True)
    path.write_text(NORM, encoding="utf-8")
    ended = mbc("bench", "import", "--path", "kb", "--execute", "--json")
    assert ended.code == 0, ended
    (row,) = json.loads(ended.out)["rows"]
    assert (row["status"], row["action"]) == ("equal", "execute_problem")
    assert 0 < row["share"] < 1


def test_problems_run_on_a_target_and_are_not_run_again(mbc: Command, here: Path):
    path = here / "kb" / "level1" / "33_Norm.py"
    path.parent.mkdir(parents=True)
    path.write_text(NORM, encoding="utf-8")
    words = ("bench", "import", "--path", "kb", "--results", "rows.jsonl")
    ended = mbc(*words, "--target", "rvv")
    assert ended.code == 0, ended
    assert "level 1: 1 of 1 equal" in ended.out
    assert "models run whole: 1; distinct kernels run alone: " in ended.out
    again = mbc(*words, "--target", "rvv", "--json")
    assert again.err == ""
    (row,) = json.loads(again.out)["rows"]
    assert row["action"] == "run_problem rvv"
    assert row["detail"]["emitted"]["families"]["rowwise"] == 1
    assert 0 < row["share"] <= 1

    other = mbc(*words, "--target", "opencl", "--json")
    assert other.code == 0, other
    (row,) = json.loads(other.out)["rows"]
    assert (row["status"], row["detail"]["whole"]) == ("equal", True)


def test_a_second_importer_that_is_missing_is_one_line(
    mbc: Command, here: Path, monkeypatch: pytest.MonkeyPatch
):
    make_checkout(here / "kb")
    monkeypatch.setattr("mbc.api.bench.missing_importer", lambda: "no torch-mlir here")
    ended = mbc("bench", "import", "--path", "kb", "--cross-check")
    assert "no torch-mlir here" in ended.complains(ToolMissing.exit_code)


def test_an_unknown_target_is_one_line(mbc: Command, here: Path):
    make_checkout(here / "kb")
    ended = mbc("bench", "import", "--path", "kb", "--target", "vax")
    assert "target 'vax' not registered" in ended.complains()


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--path", "nosuch"), "'nosuch' holds no KernelBench problems"),
        (("--path", "kb", "--problem", "1_3"), "has no problem 1_3"),
    ],
)
def test_bad_input_is_one_line(mbc: Command, here: Path, arguments, words: str):
    make_checkout(here / "kb")
    assert words in mbc("bench", "import", *arguments).complains()


def test_jobs_are_at_least_one(mbc: Command):
    usage = mbc("bench", "import", "--path", "kb", "--jobs", "0")
    assert "--jobs: '0' is not a number of at least 1" in usage.complains(code=2)
