"""Benchmarks: `python -m tools.bench [--only NAME] [--target NAME] [--match TEXT]`.

Every ratio comes from one interleaved run; the last line printed is one JSON object
with all figures. These are no tests: nothing here is asserted.
"""

from __future__ import annotations

import argparse
import json
import platform
import sys
from collections.abc import Callable, Iterator, Sequence

from mbc.errors import MbcError
from tools.bench import compile_time, demo, opencl, rvv
from tools.bench.options import Figures, Options

Rows = Iterator[tuple[str, Figures]]

LAYERS_ON: dict[str, Callable[[Options], Rows]] = {
    "rvv": rvv.rows,
    "opencl": opencl.rows,
}


def layers(options: Options) -> Rows:
    for target in options.targets:
        for name, figures in LAYERS_ON[target](options):
            yield f"{target} {name}", figures


BENCHES: dict[str, Callable[[Options], Rows]] = {
    "compile": compile_time.rows,
    "layers": layers,
    "demo": demo.rows,
}


def main(argv: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m tools.bench")
    parser.add_argument("--only", choices=BENCHES, action="append")
    parser.add_argument("--target", choices=LAYERS_ON, action="append")
    parser.add_argument("--match", default="", help="only rows whose name holds it")
    parser.add_argument("--measurements", type=int, default=Options.measurements)
    parser.add_argument("--rounds", type=int, default=Options.rounds)
    read = parser.parse_args(argv)
    targets = tuple(read.target or LAYERS_ON)
    options = Options(targets, read.match, read.measurements, read.rounds)
    found: dict[str, object] = {"machine": platform.processor() or platform.machine()}
    for name in read.only or BENCHES:
        found[name] = shown(name, BENCHES[name](options))
    print(json.dumps(found))
    return 0


def shown(bench: str, rows: Rows) -> dict[str, Figures]:
    """All rows, each printed as soon as it is known."""
    found: dict[str, Figures] = {}
    try:
        for name, figures in rows:
            found[name] = figures
            print(f"  {bench} {name}: {figures}", flush=True)
    except MbcError as error:
        print(f"  {bench} stopped: {error.message}", file=sys.stderr)
    return found


if __name__ == "__main__":
    sys.exit(main())
