"""RISC-V Vector programs under an emulator: checked at three vector lengths, and
timed in modelled cycles.

Agnostic tail and masked lanes are poisoned in every run. The cost model is a plugin
of one QEMU release; where that one is absent, programs run but are not measured.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import count

import numpy as np
import numpy.typing as npt

from mbc.codegen.program import Program
from mbc.runtime.isolation import IsolationLevel, isolation_level
from mbc.runtime.outcome import (
    Availability,
    Available,
    Completed,
    EmitOnly,
    Failed,
    Fidelity,
    Measured,
    Measurement,
    NotMeasured,
    RunOutcome,
)
from mbc.runtime.runner import Arrays
from mbc.runtime.rvv.agreement import disagreement
from mbc.runtime.rvv.build import Executable, build_plugin, build_program
from mbc.runtime.rvv.emulate import Emulator, Machine
from mbc.runtime.rvv.job import Array, Damage, Job, Placement, make_job
from mbc.runtime.toolchain import (
    Found,
    Missing,
    Tool,
    find_host_compiler,
    find_qemu_riscv64,
    find_rvv_compiler,
)
from mbc.runtime.trial import Observed, Trial, caught

MODEL = "rvvcost model v1"
Mask = npt.NDArray[np.bool_]

VLENS = (128, 256, 512)
RUNS = count()
PLACEMENTS = (Placement.FLUSH_TO_END, Placement.FLUSH_TO_START)
DEFAULT_VLEN = 256
MODELLED = {"timer": MODEL, "caches": "warm", "clocks": "modelled"}
COUNTED = {"timer": "instructions", "caches": "none", "clocks": "none"}
WARM_CALLS = 1
PARALLEL = 2
NEEDS_PLUGINS = (
    "modelled cycles need the dynamic qemu-riscv64 7.2 of Debian 12 (qemu-user)"
)


@dataclass(frozen=True)
class RvvRunner:
    run_seconds: float = 120
    """Limit of one run of one program."""

    def availability(self) -> Availability:
        compiler, qemu = find_rvv_compiler(), find_qemu_riscv64()
        for tool in (compiler, qemu):
            if isinstance(tool, Missing):
                return EmitOnly(tool.reason, tool.install)
        return Available(
            f"{compiler}, qemu-riscv64 {_version(qemu)}, "
            f"{_clock(qemu)}, isolated by {isolation_level()}"
        )

    def device(self) -> str:
        machine = Machine(DEFAULT_VLEN, DEFAULT_VLEN)
        qemu = find_qemu_riscv64()
        if isinstance(qemu, Found) and _clock(qemu) != MODEL:
            return _counter(qemu, machine)
        return _device(machine)

    def emulates(self) -> bool:
        return True

    def run(self, program: Program, inputs: Arrays) -> RunOutcome:
        qemu = find_qemu_riscv64()
        if isinstance(qemu, Missing):
            return _blocked(qemu)
        executable = build_program(program)
        if isinstance(executable, Failed):
            return executable
        emulator = Emulator(qemu, self.run_seconds)
        chosen = _machine(program).vlen
        results: dict[int, dict[str, Array]] = {}
        untouched: list[Mapping[str, Mask]] = []
        # From run to run and VLEN to VLEN, what guards and poison leave out alternates.
        first = next(RUNS)
        for call, vlen in enumerate(sorted({*VLENS, chosen}), first):
            placement = PLACEMENTS[call % len(PLACEMENTS)]
            job = make_job(program, inputs, 0, placement, call)
            outputs = _outcome(emulator.run(executable, job, vlen), job)
            match outputs:
                case Failed(kind, message, log):
                    return Failed(kind, f"{message} at VLEN {vlen}", log)
                case Damage(message):
                    return Failed("crash", f"{message} at VLEN {vlen}")
                case _:
                    results[vlen] = outputs
                    untouched.append(job.unwritten(outputs))
        problem = _unwritten(untouched) or disagreement(results, inputs.values())
        return Failed("crash", problem) if problem else Completed(results[chosen])

    def isolation(self) -> IsolationLevel:
        return isolation_level()

    def compile_check(self, program: Program) -> RunOutcome:
        built = build_program(program)
        return built if isinstance(built, Failed) else Completed({})

    def measure(self, trials: Sequence[Trial], rounds: int) -> list[Measurement]:
        """The model is deterministic: one sample each, whatever `rounds` is.

        Two runs each: one in which outputs are poisoned anew between the warm-up and
        the last call, and the one that is counted. Both results are judged.
        """
        with ThreadPoolExecutor(PARALLEL) as pool:
            return list(pool.map(self._measure, trials))

    def close(self) -> None:
        """Nothing outlives a call."""

    def _measure(self, trial: Trial) -> Measurement:
        qemu = find_qemu_riscv64()
        if isinstance(qemu, Missing):
            return NotMeasured(f"{qemu.reason}; install: {qemu.install}")
        program = trial.program
        executable = build_program(program)
        if isinstance(executable, Failed):
            return NotMeasured(executable.message)
        machine = _machine(program)
        emulator = Emulator(qemu, self.run_seconds)
        # Another case and another poison than in the counted run: a number, not NaN.
        last = len(trial.cases) - 1
        job = make_job(
            program, trial.cases[last].inputs, WARM_CALLS, call=1, restored=True
        )
        raw = emulator.run(executable, job, machine.vlen)
        wrong = _caught(trial, last, job, raw)
        if wrong is not None:
            return wrong
        plugin = build_plugin() if qemu.kind == "plugins" else None
        job = make_job(program, trial.cases[0].inputs, WARM_CALLS)
        if plugin is None or isinstance(plugin, Failed):
            return _counted(emulator, executable, trial, job, machine)
        cost = emulator.cost(executable, job, machine, plugin)
        if isinstance(cost, Failed):
            return NotMeasured(cost.message)
        numbers, raw = cost
        wrong = _caught(trial, 0, job, raw)
        if wrong is not None:
            return wrong
        cycles, device = numbers.pop("cycles"), _device(machine)
        level, known = Fidelity.MODELLED, {**MODELLED, "checked": 2.0}
        return Measured(cycles, "cycles", level, device, (cycles,), numbers, known)


def _caught(
    trial: Trial, case: int, job: Job, raw: bytes | Damage | Failed
) -> NotMeasured | None:
    """What the last call of a job has done wrong.

    A program that updates an input has updated it once more than the reference in a
    job that does not restore it: only what it must leave alone is checked then.
    """
    if isinstance(raw, Failed):
        return NotMeasured(raw.message)
    outputs = raw if isinstance(raw, Damage) else job.outputs(raw)
    if isinstance(outputs, Damage):
        return NotMeasured(outputs.message, "changed input")
    updates = any(buffer.view_of for buffer in trial.program.outputs)
    if updates and not job.restored:
        return None
    return caught(trial, (Observed(case, outputs, 1),), 1)


def _outcome(
    raw: bytes | Damage | Failed, job: Job
) -> dict[str, Array] | Damage | Failed:
    return job.outputs(raw) if isinstance(raw, bytes) else raw


def _unwritten(runs: Sequence[Mapping[str, Mask]]) -> str | None:
    """An integer that is each run's own poison was never written."""
    for name in runs[0]:
        if np.logical_and.reduce([run[name] for run in runs]).any():
            return f"the kernel leaves a part of '{name}' unwritten"
    return None


