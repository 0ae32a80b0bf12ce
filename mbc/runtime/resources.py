"""Files that are not Python: found in an installed wheel and in a source checkout."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

from mbc.errors import ToolMissing


def resource_dir(name: str) -> Path:
    """The folder of the developer tool `name`, such as `rvvcost`.

    A wheel holds `tools/<name>` as the package `mbc._<name>`.
    """
    spec = find_spec(f"mbc._{name}")
    if spec is not None and spec.submodule_search_locations:
        return Path(next(iter(spec.submodule_search_locations)))
    checkout = Path(__file__).resolve().parents[2] / "tools" / name
    if checkout.is_dir():
        return checkout
    raise ToolMissing(f"the files of '{name}' are missing; reinstall mbc")
