"""OpenCL programs on any installed runtime, with PoCL on the CPU as the default.

Everything of OpenCL happens in a worker process that is kept between calls, because
starting a runtime costs more than most kernels; see `worker`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, cast

import numpy as np
import numpy.typing as npt

from mbc.codegen.program import Buffer, Program
from mbc.errors import InvalidInput
from mbc.ir.types import NUMPY_DTYPES
from mbc.runtime.conditions import Conditions, host_conditions
from mbc.runtime.isolation import IsolationLevel, isolation_level
from mbc.runtime.measuring import Answer, Timekeeper
from mbc.runtime.opencl.channel import Channel, Lost
from mbc.runtime.opencl.oclgrind import Oclgrind
from mbc.runtime.opencl.wire import Message
from mbc.runtime.outcome import (
    Availability,
    Available,
    Completed,
    EmitOnly,
    Failed,
    FailureKind,
    Measurement,
    NotMeasured,
    RunOutcome,
)
from mbc.runtime.poison import INTEGER_BYTE, float_byte
from mbc.runtime.runner import Arrays
from mbc.runtime.sanitizer import Sanitized
from mbc.runtime.trial import Trial

INSTALL = "apt-get install pocl-opencl-icd, or pip install 'pyopencl[pocl]'"
START_SECONDS = 60
LONGEST_LOG = 16 << 10
TIMER = {"timer": "OpenCL profiling events", "caches": "warm"}
BUILD_SECONDS = 3
"""Added for every function that is launched: a whole model has hundreds."""


@dataclass
class OpenclRunner:
    device_name: str = ""
    """Part of the name of the device to use; empty for the newest PoCL."""
    run_seconds: float = 60
    """Limit of one build and run of one program, without what its functions need."""
    memory_bytes: int = 16 << 30
    channel: Channel = field(init=False)
    oclgrind: Oclgrind = field(init=False, default_factory=Oclgrind)
    description: str = field(init=False, default="")
    runs: int = field(init=False, default=0)

    def __post_init__(self) -> None:
        self.channel = Channel(self.device_name, self.memory_bytes)

    def availability(self) -> Availability:
        opened = self._open()
        if isinstance(opened, Failed):
            return EmitOnly(opened.message, INSTALL)
        return Available(opened)

    def device(self) -> str:
        opened = self._open()
        return "no OpenCL device" if isinstance(opened, Failed) else opened

    def emulates(self) -> bool:
        return False

    def isolation(self) -> IsolationLevel:
        return isolation_level()

    def run(self, program: Program, inputs: Arrays) -> RunOutcome:
        answer = self._ask("run", program, inputs)
        if isinstance(answer, Failed):
            # What it broke may include the worker's own memory.
            if answer.kind == "crash":
                self.channel.close()
            return answer
        return _completed(program, answer.blobs)

    def compile_check(self, program: Program) -> RunOutcome:
        answer = self._ask("build", program, {})
        return answer if isinstance(answer, Failed) else Completed({})

    def measure(self, trials: Sequence[Trial], rounds: int) -> list[Measurement]:
        """Programs that cannot run drop out; the others still share their rounds."""
        opened = self._open()
        if isinstance(opened, Failed):
            return [NotMeasured(opened.message) for _ in trials]

        def ask(
            body: dict[str, Any], blobs: Sequence[bytes], seconds: float
        ) -> Answer | Failed:
            answer = self._answer(self.channel.ask(body, blobs, seconds))
            if isinstance(answer, Failed):
                return answer
            return Answer(answer.body, answer.blobs)

        def encoded(trial: Trial) -> tuple[dict[str, Any], Sequence[bytes]]:
            sets = [case.inputs for case in trial.cases]
            blobs = [blob for one in sets for blob in _input_bytes(trial.program, one)]
            return _described(trial.program, float_byte(0)), blobs

        def conditions() -> Conditions:
            return {**host_conditions(), **TIMER}

        keeper = Timekeeper(
            opened, self.run_seconds, ask, encoded, _completed, conditions
        )
        return keeper.measure(trials, rounds)

    def sanitize(self, program: Program, inputs: Arrays) -> Sanitized:
        """On Oclgrind, whatever device programs run on."""
        body, blobs = _described(program, INTEGER_BYTE), _input_bytes(program, inputs)
        return self.oclgrind.check(program.source, body, blobs)

    def close(self) -> None:
        self.channel.close()
        self.oclgrind.close()

    def _open(self) -> str | Failed:
        """The device's description; asked for once."""
        if not self.description:
            answer = self._answer(self.channel.ask({"op": "device"}, (), START_SECONDS))
            if isinstance(answer, Failed):
                return answer
            self.description = str(answer.body["device"])
        return self.description

    def _ask(self, op: str, program: Program, inputs: Arrays) -> Message | Failed:
        opened = self._open()
        if isinstance(opened, Failed):
            return opened
        blobs = () if op == "build" else _input_bytes(program, inputs)
        self.runs += op == "run"
        body = {"op": op, **_described(program, float_byte(self.runs))}
        seconds = self.run_seconds + BUILD_SECONDS * len(program.functions)
        return self._answer(self.channel.ask(body, blobs, seconds))

    def _answer(self, answer: Message | Lost) -> Message | Failed:
        if isinstance(answer, Lost):
            kind = "timeout" if answer.timed_out else "crash"
            return Failed(kind, answer.message, answer.log)
        failed = answer.body.get("failed")
        if failed is None:
            return answer
        kind = cast(FailureKind, failed["kind"])
        message, log = str(failed["message"]), str(failed["log"])
        return Failed(kind, message, log[:LONGEST_LOG])


