"""Benchmarks: `python -m tools.bench [compile] [rvv] [opencl]` from the repository.

Every ratio comes from one interleaved run; the last line printed is one JSON object
with all figures. These are no tests: nothing here is asserted.
"""

from __future__ import annotations

import json
import platform
import sys
from collections.abc import Callable

from tools.bench import compile_time, opencl, rvv

Figures = dict[str, object]

BENCHES: dict[str, Callable[[], Figures]] = {
    "compile": compile_time.figures,
    "rvv": rvv.figures,
    "opencl": opencl.figures,
}


def main(argv: list[str]) -> int:
    unknown = [name for name in argv if name not in BENCHES]
    if unknown:
        print(f"no bench is called '{unknown[0]}'; benches: {', '.join(BENCHES)}")
        return 2
    found: Figures = {"machine": platform.processor() or platform.machine()}
    for name in argv or BENCHES:
        print(f"{name} ...", file=sys.stderr, flush=True)
        figures = BENCHES[name]()
        found[name] = figures
        for key, value in sorted(figures.items()):
            print(f"  {name} {key}: {value}")
    print(json.dumps(found))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
