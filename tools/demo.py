"""The main job on two small models: import, tune on two targets, keep what was learned.

    python tools/demo.py [--output demo-out] [--measurements 40]

Tunes a residual conv net and a transformer block (random weights) for RVV, in
modelled cycles, and for OpenCL, in nanoseconds; writes artifacts and the knowledge
base; then runs once more to show that a second run starts from what it knows. A
target that cannot run here is emitted all the same.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from rich.box import SIMPLE
from rich.console import Console
from rich.table import Table

import mbc
from mbc.api.module import Module
from mbc.api.tune import Step
from mbc.api.tuned import Tuned
from mbc.errors import ToolMissing
from mbc.runtime.outcome import EmitOnly
from mbc.runtime.runner import runner_for

ROOT = Path(__file__).parent.parent
MODELS = {
    "residual conv net": ROOT / "tests/models/resnet_block.py",
    "transformer block": ROOT / "tests/models/transformer.py",
}
TUNED = ("rvv", "opencl")
EMITTED = ("rvv", "opencl", "cuda")


def main(argv: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description="Run the main job.")
    parser.add_argument("--output", type=Path, default=ROOT / "demo-out")
    parser.add_argument("--measurements", type=int, default=40)
    options = parser.parse_args(argv)
    options.output.mkdir(parents=True, exist_ok=True)
    console = Console(highlight=False, width=100)
    started = time.monotonic()
    modules = {name: imported(console, name, path) for name, path in MODELS.items()}
    runnable = [target for target in TUNED if can_run(console, target)]
    for name, module in modules.items():
        emit(console, options.output, name, module)
    for heading, measurements in (("cold", options.measurements), ("warm", 4)):
        for target in runnable:
            for name, module in modules.items():
                tune(
                    console, options.output, name, module, target, heading, measurements
                )
    if not runnable:
        console.print("No target can run here; all three were emitted.")
    console.print(f"Done in {time.monotonic() - started:.0f} s; see {options.output}/.")
    return 0


def imported(console: Console, name: str, path: Path) -> Module:
    start = time.monotonic()
    module = mbc.import_file(path)
    ops = sum(1 for op in module.op.walk() if op.name.startswith(("mbc.", "linalg.")))
    console.print(
        f"Imported the {name} from {path.name}: {ops} tensor ops, "
        f"{len(module.parameters)} parameters, {time.monotonic() - start:.1f} s"
    )
    return module


def can_run(console: Console, target: str) -> bool:
    runner = runner_for(target)
    try:
        availability = runner.availability()
        if not isinstance(availability, EmitOnly):
            console.print(f"Target {target}: {runner.device()}")
            return True
    finally:
        runner.close()
    console.print(
        f"Target {target} is emitted only: {availability.reason}. "
        f"To run it: {availability.install}"
    )
    return False


def emit(console: Console, output: Path, name: str, module: Module) -> None:
    for target in EMITTED:
        folder = output / f"{slug(name)}-{target}-default"
        mbc.lower(module, target).save(folder)
    console.print(f"Emitted the {name} for {', '.join(EMITTED)} (unverified)")


def tune(
    console: Console,
    output: Path,
    name: str,
    module: Module,
    target: str,
    heading: str,
    measurements: int,
) -> None:
    start = time.monotonic()

    def progress(step: Step) -> None:
        if step.progress is None or not sys.stderr.isatty():
            return
        print(
            f"\r  {step.label}: {step.progress.measured} measured ",
            end="",
            file=sys.stderr,
        )

    try:
        tuned = mbc.tune(
            module,
            target,
            budget=mbc.Budget(measurements=measurements),
            knowledge_path=output / "kb.db",
            progress=progress,
        )
    except ToolMissing as error:
        console.print(f"{target}: {error.message}")
        return
    tuned.save(output / f"{slug(name)}-{target}")
    title = f"{name} on {target}, {heading}: {tuned.measured} measured"
    console.print(table(f"{title}, {time.monotonic() - start:.0f} s", tuned))
    console.print(f"  whole model: {tuned.check}")


def table(title: str, tuned: Tuned) -> Table:
    units = {row.unit for row in tuned.rows if row.unit}
    table = Table(title=title, title_justify="left", box=SIMPLE)
    table.add_column("kernel")
    table.add_column("family")
    for column in ("default", "tuned"):
        table.add_column(f"{column}, {'/'.join(units)}", justify="right")
    table.add_column("ratio", justify="right")
    table.add_column("fidelity")
    table.add_column("verdict")
    table.add_column("known", justify="right")
    for row in tuned.rows:
        cells = (f"{row.default:,.0f}", f"{row.tuned:,.0f}", f"{row.ratio:.2f}")
        table.add_row(
            row.label, row.family, *cells, row.fidelity, row.verdict, str(row.recalled)
        )
    default, best = (
        sum(getattr(r, n) for r in tuned.rows) for n in ("default", "tuned")
    )
    cells = (f"{default:,.0f}", f"{best:,.0f}", f"{default / best:.2f}" if best else "")
    table.add_section()
    table.add_row("all", "", *cells, "", "", "")
    return table


def slug(name: str) -> str:
    return name.replace(" ", "-")


if __name__ == "__main__":
    sys.exit(main())
