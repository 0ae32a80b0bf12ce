"""Timed calls on a GPU, with torch on the CPU and Python functions in place of kernels:
what fills, poisons, compares and counts is the worker's own."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
import torch

from mbc.codegen.program import Buffer, Launch, Program
from mbc.runtime.cuda import device
from mbc.runtime.cuda.device import GUARD, Clock, Memory
from mbc.runtime.cuda.loaded import Loaded
from mbc.runtime.cuda.runner import completed, encoded_trial
from mbc.runtime.measuring import Answer, Timekeeper
from mbc.runtime.outcome import Failed, Measured, NotMeasured
from mbc.runtime.trial import Arrays, Trial
from tests.runtime.trials import judged, summed

N, ROUNDS = 40, 12
Kernel = Callable[[Memory], None]
BUFFERS = (
    Buffer("x", "f32", (N,), "input"),
    Buffer("y", "f32", (N,), "input"),
    Buffer("z", "f32", (N,), "output"),
)
LAUNCH = Launch("f", ("x", "y", "z"), (1, 1, 1), (N, 1, 1))


class Event:
    """Two microseconds, whatever happens: so calls come in batches."""

    def __init__(self, enable_timing: bool): ...
    def record(self) -> None: ...

    def elapsed_time(self, other: Event) -> float:
        return 2e-3


class Cuda:
    Event = Event

    def synchronize(self) -> None: ...

    def mem_get_info(self) -> tuple[int, int]:
        return 1 << 30, 1 << 30


class OnCpu:
    """torch with a device that is not there."""

    cuda = Cuda()

    def __getattr__(self, name: str) -> Any:
        return getattr(torch, name)


class Replaying(Clock):
    def capture(self, calls: Sequence[Callable[[], object]]) -> Callable[[], object]:
        return lambda: [call() for call in calls]


@dataclass
class Worker:
    """The worker's side of a measurement in this process."""

    loaded: Loaded
    kernels: list[Kernel]

    def ask(
        self, body: dict[str, Any], blobs: Sequence[bytes], seconds: float
    ) -> Answer | Failed:
        match body["op"]:
            case "unload":
                self.loaded = Loaded(self.loaded.clock)
                return Answer({}, ())
            case "load":
                kernel = self.kernels[len(self.loaded.subjects)]
                program = Program("cuda", "", BUFFERS, (LAUNCH,))
                told = self.loaded.load(
                    program, blobs, body, lambda memory: lambda: kernel(memory)
                )
                return Answer(told, ())
            case "time":
                return Answer(self.loaded.time(body), ())
            case _:
                return Answer(*self.loaded.results(body["index"]))


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    monkeypatch.setattr(device, "DEVICE", "cpu")
    monkeypatch.setattr(device, "FLUSH_BYTES", 64)
    return Replaying(OnCpu())


def values(memory: Memory, name: str) -> torch.Tensor:
    inside = memory.storages[name][GUARD : GUARD + 4 * N]
    return inside.view(torch.float32)


def add(memory: Memory) -> None:
    values(memory, "z").copy_(values(memory, "x") + values(memory, "y"))


def measured(clock: Clock, *kernels: Kernel) -> list[Measured | NotMeasured]:
    worker = Worker(Loaded(clock), list(kernels))
    keeper = Timekeeper("toy", 60, worker.ask, encoded_trial, completed, lambda: {})
    return keeper.measure([sums()] * len(kernels), ROUNDS)


def sums() -> Trial:
    program = Program("cuda", "", BUFFERS, (LAUNCH,))
    drawn = np.random.default_rng(0).standard_normal((3, 2, N)).astype(np.float32)
    drawn[:, 0, 0] = 7
    sets: list[Arrays] = [{"x": x, "y": y} for x, y in drawn]
    return judged(program, sets, summed)


def by_pointer() -> Kernel:
    kept: dict[int, torch.Tensor] = {}

    def kernel(memory: Memory) -> None:
        key = values(memory, "x").data_ptr()
        if key not in kept:
            add(memory)
            kept[key] = values(memory, "z").clone()
        values(memory, "z").copy_(kept[key])

    return kernel


def by_first_element() -> Kernel:
    kept: dict[float, torch.Tensor] = {}

    def kernel(memory: Memory) -> None:
        key = float(values(memory, "x")[0])
        if key not in kept:
            add(memory)
            kept[key] = values(memory, "z").clone()
        values(memory, "z").copy_(kept[key])

    return kernel


def only(when: Callable[[int], bool]) -> Kernel:
    calls = 0

    def kernel(memory: Memory) -> None:
        nonlocal calls
        if when(calls):
            add(memory)
        calls += 1

    return kernel


def on_poison(memory: Memory) -> None:
    if torch.isnan(values(memory, "z")).all():
        add(memory)


def into_its_input(memory: Memory) -> None:
    add(memory)
    values(memory, "y").zero_()


def beyond(memory: Memory) -> None:
    add(memory)
    memory.storages["z"][GUARD + 4 * N] = 0


@pytest.mark.parametrize(
    ("kernel", "rule"),
    [
        (by_pointer(), "result cache"),
        (by_first_element(), "result cache"),
        (only(lambda call: call % 2 == 0), "skipped call"),
        (only(lambda call: call == 0), "skipped call"),
        (only(lambda call: call < 40), "skipped call"),
        (on_poison, "skipped call"),
        (into_its_input, "changed memory"),
        (beyond, "changed memory"),
    ],
    ids=[
        "pointer",
        "first_element",
        "every_second",
        "first_call",
        "after_warming_up",
        "poison",
        "input",
        "beyond",
    ],
)
def test_hostile_calls_are_caught(clock: Clock, kernel: Kernel, rule: str) -> None:
    liar, honest = measured(clock, kernel, add)
    assert isinstance(liar, NotMeasured), "believed"
    assert liar.rule == rule, liar
    assert isinstance(honest, Measured), honest


def test_honest_calls_are_batched_and_all_checked(clock: Clock) -> None:
    (found,) = measured(clock, add)
    assert isinstance(found, Measured), found
    batch = found.conditions["batch"]
    assert batch == found.detail["batch"] == 5, "twenty granules of 500 ns"
    assert found.value == 2000 / found.detail["batch"]
    samples = len(found.samples)
    assert found.conditions["checked"] == found.detail["batch"] * (1 + 2 + samples)
    assert samples == 10, "equal samples are settled at the first look"
