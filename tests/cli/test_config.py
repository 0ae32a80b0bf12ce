"""Settings: where a value is taken from, what is refused, and that commands heed it."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from mbc.cli.config import SETTINGS, settings
from mbc.errors import InvalidInput
from tests.cli.conftest import Command


def test_defaults_say_so(here: Path):
    found = settings()
    assert found["seed"].value == 0
    assert found["seed"].origin == "default"
    assert found["target"].value is None


def test_the_environment_beats_the_file(here: Path, monkeypatch: pytest.MonkeyPatch):
    (here / "mbc.toml").write_text('target = "rvv"\nseed = 3\n')
    monkeypatch.setenv("MBC_TARGET", "cuda")
    found = settings()
    assert (found["target"].value, found["target"].origin) == ("cuda", "MBC_TARGET")
    assert (found["seed"].value, found["seed"].origin) == (3, str(here / "mbc.toml"))


def test_the_nearest_file_counts_and_pyproject_has_a_table(here: Path):
    (here / "pyproject.toml").write_text('[tool.mbc]\ntarget = "opencl"\n')
    inner = here / "a" / "b"
    inner.mkdir(parents=True)
    assert settings(inner)["target"].value == "opencl"
    (here / "a" / "mbc.toml").write_text('target = "rvv"\n')
    assert settings(inner)["target"].value == "rvv"


def test_a_pyproject_without_the_table_is_passed_by(here: Path):
    (here / "mbc.toml").write_text("seed = 5\n")
    (here / "a").mkdir()
    (here / "a" / "pyproject.toml").write_text('[project]\nname = "x"\n')
    assert settings(here / "a")["seed"].value == 5


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("speed = 3", "no setting 'speed'; there are target, kb"),
        ('seed = "many"', "seed takes a int, not 'many'"),
        ("seed = true", "seed takes a int, not True"),
        ("target = [1]", "target takes a str, not [1]"),
        ("seed = ", "not TOML"),
    ],
)
def test_a_wrong_file_is_one_sentence(here: Path, mbc: Command, text: str, sentence):
    (here / "mbc.toml").write_text(text)
    with pytest.raises(InvalidInput) as raised:
        settings()
    assert sentence in str(raised.value)
    ended = mbc("config", "show")
    assert ended.code == 1
    assert "mbc.toml" in ended.err
    assert "\n" not in ended.err.strip()


def test_show_names_every_setting(mbc: Command, here: Path):
    (here / "mbc.toml").write_text("budget_measurements = 7\n")
    told = mbc("config", "show").out
    assert all(name in told for name in SETTINGS)
    table = json.loads(mbc("config", "show", "--json").out)
    assert table["budget_measurements"]["value"] == "7"
    assert table["budget_measurements"]["origin"].endswith("mbc.toml")


def test_commands_take_what_is_set(mbc: Command, here: Path):
    (here / "m.mlir").write_text(
        "func.func @forward(%x: tensor<4xf32>) -> tensor<4xf32> {\n"
        "  return %x : tensor<4xf32>\n}\n"
    )
    (here / "mbc.toml").write_text('target = "abc"\n')
    assert "target 'abc' not registered" in mbc("bisect", here / "m.mlir").err
    ended = mbc("bisect", here / "m.mlir", "--target", "opencl")
    assert ended.code == 0, ended.err


@pytest.mark.parametrize("shell", ["bash", "zsh"])
def test_completion_is_shell_text(mbc: Command, mbc_opt: Command, shell: str):
    for command in (mbc, mbc_opt):
        ended = command("--print-completion", shell)
        assert ended.code == 0
        assert "--version" in ended.out
        if shell == "bash":
            checked = subprocess.run(["bash", "-n"], input=ended.out, text=True)
            assert checked.returncode == 0


def test_another_shell_is_refused(mbc: Command):
    ended = mbc("--print-completion", "fish2")
    assert ended.code == 2
    assert "takes bash, zsh" in ended.err
