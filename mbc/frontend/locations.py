"""The user's own lines behind FX nodes and exceptions."""

from __future__ import annotations

import re
import traceback
from pathlib import Path

import torch
from torch.fx import Node
from xdsl.dialects.builtin import FileLineColLoc, IntAttr, StringAttr

from mbc.errors import Location

FRAME = re.compile(r'File "(.+)", line (\d+)')
FOREIGN = (str(Path(str(torch.__file__)).parent), str(Path(__file__).parents[1]))
"""Frames in these folders are never the user's."""


def node_location(node: Node) -> Location | None:
    """The innermost line of the model's code, as far as torch.export kept it."""
    trace = node.meta.get("stack_trace") or ""
    frames = [(file, int(line)) for file, line in FRAME.findall(trace)]
    return _innermost(frames)


def error_location(error: BaseException) -> Location | None:
    """The innermost line of user code that an exception passed through."""
    frames = traceback.extract_tb(error.__traceback__)
    return _innermost([(frame.filename, frame.lineno or 0) for frame in frames])


def _innermost(frames: list[tuple[str, int]]) -> Location | None:
    for file, line in reversed(frames):
        if not file.startswith((*FOREIGN, "<")):
            return Location(file, line)
    return None


def short(location: Location) -> str:
    """`file:line`, relative to the working folder where it lies in it."""
    path, here = Path(location.file), Path.cwd()
    if path.is_relative_to(here):
        path = path.relative_to(here)
    return str(Location(str(path), location.line))


def attribute(location: Location) -> FileLineColLoc:
    return FileLineColLoc(
        StringAttr(location.file), IntAttr(location.line), IntAttr(location.column)
    )
