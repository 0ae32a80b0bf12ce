"""One diagnostic, one exit code, and a traceback only with --debug."""

import pytest

from mbc.cli.diagnostics import Reporter, render, translated
from mbc.errors import (
    BuildFailed,
    InvalidInput,
    Location,
    MbcError,
    PassRefused,
    ToolMissing,
    WrongResult,
)


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (InvalidInput("bad"), 1),
        (PassRefused("set-tile", "the size is odd"), 1),
        (BuildFailed("clang failed"), 1),
        (ToolMissing("no clang; install: apt-get install clang-19"), 3),
        (WrongResult("outside its bound"), 4),
        (KeyboardInterrupt(), 130),
        (SystemExit(2), 2),
        (ZeroDivisionError("division by zero"), 1),
    ],
)
def test_exit_codes(
    error: BaseException, code: int, capsys: pytest.CaptureFixture[str]
):
    reporter = Reporter("mbc")
    with reporter:
        raise error
    assert reporter.exit_code == code
    assert "Traceback" not in capsys.readouterr().err


def test_source_line_and_caret_respect_tabs():
    error = InvalidInput("wrong", Location("a.mlir", 2, 3))
    text = render(error, "mbc-opt", {"a.mlir": "first\n\t\tsecond\n"})
    assert text == "a.mlir:2:3: error: wrong\n\t\tsecond\n\t\t^"


def test_places_that_cannot_be_shown_are_left_out():
    for place in (Location("nofile.py", 3, 1), Location("a.mlir", 9), Location("a")):
        error = InvalidInput("wrong", place)
        assert render(error, "mbc", {"a.mlir": "one"}) == f"{place}: error: wrong"


def test_notes_logs_and_counterexamples_are_shown():
    log = "\n".join(f"line {i}" for i in range(30))
    text = render(BuildFailed("clang failed", log), "mbc", {})
    assert text.startswith("mbc: error: clang failed\nnote: the compiler said:\n")
    assert text.endswith("... 18 more lines")
    error = WrongResult("outside its bound", "output 0 at [1, 2]")
    error.add_note("kernel k3")
    lines = render(error, "mbc", {}).splitlines()
    assert lines[1:] == ["note: kernel k3", "note: output 0 at [1, 2]"]


def test_an_internal_error_says_that_it_is_a_bug(capsys: pytest.CaptureFixture[str]):
    with Reporter("mbc"):
        raise KeyError("x")
    err = capsys.readouterr().err
    assert "bug" in err
    assert "--debug" in err
    assert len(err.splitlines()) == 1
    with Reporter("mbc", debug=True):
        raise KeyError("x")
    assert "Traceback" in capsys.readouterr().err


def test_errors_of_xdsl_become_ours():
    from xdsl.utils.arg_spec import parse_pipeline
    from xdsl.utils.exceptions import VerifyException

    with pytest.raises(MbcError, match="operand is missing"), translated():
        raise VerifyException("operand is missing\nand a dump of the module")
    with pytest.raises(MbcError, match="malformed pipeline"), translated():
        list(parse_pipeline("a{"))
    with pytest.raises(ZeroDivisionError), translated():
        raise ZeroDivisionError


def test_the_worst_of_several_errors_decides(capsys: pytest.CaptureFixture[str]):
    reporter = Reporter("mbc-opt")
    reporter.report(ToolMissing("no clang"))
    reporter.report(InvalidInput("bad"))
    assert reporter.exit_code == 3
    assert len(capsys.readouterr().err.splitlines()) == 2
