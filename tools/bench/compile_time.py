"""Import, text, parse, pipeline and start-up times of the compiler itself."""

from __future__ import annotations

import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from tools.bench.options import Figures, Options

ROOT = Path(__file__).parent.parent.parent
MODEL = ROOT / "tests/models/transformer12.py"

IMPORT = """
import json, resource, sys, time
start = time.perf_counter()
import mbc
module = mbc.import_file(sys.argv[1])
seconds = time.perf_counter() - start
module.save(sys.argv[2])
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
print(json.dumps([seconds, peak]))
"""


def rows(_: Options) -> Iterator[tuple[str, Figures]]:
    yield "compiler", figures()


def figures() -> Figures:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model.mlir"
        seconds, peak = imported(path)
        small = Path(folder) / "small.mlir"
        small.write_text(SMALL)
        return {
            "import 12-layer transformer, s": round(seconds, 2),
            "import peak, MB": round(peak),
            "text, MB": round(path.stat().st_size / 1e6, 3),
            **parsed(path),
            "mbc-opt on a small file, s": round(start_up(small), 2),
        }


def imported(path: Path) -> tuple[float, float]:
    """Seconds and peak resident megabytes in a process of its own."""
    import json

    done = subprocess.run(
        [sys.executable, "-c", IMPORT, str(MODEL), str(path)],
        capture_output=True,
        text=True,
        check=True,
        cwd=ROOT,
    )
    seconds, peak = json.loads(done.stdout.splitlines()[-1])
    return seconds, peak


def parsed(path: Path) -> dict[str, object]:
    from mbc.codegen.targets import target_named
    from mbc.ir.attributes import TARGET
    from mbc.ir.context import new_context
    from mbc.ir.text import parse_module
    from mbc.passes.pipeline import parse, run

    text = path.read_text()
    start = time.perf_counter()
    module = parse_module(text, str(path))
    parsing = time.perf_counter() - start
    target = target_named("rvv")
    module.attributes[TARGET] = target.attribute()
    start = time.perf_counter()
    run(new_context(), module, parse(target.pipeline))
    return {
        "parse, s": round(parsing, 2),
        "default pipeline, s": round(time.perf_counter() - start, 2),
    }


SMALL = """
func.func @forward(%x: tensor<16x256xf32>) -> tensor<16x256xf32> {
  %0 = mbc.softmax %x {axis = 1 : i64, log = false}
    : (tensor<16x256xf32>) -> tensor<16x256xf32>
  return %0 : tensor<16x256xf32>
}
"""


def start_up(path: Path) -> float:
    """Median wall seconds of `mbc-opt FILE --target rvv`."""
    samples: list[float] = []
    for _ in range(5):
        start = time.perf_counter()
        command = [sys.executable, "-m", "mbc.cli.opt", str(path), "--target", "rvv"]
        subprocess.run(command, capture_output=True, check=True, cwd=ROOT)
        samples.append(time.perf_counter() - start)
    return statistics.median(samples)