def _described(program: Program, poison: int) -> dict[str, Any]:
    return {
        "source": program.source,
        "buffers": [_described_buffer(program, b, poison) for b in program.buffers],
        "launches": [
            {
                "function": launch.function,
                "args": launch.args,
                "grid": launch.grid,
                "block": launch.block,
                "steps": launch.steps,
                "images": launch.images,
            }
            for launch in program.launches
        ],
    }


def _described_buffer(program: Program, buffer: Buffer, poison: int) -> dict[str, Any]:
    floating = "f" in buffer.dtype
    itemsize = NUMPY_DTYPES[buffer.dtype].itemsize
    return {
        "name": buffer.name,
        "nbytes": buffer.nbytes,
        "role": buffer.role,
        "floating": floating,
        "poison": poison if floating else INTEGER_BYTE,
        "view_of": buffer.view_of,
        "offset": buffer.offset * itemsize if buffer.view_of else 0,
    }


def _input_bytes(program: Program, inputs: Arrays) -> list[bytes]:
    found: list[bytes] = []
    for buffer in program.inputs:
        if buffer.name not in inputs:
            raise InvalidInput(f"no array is given for input '{buffer.name}'")
        array = np.ascontiguousarray(inputs[buffer.name], NUMPY_DTYPES[buffer.dtype])
        if array.nbytes != buffer.nbytes:
            raise InvalidInput(
                f"input '{buffer.name}' has shape {array.shape}, "
                f"expected {buffer.shape}"
            )
        found.append(array.tobytes())
    return found


def _completed(program: Program, blobs: Sequence[bytes]) -> RunOutcome:
    outputs: dict[str, npt.NDArray[np.generic]] = {}
    for buffer, blob in zip(program.outputs, blobs, strict=True):
        raw = np.frombuffer(blob, np.uint8)
        if buffer.dtype == "i1" and (raw > 1).any():
            return Failed("crash", f"'{buffer.name}' has a bool that is not 0 or 1")
        array = raw.view(NUMPY_DTYPES[buffer.dtype]).reshape(buffer.shape)
        outputs[buffer.name] = array.copy()
    return Completed(outputs)
