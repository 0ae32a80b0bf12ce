"""The one interface between mbc and a place where code runs.

A runner is looked up by target name in `RUNNERS`, lazily, so that importing mbc
imports no toolchain. Every program is built and run outside this process, with time
and memory limits; the reference and the comparison stay here.
"""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from typing import Protocol

from mbc.codegen.program import Program
from mbc.errors import InvalidInput
from mbc.runtime.outcome import Availability, Measurement, RunOutcome
from mbc.runtime.trial import Arrays, Trial

__all__ = ["RUNNERS", "Arrays", "Runner", "runner_for"]

RUNNERS = {
    "rvv": "mbc.runtime.rvv.runner:RvvRunner",
    "opencl": "mbc.runtime.opencl.runner:OpenclRunner",
    "cuda": "mbc.runtime.cuda.runner:CudaRunner",
}


class Runner(Protocol):
    """Builds, runs and times programs of one target."""

    def availability(self) -> Availability:
        """Whether programs can run here; probes once, then answers from memory."""
        ...

    def device(self) -> str:
        """Name and version of what programs run on; the identity of a number."""
        ...

    def emulates(self) -> bool:
        """Whether this machine only imitates what programs are for, slowly."""
        ...

    def isolation(self) -> str:
        """What stands between candidates and the machine: "namespaces" or "limits"."""
        ...

    def run(self, program: Program, inputs: Arrays) -> RunOutcome:
        """Run once on fresh copies of `inputs`, with poisoned outputs and scratch.

        On RVV this runs at VLEN 128, 256 and 512 with agnostic lanes poisoned and
        fails with kind `crash` if the three results differ by more than the order
        of additions explains.
        """
        ...

    def compile_check(self, program: Program) -> RunOutcome:
        """Build only: `Completed({})`, or `Failed` with the compiler's words."""
        ...

    def measure(self, trials: Sequence[Trial], rounds: int) -> list[Measurement]:
        """Time programs in one interleaved run, one measurement each, in order.

        The result of every timed call is judged by its case; at most `rounds` samples
        are taken, fewer where they agree (`statistics.settled`).
        """
        ...

    def close(self) -> None:
        """End helper processes."""
        ...


def runner_for(target: str) -> Runner:
    """The runner of `target`; `InvalidInput` for an unknown name."""
    if target not in RUNNERS:
        names = ", ".join(sorted(RUNNERS))
        raise InvalidInput(
            f"target '{target}' not registered; registered targets: {names}"
        )
    module, name = RUNNERS[target].split(":")
    return getattr(import_module(module), name)()
