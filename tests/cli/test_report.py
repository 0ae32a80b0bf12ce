"""`mbc report`: the page of a tuning run, what is on it, and what it refuses."""

from __future__ import annotations

import json
import shutil
import subprocess
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

import mbc
from mbc.cli.main import main
from mbc.cli.report import bars, curve, roofline
from mbc.cli.report.document import read_report
from mbc.cli.report.page import changed_lines, page, views
from mbc.cli.report.scale import LogScale, Scale, short
from mbc.errors import InvalidInput
from mbc.runtime.outcome import EmitOnly
from mbc.runtime.rvv.runner import RvvRunner
from tests.api.models import imported_mlp

BROWSERS = ("chromium-headless-shell", "chromium", "google-chrome")


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder as `mbc tune` leaves it."""
    available = RvvRunner().availability()
    if isinstance(available, EmitOnly):
        pytest.skip(available.reason)
    folder = tmp_path_factory.mktemp("run") / "mlp"
    mbc.tune(imported_mlp(), "rvv", budget=mbc.Budget(measurements=9)).save(folder)
    return folder


@pytest.fixture
def document(run: Path) -> dict[str, Any]:
    return read_report(run)


class Page(HTMLParser):
    """What a page holds: its tags, and whether each is closed in order."""

    VOID = ("meta", "link")

    def __init__(self, text: str):
        super().__init__()
        self.open: list[str] = []
        self.addresses: list[str] = []
        self.tags: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.addresses += [v for k, v in attrs if k in ("href", "src") and v]
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def test_the_page_is_well_formed_and_needs_no_other_file(document: dict[str, Any]):
    found = Page(page(document, "mlp"))
    assert found.open == []
    assert "script" not in found.tags
    assert all(address.startswith(("#", "data:")) for address in found.addresses)
    assert found.tags.count("svg") >= 3


def test_every_kernel_is_on_the_page_with_its_candidates(document: dict[str, Any]):
    text = page(document, "mlp")
    for row, history in zip(document["kernels"], document["histories"], strict=True):
        assert f'<details id="{row["label"]}">' in text
        assert len(history["attempts"]) == row["measured"]
        assert min(history[key] for key in ("flops", "bytes", "floor")) > 0
        assert sum(history["errors"]) > 0


def test_numbers_are_above_their_floors(document: dict[str, Any]):
    for view in views(document):
        assert float(view.of_floor) >= 0.95


def test_text_from_a_model_is_escaped(document: dict[str, Any]):
    document["imported"] = "<script>alert(1)</script>"
    assert "<script" not in page(document, "<b>mlp</b>")


def test_the_command_writes_the_page_and_prints_the_twin(
    run: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    out = tmp_path / "page.html"
    assert main(["report", str(run), "-o", str(out)]) == 0
    assert out.read_text().startswith("<!DOCTYPE html>")
    assert capsys.readouterr().out == f"wrote {out}\n"
    assert main(["report", str(run / "report.json"), "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == read_report(run)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("{", "is not JSON"),
        ("[1]", "is no report of mbc"),
        ('{"version": 1}', "is no report of mbc"),
        ('{"format": "mbc-report", "version": 99}', "install a newer one"),
        ('{"format": "mbc-report", "version": 1}', "'target' is missing"),
    ],
)
def test_what_is_no_report_is_one_sentence(tmp_path: Path, text: str, sentence: str):
    path = tmp_path / "report.json"
    path.write_text(text)
    with pytest.raises(InvalidInput, match=sentence):
        read_report(path)


@pytest.mark.parametrize("key", ["histories", "kernels", "gates", "geometric_mean"])
def test_a_damaged_report_is_one_sentence(
    run: Path, tmp_path: Path, key: str, capsys: pytest.CaptureFixture[str]
):
    document = read_report(run)
    damaged = [{}] if isinstance(document[key], list) else {}
    path = tmp_path / "report.json"
    path.write_text(json.dumps({**document, key: damaged}))
    assert main(["report", str(path)]) == 1
    assert "is a damaged report of mbc" in capsys.readouterr().err
    assert not (tmp_path / "report.html").exists()


def test_a_folder_without_a_report_says_what_writes_one(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    assert main(["report", str(tmp_path)]) == 1
    assert "`mbc tune -o" in capsys.readouterr().err
    assert main(["report", str(tmp_path / "none")]) == 1
    assert capsys.readouterr().err.count("\n") <= 2


def attempt(verdict: str, log: float, second: int, recalled: bool) -> dict[str, Any]:
    return {
        "action": "set-unroll{factor=2}",
        "verdict": verdict,
        "log_default": log,
        "created": f"2026-01-01T00:00:{second:02}",
        "recalled": recalled,
    }


def two_kernels(*attempts: dict[str, Any]) -> dict[str, Any]:
    def row(label: str) -> dict[str, Any]:
        return {"label": label, "default": 100.0, "unit": "cycles"}

    def history(label: str, own: list[dict[str, Any]]) -> dict[str, Any]:
        return {"label": label, "occurrences": 1, "attempts": own}

    histories = [history("k1", list(attempts)), history("k2", [])]
    return {"kernels": [row("k1"), row("k2")], "histories": histories}


def test_the_curve_rises_with_what_was_accepted_alone():
    drawn = curve.curve(
        two_kernels(
            attempt("improved", 0.6931471805599453, 2, False),
            attempt("inconclusive", 3.0, 1, False),
        )
    )
    assert drawn is not None
    assert drawn.end == pytest.approx(200 / 150)
    assert [mark.verdict for mark in drawn.marks] == ["inconclusive", "improved"]


def test_what_was_known_before_is_the_start_of_the_curve():
    known = attempt("improved", 0.6931471805599453, 0, True)
    assert curve.curve(two_kernels(known)) is None
    drawn = curve.curve(two_kernels(known, attempt("refused", 0.0, 1, False)))
    assert drawn is not None
    assert drawn.end == pytest.approx(200 / 150)


def test_points_of_the_roofline_are_under_its_roof(document: dict[str, Any]):
    drawn = roofline.roofline(document)
    assert drawn is not None
    assert {p.label for p in drawn.points} | set(drawn.absent) == {
        row["label"] for row in document["kernels"]
    }
    assert all(p.tuned_y >= drawn.roof_y for p in drawn.points)


def test_bars_add_up(document: dict[str, Any]):
    for row, history in zip(
        bars.verdict_rows(document), document["histories"], strict=True
    ):
        assert row.total == sum(part.count for part in row.parts)
        assert row.total == len(history["attempts"])
    assert bars.error_bins([0, 0], [0.5, 1.0]) == []
    assert sum(b.count for b in bars.model_errors(document)) > 0


def test_scales():
    scale = Scale(0, 20, 0, 200)
    assert [tick.text for tick in scale.ticks()] == ["0", "5", "10", "15", "20"]
    log = LogScale.around([0.3, 40], 0, 300)
    assert (log.low, log.high, log.at(1)) == (0.1, 100, 100)
    assert [tick.text for tick in log.ticks()] == ["0.1", "1", "10", "100"]
    assert [short(n) for n in (1234567, 999.6, 12)] == ["1.23 M", "1 k", "12"]


def test_lines_that_changed_are_marked():
    assert changed_lines("a\nb", "a\nc") == [("same", "a"), ("gone", "b"), ("new", "c")]


def test_a_browser_opens_it_without_complaint(run: Path, tmp_path: Path):
    browser = next(filter(None, map(shutil.which, BROWSERS)), None)
    if browser is None:
        pytest.skip("no Chromium is installed")
    out, picture = tmp_path / "page.html", tmp_path / "page.png"
    out.write_text(page(read_report(run), "mlp"))
    options = [
        "--no-sandbox",
        "--disable-gpu",
        "--enable-logging=stderr",
        "--log-level=0",
    ]
    command = [browser, "--headless", *options, f"--screenshot={picture}", out.as_uri()]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0
    assert "CONSOLE" not in done.stderr
    assert picture.stat().st_size > 10_000
