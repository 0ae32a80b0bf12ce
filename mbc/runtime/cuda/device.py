"""The GPU as the worker sees it: loaded programs, guarded memory, timed calls."""

from __future__ import annotations

import ctypes
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from typing import Any

from mbc.codegen.program import Buffer, Program
from mbc.runtime.cuda.nvcc import arch_of
from mbc.runtime.cuda.nvrtc import Rejected, compile_cubin
from mbc.runtime.poison import INTEGER_BYTE, float_byte
from mbc.runtime.rvv.dispatch import separate_buffers, storage_of
from mbc.runtime.rvv.job import FLOATS

GUARD = 256
"""Bytes before and behind each buffer, and the alignment of buffers."""
GUARD_BYTE = 0xA5
FLUSH_BYTES = 256 << 20
SHORTEST_NS = 10_000
"""Twenty times the granularity of events; shorter calls are timed in batches."""
WARM_ROUNDS = 2


def cuda_core() -> Any:
    """The package under its present or its earlier name."""
    present = find_spec("cuda.core.experimental") is None
    module = import_module("cuda.core")
    if present or hasattr(module, "Program"):
        return module
    return import_module("cuda.core.experimental")


class TorchStream:
    """A stream of torch for cuda-core."""

    def __init__(self, handle: int):
        self.handle = handle

    def __cuda_stream__(self) -> tuple[int, int]:
        return 0, self.handle


class Gpu:
    """The first GPU. Its methods raise on device errors, which end the worker."""

    def __init__(self) -> None:
        self.torch: Any = import_module("torch")
        self.core = cuda_core()
        self.device = self.core.Device(0)
        self.device.set_current()
        self.modules: dict[tuple[str, str], Any] = {}

    def name(self) -> str:
        version = self.torch.version.cuda
        return f"{self.torch.cuda.get_device_name(0)}, CUDA {version}"

    def load(self, program: Program) -> Any | Rejected:
        """The compiled module of a program."""
        key = (program.source, arch_of(program))
        if key not in self.modules:
            cubin = compile_cubin(*key)
            if isinstance(cubin, Rejected):
                return cubin
            self.modules[key] = self.core.ObjectCode.from_cubin(cubin)
        return self.modules[key]

    def caller(self, program: Program, memory: Memory) -> Call:
        """What enqueues one call of the program on torch's current stream."""
        module: Any = self.load(program)
        work: list[tuple[Any, Any, list[Any]]] = []
        for launch in program.launches:
            kernel = module.get_kernel(launch.function)
            config = self.core.LaunchConfig(grid=launch.grid, block=launch.block)
            pointers = [memory.pointer(program.by_name[a]) for a in launch.args]
            for step in range(launch.steps):
                last = [ctypes.c_int(step)] if launch.steps > 1 else []
                work.append((config, kernel, [*pointers, *last]))
        return Call(self, memory, work)

    def synchronize(self) -> None:
        self.torch.cuda.synchronize()


@dataclass(frozen=True)
class Call:
    """One call of a program; it keeps the memory that its launches point to."""

    gpu: Gpu
    memory: Memory
    work: Sequence[tuple[Any, Any, list[Any]]]
    """Per launch: configuration, kernel and arguments."""

    def __call__(self) -> None:
        handle = self.gpu.torch.cuda.current_stream().cuda_stream
        stream = self.gpu.device.create_stream(TorchStream(handle))
        for config, kernel, arguments in self.work:
            self.gpu.core.launch(stream, config, kernel, *arguments)


