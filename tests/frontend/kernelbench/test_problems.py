"""Problems of a checkout: which there are, and what is not one."""

from pathlib import Path

import pytest

from mbc.errors import InvalidInput
from mbc.frontend.kernelbench.problems import find_problems
from tests.frontend.kernelbench.checkout import make_checkout


def ids(*arguments, **options) -> list[str]:
    return [problem.id for problem in find_problems(*arguments, **options)]


def test_problems_come_in_the_order_of_their_numbers(tmp_path: Path):
    folder = make_checkout(tmp_path)
    assert ids(folder) == ["1_2", "1_10", "2_1", "3_7"]
    assert ids(folder / "KernelBench") == ids(folder)
    assert ids(folder, levels=[1]) == ["1_2", "1_10"]
    assert ids(folder, ids=["3_7", "1_2", "3_7"]) == ["1_2", "3_7"]


def test_what_is_no_problem_is_named(tmp_path: Path):
    with pytest.raises(InvalidInput, match="holds no KernelBench problems"):
        find_problems(tmp_path)
    folder = make_checkout(tmp_path)
    (folder / "KernelBench" / "level1" / "notes.py").write_text("", encoding="utf-8")
    assert "1_2" in ids(folder)
    with pytest.raises(InvalidInput, match="has no problem 2_66"):
        find_problems(folder, ids=["2_66"])
    with pytest.raises(InvalidInput, match="'66' is no problem"):
        find_problems(folder, ids=["66"])
