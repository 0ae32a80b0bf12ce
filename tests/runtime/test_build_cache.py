"""Builds are found by content, complete, once; also by concurrent processes."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from mbc.runtime.build_cache import build_key, cached_build
from mbc.runtime.scratch import cache_root


@pytest.fixture(autouse=True)
def cache_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("MBC_CACHE_DIR", str(tmp_path))
    return tmp_path


def write(folder: Path) -> None:
    (folder / "file").write_text("built")


def test_root_follows_the_environment(cache_folder: Path) -> None:
    assert cache_root() == cache_folder


def test_key_covers_every_part() -> None:
    base = {"source": "a", "command": "cc -O2"}
    variants = [
        base,
        {**base, "source": "b"},
        {**base, "command": "cc -O3"},
        {**base, "compiler": "clang 19"},
        {"source": "acommand", "": "cc -O2"},
    ]
    assert len({build_key(parts) for parts in variants}) == len(variants)


def test_key_ignores_the_order_of_parts() -> None:
    assert build_key({"a": "1", "b": "2"}) == build_key({"b": "2", "a": "1"})


def test_second_build_is_not_run() -> None:
    first = cached_build("key", write)

    def refuse(folder: Path) -> None:
        raise AssertionError(folder)

    assert cached_build("key", refuse) == first
    assert (first / "file").read_text() == "built"


def test_failure_is_returned_and_not_kept(cache_folder: Path) -> None:
    def fail(folder: Path) -> str:
        write(folder)
        return "failed"

    assert cached_build("key", fail) == "failed"
    assert isinstance(cached_build("key", write), Path)
    assert [p.name for p in (cache_folder / "build").rglob("*") if p.is_file()] == [
        "file"
    ]


def test_exception_leaves_nothing(cache_folder: Path) -> None:
    def explode(folder: Path) -> None:
        write(folder)
        raise RuntimeError

    with pytest.raises(RuntimeError):
        cached_build("key", explode)
    assert not [p for p in (cache_folder / "build").rglob("*") if p.is_file()]


def test_concurrent_builds_agree_and_leave_one_folder(cache_folder: Path) -> None:
    script = (
        "import time\n"
        "from mbc.runtime.build_cache import cached_build\n"
        "def build(folder):\n"
        "    (folder / 'a').write_text('1'); time.sleep(0.2)\n"
        "    (folder / 'b').write_text('2')\n"
        "print(sorted(p.name for p in cached_build('key', build).iterdir()))\n"
    )
    running = [
        subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE)
        for _ in range(4)
    ]
    assert {p.communicate()[0] for p in running} == {b"['a', 'b']\n"}
    assert [p.name for p in (cache_folder / "build" / "ke").iterdir()] == ["key"]
