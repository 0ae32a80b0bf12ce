"""OpenCL in the worker: one device, programs built once, runs and timed rounds.

Run: every buffer lies between two guards in an allocation of its own; what must not
change is compared afterwards. Time: plain buffers; programs take turns in rounds, and
the results of all calls are kept for whoever asked.
"""

from __future__ import annotations

import hashlib
import re
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pyopencl as cl

from mbc.runtime.opencl.memory import Buffers, Trouble, guarded, reviewed, unguarded
from mbc.runtime.opencl.texels import Texels, texels
from mbc.runtime.opencl.timing import Timed, granularity, timed
from mbc.runtime.opencl.wire import Message
from mbc.runtime.rounds import SIZING_CALLS, Rounds, batch_of

__all__ = ["Reply", "Session", "Trouble"]

BUILD_OPTIONS = ["-cl-std=CL1.2"]


@dataclass(frozen=True)
class Reply:
    body: dict[str, Any]
    blobs: tuple[bytes, ...] = ()


@dataclass(frozen=True)
class Call:
    """A kernel with its arguments bound, ready to enqueue; steps pass their index."""

    kernel: Any
    size: tuple[int, int, int]
    group: tuple[int, int, int]
    steps: int
    arguments: int
    images: tuple[Texels, ...] = ()


@dataclass
class Session:
    context: Any
    queue: Any
    description: str
    options: list[str] = field(default_factory=BUILD_OPTIONS.copy)
    built: dict[str, Any] = field(default_factory=dict[str, Any])
    loaded: list[Timed] = field(default_factory=list[Timed])
    rounds: Rounds | None = None
    granules: float = 0.0
    """The timer's granularity in ns; measured before anything is timed."""

    @classmethod
    def open(cls, wanted: str) -> Session:
        device, description = choose_device(wanted)
        context = cl.Context([device])
        profiling = cl.command_queue_properties.PROFILING_ENABLE
        return cls(context, cl.CommandQueue(context, properties=profiling), description)

    def answer(self, message: Message) -> Reply:
        handlers: Mapping[str, Callable[[Message], Reply]] = {
            "device": lambda _: Reply({"device": self.description}),
            "build": self.build_only,
            "run": self.run,
            "check": self.check,
            "load": self.load,
            "unload": self.unload,
            "time": self.time,
            "results": self.results,
        }
        try:
            return handlers[message.body["op"]](message)
        except cl.Error as error:
            raise Trouble("crash", f"OpenCL refused: {_first_line(error)}") from error

    def build_only(self, message: Message) -> Reply:
        program = self._program(message.body["source"])
        for launch in message.body["launches"]:
            self._kernel(program, launch["function"])
        return Reply({})

    def run(self, message: Message) -> Reply:
        buffers = guarded(self.context, message.body["buffers"], message.blobs)
        calls = self._calls(message.body, buffers.arguments)
        self._enqueue(calls)
        return Reply({}, reviewed(self.queue, buffers))

    def check(self, message: Message) -> Reply:
        """Run on a simulator, which forgets a context's memory with it."""
        fresh = Session.open(self.description)
        fresh.options = [*BUILD_OPTIONS, *message.body["options"]]
        buffers = unguarded(fresh.context, message.body["buffers"], message.blobs)
        fresh._enqueue(fresh._calls(message.body, buffers.arguments))
        return Reply({})

    def load(self, message: Message) -> Reply:
        """A few samples tell how long a call is; they are checked like any other."""
        self.granules = self.granules or granularity(self.context, self.queue)
        body, blobs = message.body, message.blobs
        size = len(blobs) // body["cases"] if body["cases"] else 0
        cases = [blobs[i * size : (i + 1) * size] for i in range(body["cases"])]

        def caller(buffers: Buffers) -> Callable[[], int]:
            calls = self._calls(body, buffers.arguments)
            return lambda: self._enqueue(calls)

        subject = timed(self.context, self.queue, body["buffers"], cases, caller)
        alone = Rounds([subject], np.random.default_rng(body["seed"]))
        alone.take(1)  # the first call compiles for its work-group size
        started = time.monotonic()
        (spans,) = alone.take(SIZING_CALLS - 1)
        seconds = (time.monotonic() - started) / len(spans)
        subject.batch = batch_of(min(spans), self.granules)
        self.loaded.append(subject)
        return Reply({"seconds": seconds * subject.batch, "calls": SIZING_CALLS})

    def unload(self, message: Message) -> Reply:
        self.loaded.clear()
        self.rounds = None
        return Reply({})

    def time(self, message: Message) -> Reply:
        """Rounds on all that is loaded; warm-ups are rounds that the asker drops."""
        if self.rounds is None:
            rng = np.random.default_rng(message.body["seed"])
            self.rounds = Rounds(self.loaded, rng)
        samples = self.rounds.take(message.body["rounds"])
        batches = [subject.batch for subject in self.loaded]
        timer = {"granularity": self.granules, "batches": batches}
        return Reply({"samples": samples, **timer})

    def results(self, message: Message) -> Reply:
        """Every distinct result of one program's calls, and how many had it."""
        kept = self.loaded[int(message.body["index"])].results
        seen = [[case, calls] for (case, _), calls in kept.counts.items()]
        blobs = tuple(blob for _, result in kept.counts for blob in result)
        body = {"seen": seen, "rule": kept.rule, "problem": kept.problem}
        return Reply(body, blobs)

    def _program(self, source: str) -> Any:
        key = hashlib.sha256(source.encode()).hexdigest()
        if key not in self.built:
            try:
                program = cl.Program(self.context, source)
                self.built[key] = program.build(self.options)
            except cl.RuntimeError as error:
                log = normalized_log(str(error))
                raise Trouble("compile_fail", _first_error(log), log) from error
        return self.built[key]

    def _kernel(self, program: Any, name: str) -> Any:
        try:
            return cl.Kernel(program, name)
        except cl.LogicError as error:
            message = f"the source has no kernel '{name}'"
            raise Trouble("compile_fail", message) from error

    def _calls(self, body: dict[str, Any], arguments: Mapping[str, Any]) -> list[Call]:
        program = self._program(body["source"])
        calls: list[Call] = []
        for launch in body["launches"]:
            kernel = self._kernel(program, launch["function"])
            bound = [arguments[name] for name in launch["args"]]
            images = {at: texels(self.context, bound[at]) for at in launch["images"]}
            for position, argument in enumerate(bound):
                image = images.get(position)
                kernel.set_arg(position, image.image if image else argument)
            size = tuple(g * b for g, b in zip(launch["grid"], launch["block"]))
            group, shown = tuple(launch["block"]), tuple(images.values())
            calls.append(Call(kernel, size, group, launch["steps"], len(bound), shown))
        return calls

    def _enqueue(self, calls: list[Call]) -> int:
        """Runs all calls in order; the sum of their times on the device, in ns."""
        events: list[Any] = []
        for call in calls:
            for image in call.images:
                events += image.refresh(self.queue)
            for step in range(call.steps):
                if call.steps > 1:
                    call.kernel.set_arg(call.arguments, np.int32(step))
                events.append(
                    cl.enqueue_nd_range_kernel(
                        self.queue, call.kernel, call.size, call.group
                    )
                )
        self.queue.finish()
        return sum(event.profile.end - event.profile.start for event in events)