def _counted(
    emulator: Emulator,
    executable: Executable,
    trial: Trial,
    job: Job,
    machine: Machine,
) -> Measurement:
    """Instructions, where the cost model cannot run: another fidelity, never mixed."""
    counted = emulator.count(executable, job, machine.vlen)
    if isinstance(counted, Failed):
        return NotMeasured(f"{counted.message}; {NEEDS_PLUGINS}")
    count, raw = counted
    wrong = _caught(trial, 0, job, raw)
    if wrong is not None:
        return wrong
    device, sample = _counter(emulator.qemu, machine), (float(count),)
    level, known = Fidelity.COUNTED, {**COUNTED, "checked": 2.0}
    return Measured(count, "instructions", level, device, sample, conditions=known)


def _machine(program: Program) -> Machine:
    options = dict(program.options)
    vlen = int(options.get("vlen", DEFAULT_VLEN))
    return Machine(vlen, int(options.get("dlen", vlen)))


def _counter(qemu: Found, machine: Machine) -> str:
    return f"qemu-riscv64 {qemu.version} vlen{machine.vlen} {find_rvv_compiler()}"


def _device(machine: Machine) -> str:
    return f"{MODEL} {machine} {find_rvv_compiler()}"


def _clock(qemu: Tool) -> str:
    """What numbers are: the cost model needs a plugin interface and a host compiler."""
    plugins = isinstance(qemu, Found) and qemu.kind == "plugins"
    builds = isinstance(find_host_compiler(), Found)
    return MODEL if plugins and builds else "instruction counts"


def _version(tool: Tool) -> str:
    return tool.version if isinstance(tool, Found) else "absent"


def _blocked(tool: Missing) -> Failed:
    return Failed("blocked", f"{tool.reason}; install: {tool.install}")
