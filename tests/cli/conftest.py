"""`mbc-opt` and `mbc` as functions, run in this process in an empty folder."""

from collections.abc import Callable
from dataclasses import dataclass
from io import StringIO
from pathlib import Path

import pytest

from mbc.cli import main, opt


@dataclass(frozen=True)
class Ended:
    code: int
    out: str
    err: str

    def complains(self, code: int = 1) -> str:
        """The one diagnostic of a command that printed nothing else."""
        assert self.code == code, self
        assert self.out == ""
        assert "Traceback" not in self.err
        assert self.err.count("error:") == 1, self.err
        return self.err


Command = Callable[..., Ended]


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty working folder; cache and knowledge base lie beside it."""
    folder = tmp_path / "here"
    folder.mkdir()
    monkeypatch.chdir(folder)
    monkeypatch.setenv("MBC_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setenv("MBC_KB", str(tmp_path / "kb.db"))
    return folder


def command(
    entry: Callable[[list[str]], int],
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> Command:
    def run(*arguments: object, stdin: str = "") -> Ended:
        monkeypatch.setattr("sys.stdin", StringIO(stdin))
        capsys.readouterr()
        code = entry([str(argument) for argument in arguments])
        captured = capsys.readouterr()
        return Ended(code, captured.out, captured.err)

    return run


@pytest.fixture
def mbc_opt(
    here: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> Command:
    return command(opt.main, capsys, monkeypatch)


@pytest.fixture
def mbc(
    here: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> Command:
    return command(main.main, capsys, monkeypatch)
