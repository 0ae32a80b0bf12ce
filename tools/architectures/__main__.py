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
from pathlib import Path

from mbc.runtime.separate import Died, call_each
from tools.architectures.check import Row, check
from tools.architectures.table import TRANSFORMERS, VISION

LIMIT = 1200.0


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME")
    parser.add_argument("--target", default="")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--results", type=Path)
    arguments = parser.parse_args()
    names = arguments.names or [*TRANSFORMERS, *VISION]
    rows: list[Row] = []
    action = partial(check, arguments.target)
    preload = ("mbc.frontend.kernelbench.warm",)
    for name, ended in call_each(action, names, arguments.jobs, LIMIT, preload):
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
