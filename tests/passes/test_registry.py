"""Every pass is listed, documented and tested, and stock xDSL finds ours."""

from __future__ import annotations

import inspect
from pathlib import Path

import pytest
from xdsl.universe import Universe

from mbc.passes import PASSES, all_passes, pass_class
from mbc.passes.support.functions import forward_of
from mbc.universe import IN_XDSL, UNIVERSE
from tests.passes.programs import mlp

ROOT = Path(__file__).parent.parent.parent
NOT_PASSES = {"__init__", "pipeline"}


def test_every_file_is_listed():
    files = {path.stem for path in (ROOT / "mbc/passes").glob("*.py")} - NOT_PASSES
    assert files == {name.replace("-", "_") for name in PASSES}


@pytest.mark.parametrize("name", PASSES)
def test_names_agree(name: str):
    cls = pass_class(name)
    assert cls.name == name
    assert cls.__module__ == f"mbc.passes.{name.replace('-', '_')}"
    words = "".join(word.capitalize() for word in name.split("-"))
    assert cls.__name__ == f"{words}Pass"


@pytest.mark.parametrize("name", PASSES)
def test_documentation(name: str):
    text = inspect.getdoc(pass_class(name)) or ""
    first = text.splitlines()[0]
    assert first.split()[0].rstrip("s") != first.split()[0], "third person"
    assert text.count("```mlir") == 2
    assert "Before:" in text
    assert f"After `{name}" in text
    assert "Precondition:" in text
    assert "efuses" in text


@pytest.mark.parametrize("name", PASSES)
def test_filecheck_test(name: str):
    path = ROOT / "tests/filecheck/passes" / f"{name.replace('-', '_')}.mlir"
    assert name in path.read_text()


def test_ours_win_in_all_passes():
    assert all_passes()["canonicalize"]() is pass_class("canonicalize")
    assert "cse" in all_passes()


def test_universe():
    """The names that stock xDSL has are left to it; all others are found there."""
    multiverse = Universe.get_multiverse()
    assert set(PASSES) - set(UNIVERSE.all_passes) == set(IN_XDSL)
    assert multiverse.all_passes["form-kernels"]() is pass_class("form-kernels")
    assert multiverse.all_passes["canonicalize"]() is not pass_class("canonicalize")
    assert UNIVERSE.all_dialects["mbc"]().name == "mbc"


def test_helpers_see_the_function():
    assert forward_of(mlp()).sym_name.data == "forward"
