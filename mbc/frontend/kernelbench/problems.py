"""The problems of a KernelBench checkout: `level2/66_Name.py` is problem 2_66."""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path

from mbc.errors import InvalidInput

LEVELS = (1, 2, 3)
"""Level 4 names models to download, which is no import of a file."""

FILE = re.compile(r"(\d+)_.+\.py")
NUMBER = re.compile(r"([1-9])_(\d+)")


@dataclass(frozen=True, order=True)
class Problem:
    level: int
    number: int
    path: Path

    @property
    def id(self) -> str:
        return f"{self.level}_{self.number}"


def find_problems(
    folder: Path, levels: Collection[int] = LEVELS, ids: Collection[str] = ()
) -> list[Problem]:
    """All problems of `levels`, or those with `ids`, in order.

    `folder` is the checkout or the folder of levels in it. `InvalidInput` if it holds
    no problems or one that is asked for is missing.
    """
    root = next((r for r in (folder, folder / "KernelBench") if _has_levels(r)), None)
    if root is None:
        raise InvalidInput(f"'{folder}' holds no KernelBench problems (level1/1_*.py)")
    every = sorted(p for level in LEVELS for p in _problems_of(root, level))
    if not ids:
        return [problem for problem in every if problem.level in levels]
    by_id = {problem.id: problem for problem in every}
    for id in ids:
        if not NUMBER.fullmatch(id):
            raise InvalidInput(f"'{id}' is no problem: write level and number, as 2_66")
        if id not in by_id:
            raise InvalidInput(f"'{root}' has no problem {id}")
    return sorted({by_id[id] for id in ids})


def _has_levels(root: Path) -> bool:
    return any((root / f"level{level}").is_dir() for level in LEVELS)


def _problems_of(root: Path, level: int) -> list[Problem]:
    files = (root / f"level{level}").glob("*.py")
    named = [(FILE.fullmatch(path.name), path) for path in files]
    return [Problem(level, int(match[1]), path) for match, path in named if match]