def choose_device(wanted: str) -> tuple[Any, str]:
    """By name and version, never by position; the newest PoCL where nothing is said."""
    try:
        found = [
            (device, f"{device.name.strip()}, {platform.version.strip()}")
            for platform in cl.get_platforms()
            for device in platform.get_devices()
        ]
    except cl.Error as error:
        raise Trouble("blocked", "there is no OpenCL platform") from error
    fitting = [entry for entry in found if wanted.casefold() in entry[1].casefold()]
    if not fitting:
        names = "; ".join(description for _, description in found) or "none"
        raise Trouble("blocked", f"no OpenCL device matches '{wanted}'; here: {names}")
    return max(fitting, key=lambda entry: _pocl_version(entry[1]))


def _pocl_version(description: str) -> tuple[int, ...]:
    match = re.search(r"PoCL (\d+)\.(\d+)", description)
    return tuple(int(part) for part in match.groups()) if match else (0, 0)


def normalized_log(text: str) -> str:
    """Without the random paths that runtimes give the text."""
    return re.sub(r"\S+?:(\d+):(\d+):", r"kernel.cl:\1:\2:", text)


def _first_error(log: str) -> str:
    lines = (line.strip() for line in log.splitlines())
    return next((line for line in lines if "error:" in line), "the build failed")


def _first_line(error: Exception) -> str:
    return (str(error).splitlines() or [type(error).__name__])[0]
