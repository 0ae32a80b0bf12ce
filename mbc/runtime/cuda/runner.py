"""CUDA programs on the GPU, in a process of their own; emulated where there is none.

A crash, a hang or a device error costs one typed failure and a fresh process. Without
a GPU, programs are compiled and checked on the CPU, and never timed.
"""

from __future__ import annotations

from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from mbc.codegen.program import Buffer, Program
from mbc.errors import InvalidInput
from mbc.runtime.conditions import Conditions, gpu_conditions, host_conditions
from mbc.runtime.cuda import emulation, nvcc, nvrtc
from mbc.runtime.cuda.client import WorkerClient
from mbc.runtime.cuda.emulation import EmulatedCudaRunner
from mbc.runtime.cuda.sanitizer import sanitized
from mbc.runtime.cuda.wire import Message, encode_program
from mbc.runtime.isolation import IsolationLevel, isolation_level
from mbc.runtime.measuring import Answer, Timekeeper
from mbc.runtime.outcome import (
    Availability,
    Available,
    Completed,
    EmitOnly,
    Failed,
    Measurement,
    NotMeasured,
    RunOutcome,
)
from mbc.runtime.runner import Arrays
from mbc.runtime.rvv.job import NUMPY_DTYPES, Array
from mbc.runtime.sanitizer import Sanitized
from mbc.runtime.toolchain import Found, find_nvcc
from mbc.runtime.trial import Trial

GPU_NODES = ("/dev/nvidiactl", "/dev/dxg")
INSTALL = f"an NVIDIA GPU with its driver, and {nvrtc.INSTALL}"
START_SECONDS = 120
MEASURE_SECONDS = 600
BUILD_SECONDS = 2
"""Added for every function that is launched: a whole model has hundreds."""
TIMER = {"timer": "CUDA events", "caches": "flushed"}


class CudaRunner:
    """Runs, compiles and times programs; keeps one worker process."""

    def __init__(self, run_seconds: float = 120):
        self.run_seconds = run_seconds
        self.client = WorkerClient()
        self.emulated = EmulatedCudaRunner()
        self.probed: Message | Failed | None = None

    def availability(self) -> Availability:
        gpu = self._gpu()
        if isinstance(gpu, Message):
            return Available(str(gpu.header["device"]))
        emulated = self.emulated.availability()
        if isinstance(emulated, Available):
            return Available(f"{emulated.description} ({gpu.message})")
        return EmitOnly(gpu.message, f"{INSTALL}, or {emulated.install}")

    def device(self) -> str:
        gpu = self._gpu()
        if isinstance(gpu, Message):
            return str(gpu.header["device"])
        return self.emulated.device()

    def emulates(self) -> bool:
        """Whether programs run on the CPU here, for want of a GPU."""
        return isinstance(self._gpu(), Failed)

    def isolation(self) -> IsolationLevel:
        return isolation_level()

    def run(self, program: Program, inputs: Arrays) -> RunOutcome:
        if isinstance(self._gpu(), Failed):
            return self.emulated.run(program, inputs)
        request = {"ask": "run", "program": encode_program(program)}
        reply = self.client.ask(request, _bytes(program, inputs), self._limit(program))
        if isinstance(reply, Failed):
            return reply
        return Completed(_outputs(program, reply.blobs))

    def compile_check(self, program: Program) -> RunOutcome:
        """By the GPU's worker; without a GPU with nvcc, which needs no worker."""
        on_gpu = isinstance(self._gpu(), Message)
        if not on_gpu and (isinstance(find_nvcc(), Found) or not nvrtc.is_installed()):
            return nvcc.compile_check(program)
        request = {"ask": "compile", "program": encode_program(program)}
        reply = self.client.ask(request, (), self._limit(program))
        return reply if isinstance(reply, Failed) else Completed({})

    def _limit(self, program: Program) -> float:
        return self.run_seconds + BUILD_SECONDS * len(program.functions)

    def measure(self, trials: Sequence[Trial], rounds: int) -> list[Measurement]:
        """Programs that cannot run drop out; the others still share their rounds."""
        gpu = self._gpu()
        if isinstance(gpu, Failed):
            return [NotMeasured(f"{gpu.message}; needed: {INSTALL}") for _ in trials]
        device = str(gpu.header["device"])
        keeper = Timekeeper(
            device, MEASURE_SECONDS, self._ask, encoded_trial, completed, _conditions
        )
        return keeper.measure(trials, rounds)

    def _ask(
        self, body: dict[str, Any], blobs: Sequence[bytes], seconds: float
    ) -> Answer | Failed:
        reply = self.client.ask({**body, "ask": body["op"]}, blobs, seconds)
        return reply if isinstance(reply, Failed) else Answer(reply.header, reply.blobs)

    def sanitize(self, program: Program, inputs: Arrays) -> Sanitized:
        """Under compute-sanitizer; the emulation's own run has its checks built in."""
        if self.emulates():
            return emulation.built_in_checks()
        return sanitized(program, inputs)

    def close(self) -> None:
        self.client.close()

    def _gpu(self) -> Message | Failed:
        """The worker's greeting, or why there is no GPU to run on; asked once."""
        if self.probed is None:
            missing = _missing()
            if missing:
                self.probed = Failed("blocked", missing)
            else:
                self.probed = self.client.ask({"ask": "hello"}, (), START_SECONDS)
        return self.probed


def _missing() -> str:
    if not any(Path(node).exists() for node in GPU_NODES):
        return "no NVIDIA GPU here"
    if find_spec("torch") is None or not nvrtc.is_installed():
        return "an NVIDIA GPU, but no cuda-core"
    return ""


def _bytes(program: Program, inputs: Arrays) -> list[bytes]:
    return [_checked(buffer, inputs).tobytes() for buffer in program.inputs]


def _checked(buffer: Buffer, inputs: Arrays) -> Array:
    if buffer.name not in inputs:
        raise InvalidInput(f"input '{buffer.name}' was not given")
    array = inputs[buffer.name]
    wanted = NUMPY_DTYPES[buffer.dtype]
    if array.shape != buffer.shape or array.dtype.itemsize != wanted.itemsize:
        raise InvalidInput(
            f"input '{buffer.name}' is {array.dtype}{list(array.shape)}, "
            f"not {wanted}{list(buffer.shape)}"
        )
    return array


def _outputs(program: Program, blobs: Sequence[bytes]) -> dict[str, Array]:
    return {
        buffer.name: np.frombuffer(blob, NUMPY_DTYPES[buffer.dtype])
        .reshape(buffer.shape)
        .copy()
        for buffer, blob in zip(program.outputs, blobs, strict=True)
    }


def encoded_trial(trial: Trial) -> tuple[dict[str, Any], Sequence[bytes]]:
    sets = [case.inputs for case in trial.cases]
    blobs = [blob for one in sets for blob in _bytes(trial.program, one)]
    return {"program": encode_program(trial.program)}, blobs


def completed(program: Program, blobs: Sequence[bytes]) -> RunOutcome:
    return Completed(_outputs(program, blobs))


def _conditions() -> Conditions:
    return {**host_conditions(), **gpu_conditions(), **TIMER}
