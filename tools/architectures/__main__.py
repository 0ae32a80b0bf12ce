"""Imports, executes and, with --target, runs every architecture of the table.

One line of JSON each: operators, seconds, and the largest share of an element's bound
that PyTorch and the target used.
"""

from __future__ import annotations

import argparse
import json
import sys
from dataclasses import asdict
from functools import partial
from importlib.util import find_spec
from pathlib import Path

from mbc.codegen.targets import TARGETS
from mbc.runtime.separate import Died, call_each
from tools.architectures.check import Row, check
from tools.architectures.table import TRANSFORMERS, VISION

LIBRARIES = ("transformers", "timm")
LIMIT = 1200.0
"""Seconds after which an architecture is given up."""


def parsed() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    known = [*TRANSFORMERS, *VISION]
    about = f"one of {', '.join(known)}; all by default"
    parser.add_argument(
        "names", nargs="*", metavar="NAME", choices=known, default=known, help=about
    )
    parser.add_argument("--target", default="", choices=sorted(TARGETS))
    parser.add_argument("--jobs", type=int, default=1, help="processes at a time")
    parser.add_argument(
        "--results", type=Path, help="rows go there, too, as JSON lines"
    )
    arguments = parser.parse_args()
    if arguments.jobs < 1:
        parser.error("--jobs is at least 1")
    missing = [name for name in LIBRARIES if find_spec(name) is None]
    if missing:
        install = f"pip install {' '.join(LIBRARIES)}"
        parser.error(f"{missing[0]} is not installed; install: {install}")
    return arguments


def main() -> int:
    arguments = parsed()
    rows: list[Row] = []
    action = partial(check, arguments.target)
    preload = ("mbc.frontend.kernelbench.warm",)
    names, jobs = arguments.names, arguments.jobs
    for name, ended in call_each(action, names, jobs, LIMIT, preload):
        dead = isinstance(ended, Died)
        row = Row(name, ended.reason) if dead else ended.value
        rows.append(row)
        print(json.dumps(asdict(row)), flush=True)
        if arguments.results:
            with arguments.results.open("a", encoding="utf-8") as file:
                file.write(json.dumps(asdict(row)) + "\n")
    equal = sum(row.status == "equal" for row in rows)
    print(f"{equal} of {len(rows)} equal", file=sys.stderr)
    return 0 if equal == len(rows) else 1


if __name__ == "__main__":
    sys.exit(main())
