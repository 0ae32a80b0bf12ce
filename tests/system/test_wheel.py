"""The wheel alone, in an empty folder, holds all that mbc needs at run time."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent.parent

SOURCES = ["LICENSE", "README.md", "kb", "mbc", "pyproject.toml", "setup.py"]
SHIPPED = {".c", ".h", ".j2", ".json", ".jsonl", ".py", ".sql", ".toml"}
PLACES = {"mbc": "mbc", "kb": "mbc/_kb", "tools/rvvcost": "mbc/_rvvcost"}
"""Folders of the repository and where the wheel has them."""


def run(*command: str, cwd: Path, **environment: str) -> str:
    done = subprocess.run(
        [sys.executable, *command],
        cwd=cwd,
        env=os.environ | environment,
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def copy_sources(to: Path) -> None:
    """What a build reads, without leftovers of earlier builds."""
    ignore = shutil.ignore_patterns("__pycache__", "*.pyc")
    for name in [*SOURCES, "tools/rvvcost"]:
        if (ROOT / name).is_dir():
            shutil.copytree(ROOT / name, to / name, ignore=ignore)
        else:
            shutil.copy(ROOT / name, to / name)


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder into which only the wheel was installed."""
    work = tmp_path_factory.mktemp("wheel")
    source, site = work / "source", work / "site"
    source.mkdir()
    copy_sources(source)
    offline = ["--quiet", "--no-deps", "--no-index"]
    build = ["-m", "pip", "wheel", *offline, "--no-build-isolation", "-w", str(work)]
    run(*build, str(source), cwd=work)
    (wheel,) = work.glob("mbc-*.whl")
    run("-m", "pip", "install", *offline, "--target", str(site), str(wheel), cwd=work)
    return site


@pytest.mark.parametrize("folder", PLACES)
def test_every_source_and_data_file_is_there(installed: Path, folder: str):
    names = {
        path.relative_to(ROOT / folder)
        for path in (ROOT / folder).rglob("*")
        if path.is_file() and path.suffix in SHIPPED
    }
    missing = {n for n in names if not (installed / PLACES[folder] / n).is_file()}
    assert names
    assert missing == set()


def test_the_files_that_are_found_by_name(installed: Path):
    assert (installed / "mbc/py.typed").is_file()
    assert (installed / "mbc/_kb/schema.sql").is_file()
    assert list((installed / "mbc/codegen/templates").rglob("*.j2"))
    assert list((installed / "mbc/_rvvcost").rglob("*.c"))


def test_it_imports_from_there(installed: Path, tmp_path: Path):
    code = "import mbc; print(mbc.__file__)"
    printed = run("-c", code, cwd=tmp_path, PYTHONPATH=str(installed))
    assert Path(printed.strip()) == installed / "mbc/__init__.py"


def test_it_finds_its_own_resources(installed: Path, tmp_path: Path):
    code = "from mbc.runtime.resources import *; print(resource_dir('rvvcost'))"
    printed = run("-c", code, cwd=tmp_path, PYTHONPATH=str(installed))
    assert Path(printed.strip()) == installed / "mbc/_rvvcost"
    code = "from mbc.agent.database import schema_text; print(schema_text())"
    printed = run("-c", code, cwd=tmp_path, PYTHONPATH=str(installed))
    assert "create table" in printed.lower()


def test_the_driver_lists_its_targets(installed: Path, tmp_path: Path):
    command = ["-m", "mbc.cli.opt", "--list-targets"]
    printed = run(*command, cwd=tmp_path, PYTHONPATH=str(installed))
    assert all(target in printed for target in ("rvv", "opencl", "cuda"))
