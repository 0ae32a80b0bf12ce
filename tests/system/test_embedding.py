"""docs/embedding.md: its script prints what it says, its commands run in stock xDSL."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent.parent
DOCS = ROOT / "docs"
PAGE = (DOCS / "embedding.md").read_text()
BLOCKS = [line[4:] for line in PAGE.splitlines() if line.startswith("    ")]
COMMANDS = [line for line in BLOCKS if line.startswith("xdsl-opt ")]
XDSL_OPT = [sys.executable, "-c", "from xdsl.tools.xdsl_opt import main; main()"]


def run(command: list[str], folder: Path) -> str:
    done = subprocess.run(
        command,
        cwd=folder,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_the_script_prints_what_the_page_says(tmp_path: Path):
    printed = run([sys.executable, str(DOCS / "embedding.py")], tmp_path)
    assert printed.splitlines() == [b for b in BLOCKS if b not in COMMANDS]


@pytest.mark.parametrize("command", COMMANDS)
def test_the_commands_run_in_stock_xdsl(command: str):
    _, *arguments = shlex.split(command)
    printed = run([*XDSL_OPT, *arguments], DOCS)
    assert "mbc.kernel" in printed
    assert "linalg.matmul" not in printed


def test_there_are_commands():
    assert len(COMMANDS) == 2
