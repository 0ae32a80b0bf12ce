"""A kernel environment with a hidden performance model, in place of IR and devices.

Schedules are sets of knobs; the best tile depends on the device's cache and vector
width on its lanes. The roofline prior knows the direction of things, not their size.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from mbc.agent.evaluation import Evaluated, Passed, Rejected
from mbc.agent.policy import Candidate
from mbc.agent.records import ActionText, Estimate, KernelIdentity, TargetIdentity
from mbc.agent.state import DevicePeaks, KernelFacts, extract
from mbc.runtime.outcome import Fidelity, Measured
from tests.agent.samples import PROVEN

TILES = (8, 16, 32, 64, 128, 256)
STEPS = {
    "set-tile": [f"sizes={m},{n}" for m in TILES for n in TILES],
    "set-vector": [f"width={w}" for w in (4, 8, 16)],
    "set-unroll": [f"factor={f}" for f in (2, 4, 8)],
    "pack-operand": ["operand=1"],
}
TARGET = TargetIdentity("rvv", "simd", "toy core v1", "clang 19")


def kernel(name: str = "gemm", size: int = 128) -> KernelIdentity:
    shape = f"{size}x{size}x{size}"
    return KernelIdentity(
        f"{name}-{size}", "contract", "f32", shape, 2.0 * size**3, 12.0 * size**2
    )


@dataclass
class Toy:
    kernel: KernelIdentity = field(default_factory=kernel)
    target: TargetIdentity = TARGET
    label: str = "k3"
    cache: int = 32768
    lanes: int = 8
    evaluated: list[str] = field(default_factory=list)
    interrupt_after: int = 10**9

    def default(self) -> str:
        return f"set-parallel{{kernel={self.label}}}"

    def legal_actions(self, pipeline: str) -> Sequence[Candidate]:
        """A step replaces one of the same name, as a schedule has one tile."""
        done = _knobs(pipeline)
        return [
            self._candidate(done, name, argument)
            for name, arguments in STEPS.items()
            for argument in arguments
        ]

    def evaluate(self, pipelines: Sequence[str], reference: str) -> Iterator[Evaluated]:
        for pipeline in pipelines:
            if len(self.evaluated) >= self.interrupt_after:
                raise KeyboardInterrupt
            self.evaluated.append(pipeline)
            yield self._evaluate(pipeline, reference)

    def cycles(self, pipeline: str) -> float:
        """The hidden model."""
        knobs = _values(pipeline)
        m, n = map(int, knobs.get("set-tile", "4,4").split(","))
        width = int(knobs.get("set-vector", 1))
        time = self.kernel.flops / min(width, self.lanes) ** 0.8
        time *= 1 + 0.3 * abs(math.log2(m / 32)) + 0.2 * abs(math.log2(n / 64))
        if 4 * (m * n + 64 * (m + n)) > self.cache:
            time *= 2.5
        time *= {1: 1.0, 2: 0.93, 4: 0.88, 8: 1.05}[int(knobs.get("set-unroll", 1))]
        if "pack-operand" in knobs:
            time *= 0.7 if "set-tile" in knobs else 1.0
        return time

    def optimum(self) -> float:
        """Cycles of the best schedule."""
        tails = ",set-vector{width=%d},set-unroll{factor=4},pack-operand{operand=1}"
        return min(
            self.cycles(f"set-tile{{{tile}}}" + tails % width)
            for tile in STEPS["set-tile"]
            for width in (4, 8, 16)
        )

    def _candidate(self, done: dict[str, str], name: str, argument: str) -> Candidate:
        steps = {**done, name: argument}
        pipeline = ",".join(
            f"{step}{{kernel={self.label} {steps[step]}}}"
            for step in STEPS
            if step in steps
        )
        prior = Estimate(_prior(name, argument) - _prior(name, done.get(name)), 0.25)
        knobs: dict[str, float | str] = {"argument": argument}
        return Candidate(ActionText(f"{name}{{{argument}}}"), pipeline, prior, knobs)

    def _evaluate(self, pipeline: str, reference: str) -> Evaluated:
        if (
            "set-vector" in pipeline
            and int(_values(pipeline)["set-vector"]) > self.lanes
        ):
            return Rejected("compile_fail", "the vector is wider than the registers")
        facts = KernelFacts(
            family=self.kernel.family,
            flops=self.kernel.flops,
            bytes=self.kernel.bytes,
            workset_bytes=65536,
            dtype_width=4,
            inner_extent=int(_values(pipeline).get("set-vector", 1)),
            parallel_points=4096,
        )
        peaks = DevicePeaks("cycles", 16.0, 8.0, 10.0, self.lanes, 1, (32768, 1 << 20))
        measured = self._measured(pipeline)
        state = extract(facts, peaks, measured)
        return Passed(measured, self._measured(reference), state, PROVEN)

    def _measured(self, pipeline: str) -> Measured:
        cycles = self.cycles(pipeline)
        return Measured(cycles, "cycles", Fidelity.MODELLED, self.target.device)


def _knobs(pipeline: str) -> dict[str, str]:
    """`set-unroll{kernel=k3 factor=2}` is {"set-unroll": "factor=2"}."""
    steps = (step.rstrip("}").partition("{") for step in pipeline.split("},"))
    return {name: arguments.split(" ")[-1] for name, _, arguments in steps}


def _values(pipeline: str) -> dict[str, str]:
    return {name: text.split("=")[-1] for name, text in _knobs(pipeline).items()}


def _prior(name: str, argument: str | None) -> float:
    if argument is None:
        return 0.0
    value = argument.split("=")[1]
    match name:
        case "set-tile":
            m, n = map(int, value.split(","))
            return 0.5 if 4 * m * n <= 16384 and m >= 16 else -0.1
        case "set-vector":
            return 0.6 if value == "8" else 0.3
        case _:
            return 0.05
