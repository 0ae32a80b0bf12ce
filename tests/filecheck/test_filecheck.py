"""Runs the RUN lines of every `.mlir` file in this process: lit without its start-up.

The files are lit's, too. A RUN line is `[not] mbc-opt ARGUMENTS [2>... >...] |
filecheck %s [--check-prefix=NAME]`.
"""

from __future__ import annotations

import contextlib
import io
import re
import shlex
from dataclasses import dataclass
from pathlib import Path

import pytest
from filecheck.finput import FInput
from filecheck.matcher import Matcher
from filecheck.options import Options
from filecheck.parser import Parser

from mbc.cli.opt import main
from mbc.ir.ops import OPS

HERE = Path(__file__).parent
FILES = sorted(HERE.rglob("*.mlir"))
RUN = re.compile(
    r"// RUN: (?P<negated>not )?mbc-opt (?P<arguments>.*?)"
    r"(?P<redirect>( 2>&1 >/dev/null| 2>/dev/null| 2>&1)?)"
    r" \| filecheck %s(?: --check-prefix=(?P<prefix>\w+))?"
)


@dataclass(frozen=True)
class Step:
    """One RUN line; `stream` says what filecheck reads."""

    fails: bool
    arguments: tuple[str, ...]
    stream: str
    prefix: str

    def output(self) -> str:
        out, err = io.StringIO(), io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            code = main(self.arguments)
        assert (code != 0) == self.fails, err.getvalue()
        texts = {"stdout": out.getvalue(), "stderr": err.getvalue()}
        return texts.get(self.stream, err.getvalue() + out.getvalue())


def steps(file: Path) -> list[Step]:
    found: list[Step] = []
    for line in file.read_text().splitlines():
        if "RUN:" not in line:
            continue
        match = RUN.fullmatch(line)
        assert match is not None, f"{file.name}: {line}"
        arguments = match["arguments"].replace("%S", str(file.parent))
        arguments = shlex.split(arguments.replace("%s", str(file)))
        streams = {" 2>&1 >/dev/null": "stderr", " 2>&1": "both"}
        stream = streams.get(match["redirect"], "stdout")
        prefix = match["prefix"] or "CHECK"
        found.append(Step(bool(match["negated"]), tuple(arguments), stream, prefix))
    return found


@pytest.mark.parametrize("file", FILES, ids=lambda file: str(file.relative_to(HERE)))
def test_file(file: Path):
    todo = steps(file)
    assert todo, "a test without a RUN line tests nothing"
    for step in todo:
        text = step.output()
        options = Options(str(file), check_prefixes=[step.prefix])
        matcher = Matcher(options, FInput("<output>", text), Parser.from_opts(options))
        complaint = io.StringIO()
        matcher.stderr = complaint
        with contextlib.redirect_stdout(complaint):
            code = matcher.run()
        assert code == 0, f"{complaint.getvalue()}\n{text}"


def test_every_op_has_a_file():
    names = {f"{path.stem}" for path in (HERE / "ir").glob("*.mlir")}
    assert {name.removeprefix("mbc.") for name in OPS} <= names
