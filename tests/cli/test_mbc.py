"""`mbc`: usage, doctor, cache and version, without a model."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.conftest import Command

ROOT = Path(__file__).parents[2]


def test_help_names_every_command(mbc: Command):
    ended = mbc("--help")
    assert ended.code == 0
    for name in ("import", "check", "tune", "run", "kb", "doctor", "cache"):
        assert f"\n    {name} " in ended.out


@pytest.mark.parametrize(
    "command", ["import", "check", "tune", "run", "kb", "doctor", "cache"]
)
def test_each_command_has_help(mbc: Command, command: str):
    assert f"mbc {command}" in mbc(command, "--help").out


def test_the_default_folder_of_a_tuned_model_is_named(mbc: Command):
    assert "MODEL-TARGET" in mbc("tune", "--help").out


def test_version(mbc: Command):
    assert mbc("--version").out.startswith("mbc ")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ((), "required: COMMAND"),
        (("nosuch",), "invalid choice: 'nosuch'"),
        (("tune", "m.mlir"), "required: --target"),
        (("tune", "m.mlir", "--target", "rvv", "--policy", "x"), "invalid choice: 'x'"),
        (
            ("tune", "m.mlir", "--target", "rvv", "--bugdet-seconds", "3"),
            "did you mean",
        ),
        (("tune", "m", "--target", "rvv", "--budget-measurements", "x"), "invalid int"),
        (("run", "m.mlir", "--target", "rvv"), "required: --inputs"),
        (("kb",), "required: ACTION"),
    ],
)
def test_wrong_usage_is_one_line_and_two(mbc: Command, arguments, words: str):
    error = mbc(*arguments).complains(code=2)
    assert words in error
    assert "--help" in error
    assert len(error.splitlines()) == 1


def test_cache_clear_removes_what_mbc_built_and_nothing_else(mbc: Command, here: Path):
    cache = here.parent / "cache"
    (cache / "build" / "ab").mkdir(parents=True)
    (cache / "build" / "ab" / "kernel.so").write_bytes(b"x" * 10)
    (cache / "mine").write_text("mine")
    assert "1 files" in mbc("cache").out
    assert mbc("cache", "clear").out.startswith("removed 1 files")
    assert [path.name for path in cache.iterdir()] == ["mine"]
    assert mbc("cache", "clear").code == 0


def test_doctor_names_each_target_and_what_it_found(mbc: Command, here: Path):
    ended = mbc("doctor")
    assert ended.code == 0
    for words in ("rvv", "opencl", "cuda", "isolation", str(here.parent / "cache")):
        assert words in ended.out


def test_doctor_without_any_tool_says_what_installs_it(here: Path):
    (here / "bin").mkdir()
    done = subprocess.run(
        [sys.executable, "-m", "mbc.cli.main", "doctor"],
        env=os.environ | {"PATH": str(here / "bin"), "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.returncode == 0, done.stderr
    assert "emit-only" in done.stdout
    assert "apt-get install" in done.stdout