class Memory:
    """A program's buffers, each between guards; outputs and scratch are poisoned."""

    def __init__(
        self, torch: Any, program: Program, inputs: dict[str, bytes], call: int
    ):
        self.torch = torch
        self.program = program
        self.inputs = inputs
        self.storages: dict[str, Any] = {}
        for buffer in separate_buffers(program):
            storage = self._guarded(buffer.nbytes)
            self.storages[buffer.name] = storage
            view = storage[GUARD : GUARD + buffer.nbytes]
            if buffer.name in inputs:
                if buffer.nbytes:
                    view.copy_(self._tensor(inputs[buffer.name]))
                continue
            floating = buffer.dtype in FLOATS
            view.fill_(float_byte(call) if floating else INTEGER_BYTE)
        self.arena = self._guarded(program.arena_bytes)
        self.arena[GUARD : GUARD + program.arena_bytes].fill_(float_byte(call))

    def pointer(self, buffer: Buffer) -> int:
        root, start = storage_of(self.program, buffer)
        if root.role == "scratch":
            return self.arena.data_ptr() + GUARD + root.offset + start
        return self.storages[root.name].data_ptr() + GUARD + start

    def read(self, buffer: Buffer) -> bytes:
        root, start = storage_of(self.program, buffer)
        at = GUARD + start
        view = self.storages[root.name][at : at + buffer.nbytes]
        return view.cpu().numpy().tobytes()

    def damage(self) -> str:
        """What was written where it must not, as a sentence, or the empty string."""
        shared = {storage_of(self.program, b)[0].name for b in self.program.outputs}
        for buffer in separate_buffers(self.program):
            storage = self.storages[buffer.name]
            if not self._guards_hold(storage, buffer.nbytes):
                return f"the kernel wrote outside buffer '{buffer.name}'"
            kept = buffer.role == "input" and buffer.name not in shared
            if kept and self.read(buffer) != self.inputs[buffer.name]:
                return f"the kernel wrote to input '{buffer.name}'"
        if not self._guards_hold(self.arena, self.program.arena_bytes):
            return "the kernel wrote outside its scratch memory"
        return ""

    def _guarded(self, size: int) -> Any:
        room = -(-size // GUARD) * GUARD + 2 * GUARD
        options = {"dtype": self.torch.uint8, "device": "cuda"}
        return self.torch.full((room,), GUARD_BYTE, **options)

    def _guards_hold(self, storage: Any, size: int) -> bool:
        guards = (storage[:GUARD], storage[GUARD + size :])
        return all(bool((guard == GUARD_BYTE).all()) for guard in guards)

    def _tensor(self, data: bytes) -> Any:
        return self.torch.frombuffer(bytearray(data), dtype=self.torch.uint8)


class Clock:
    """Times calls in interleaved rounds, each behind a flushed L2 cache."""

    def __init__(self, torch: Any):
        self.torch = torch
        options = {"dtype": torch.int32, "device": "cuda"}
        self.flushed = torch.empty(FLUSH_BYTES // 4, **options)

    def measure(
        self, calls: Sequence[Callable[[], object]], rounds: int
    ) -> tuple[list[list[float]], list[int]]:
        """Nanoseconds per call, by call and round, and how many calls were batched."""
        batches = [self._batch(call) for call in calls]
        graphs = [self._graph(c, n) for c, n in zip(calls, batches, strict=True)]
        samples: list[list[float]] = [[] for _ in calls]
        for turn in range(WARM_ROUNDS + rounds):
            times = [self._time(graph.replay) for graph in graphs]
            if turn < WARM_ROUNDS:
                continue
            for row, time, batch in zip(samples, times, batches, strict=True):
                row.append(time / batch)
        return samples, batches

    def _time(self, call: Callable[[], object]) -> float:
        start, end = (self.torch.cuda.Event(enable_timing=True) for _ in range(2))
        # The fill also keeps the GPU busy while the call is being enqueued.
        self.flushed.zero_()
        start.record()
        call()
        end.record()
        end.synchronize()
        return start.elapsed_time(end) * 1e6

    def _batch(self, call: Callable[[], object]) -> int:
        call()
        once = min(self._time(call) for _ in range(3))
        return max(1, math.ceil(SHORTEST_NS / max(once, 1.0)))

    def _graph(self, call: Callable[[], object], count: int) -> Any:
        graph = self.torch.cuda.CUDAGraph()
        with self.torch.cuda.graph(graph):
            for _ in range(count):
                call()
        return graph
