"""What holds for every file of the repository."""

import ast
import re
import subprocess
from pathlib import Path

ROOT = Path(__file__).parent.parent

MACHINE_PATH = re.compile(r"(?<![\w.])/(?:(?:work|root)/|tmp/\w)")
UNFINISHED = re.compile(r"\b(?:TO[D]O|FIXM[E]|X{3})\b")


def repository_files() -> list[Path]:
    """Tracked files and those that a commit of everything would add."""
    listing = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    paths = [ROOT / name for name in listing.stdout.split("\0") if name]
    return [path for path in paths if path.is_file()]


def lines_matching(pattern: re.Pattern[str], paths: list[Path]) -> list[str]:
    found: list[str] = []
    for path in paths:
        text = path.read_text(encoding="utf-8", errors="ignore")
        for number, line in enumerate(text.splitlines(), start=1):
            if pattern.search(line):
                found.append(f"{path.relative_to(ROOT)}:{number}: {line.strip()}")
    return found


def test_no_machine_paths():
    paths = [path for path in repository_files() if path.parent != ROOT / ".ci"]
    assert lines_matching(MACHINE_PATH, paths) == []


def test_nothing_is_left_to_do():
    assert lines_matching(UNFINISHED, repository_files()) == []


def test_source_files_are_short():
    lengths = {
        str(path.relative_to(ROOT)): len(path.read_text().splitlines())
        for path in (ROOT / "mbc").rglob("*.py")
    }
    assert {name: n for name, n in lengths.items() if n > 400} == {}


def test_functions_are_short():
    lengths = {
        f"{path.relative_to(ROOT)}:{node.name}": (node.end_lineno or 0)
        - node.lineno
        + 1
        for path in (ROOT / "mbc").rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.FunctionDef)
    }
    assert {name: n for name, n in lengths.items() if n > 40} == {}


def test_modules_say_what_they_are_for():
    bare = [
        str(path.relative_to(ROOT))
        for path in (ROOT / "mbc").rglob("*.py")
        if (text := path.read_text()).strip() and not ast.get_docstring(ast.parse(text))
    ]
    assert bare == []
