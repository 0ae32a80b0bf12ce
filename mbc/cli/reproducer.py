"""A failed pass as a file: the module it failed on under the pipeline that was left."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.passes import ModulePass

from mbc.cli.output import write_text
from mbc.errors import InvalidInput, Location
from mbc.passes.pipeline import text_of

MARK = "// mbc-opt --run-reproducer: "


def write_reproducer(file: str, module: str, passes: Sequence[ModulePass]) -> None:
    write_text(file, f"{MARK}builtin.module({text_of(passes)})\n{module}")


def pipeline_of(text: str, file: str) -> str:
    first = text.partition("\n")[0]
    if not first.startswith(MARK):
        raise InvalidInput(
            f"this is no reproducer: its first line does not start with '{MARK}'",
            Location(file, 1, 1),
        )
    return first.removeprefix(MARK)
