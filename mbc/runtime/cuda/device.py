"""The GPU as the worker sees it: loaded programs, guarded memory, timed calls."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from itertools import pairwise
from typing import Any

from mbc.codegen.program import Buffer, Program
from mbc.runtime.cuda.nvcc import arch_of
from mbc.runtime.cuda.nvrtc import Rejected, compile_cubin
from mbc.runtime.poison import INTEGER_BYTE, float_byte
from mbc.runtime.rounds import batch_of, order
from mbc.runtime.rvv.dispatch import separate_buffers, storage_of
from mbc.runtime.rvv.job import FLOATS

GUARD = 256
"""Bytes before and behind each buffer, and the alignment of buffers."""
GUARD_BYTE = 0xA5
FLUSH_BYTES = 256 << 20
NOMINAL_NS = 500.0
"""Resolution of events that CUDA promises: "around 0.5 microseconds"."""
PROBES = 32
WARM_ROUNDS = 2
DEVICE = "cuda"


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
        self.arena = self._guarded(program.arena_bytes)
        self._poison(float_byte(call))

    @property
    def nbytes(self) -> int:
        """On the device, guards included."""
        return sum(s.numel() for s in (*self.storages.values(), self.arena))

    def refill(self, inputs: Mapping[str, Any], poison: int) -> None:
        """Inputs from bytes on the device; outputs and scratch poisoned again."""
        for name, data in inputs.items():
            self._inside(name, data.numel()).copy_(data)
        self._poison(poison)

    def harm(self, inputs: Mapping[str, Any]) -> str:
        """`damage`, compared with bytes on the device."""
        shared = {storage_of(self.program, b)[0].name for b in self.program.outputs}
        for name, data in inputs.items():
            same = self.torch.equal(self._inside(name, data.numel()), data)
            if name not in shared and not same:
                return f"a timed call wrote to input '{name}'"
        for buffer in separate_buffers(self.program):
            if not self._guards_hold(self.storages[buffer.name], buffer.nbytes):
                return f"a timed call wrote outside buffer '{buffer.name}'"
        if not self._guards_hold(self.arena, self.program.arena_bytes):
            return "a timed call wrote outside its scratch memory"
        return ""

    def _poison(self, byte: int) -> None:
        for buffer in separate_buffers(self.program):
            if buffer.name not in self.inputs:
                floating = buffer.dtype in FLOATS
                view = self._inside(buffer.name, buffer.nbytes)
                view.fill_(byte if floating else INTEGER_BYTE)
        self.arena[GUARD : GUARD + self.program.arena_bytes].fill_(byte)

    def _inside(self, name: str, nbytes: int) -> Any:
        """The bytes of a buffer without its guards."""
        return self.storages[name][GUARD : GUARD + nbytes]

    def pointer(self, buffer: Buffer) -> int:
        root, start = storage_of(self.program, buffer)
        if root.role == "scratch":
            return self.arena.data_ptr() + GUARD + root.offset + start
        return self.storages[root.name].data_ptr() + GUARD + start

    def read(self, buffer: Buffer) -> bytes:
        return self.view(buffer).cpu().numpy().tobytes()

    def view(self, buffer: Buffer) -> Any:
        """Its bytes, on the device."""
        root, start = storage_of(self.program, buffer)
        at = GUARD + start
        return self.storages[root.name][at : at + buffer.nbytes]

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
        options = {"dtype": self.torch.uint8, "device": DEVICE}
        return self.torch.full((room,), GUARD_BYTE, **options)

    def _guards_hold(self, storage: Any, size: int) -> bool:
        guards = (storage[:GUARD], storage[GUARD + size :])
        return all(bool((guard == GUARD_BYTE).all()) for guard in guards)

    def _tensor(self, data: bytes) -> Any:
        return self.torch.frombuffer(bytearray(data), dtype=self.torch.uint8)


class Clock:
    """Times calls, each behind a flushed L2 cache."""

    def __init__(self, torch: Any):
        self.torch = torch
        options = {"dtype": torch.int32, "device": DEVICE}
        self.flushed = torch.empty(FLUSH_BYTES // 4, **options)
        self.granularity = self._granularity()

    def measure(
        self, calls: Sequence[Callable[[], object]], rounds: int
    ) -> tuple[list[list[float]], list[int]]:
        """Nanoseconds per call, by call and round, and how many calls were batched.

        For calls of a benchmark, whose results somebody else has looked at.
        """
        batches = [batch_of(self.shortest(call), self.granularity) for call in calls]
        pairs = zip(calls, batches, strict=True)
        graphs = [self.capture([call] * count) for call, count in pairs]
        samples: list[list[float]] = [[] for _ in calls]
        for turn in range(WARM_ROUNDS + rounds):
            times = {i: self.time(graphs[i]) for i in order(turn, len(calls))}
            if turn < WARM_ROUNDS:
                continue
            for index, row in enumerate(samples):
                row.append(times[index] / batches[index])
        return samples, batches

    def time(self, call: Callable[[], object]) -> float:
        """Nanoseconds, with everything on the device finished before and after."""
        start, end = (self.torch.cuda.Event(enable_timing=True) for _ in range(2))
        self.torch.cuda.synchronize()
        # The fill also keeps the GPU busy while the call is being enqueued.
        self.flushed.zero_()
        start.record()
        call()
        # On the default stream: it waits for what went before on every other one.
        end.record()
        self.torch.cuda.synchronize()
        return start.elapsed_time(end) * 1e6

    def shortest(self, call: Callable[[], object]) -> float:
        """Nanoseconds of the shortest of a few calls, after one that loads it."""
        call()
        return min(self.time(call) for _ in range(3))

    def capture(self, calls: Sequence[Callable[[], object]]) -> Callable[[], object]:
        """What replays all `calls` in order."""
        graph = self.torch.cuda.CUDAGraph()
        with self.torch.cuda.graph(graph):
            for call in calls:
                call()
        return graph.replay

    def _granularity(self) -> float:
        """The smallest difference between two spans, in ns; never under the nominal."""
        spans = sorted({self.time(lambda: None) for _ in range(PROBES)})
        steps = (b - a for a, b in pairwise(spans))
        return max(NOMINAL_NS, min(steps, default=NOMINAL_NS))

    def tensor(self, data: bytes) -> Any:
        """Bytes on the device."""
        if not data:
            return self.torch.empty(0, dtype=self.torch.uint8, device=DEVICE)
        host = self.torch.frombuffer(bytearray(data), dtype=self.torch.uint8)
        return host.to(DEVICE)

    def room(self, nbytes: int) -> int:
        """How many allocations of `nbytes` fit into half of the free memory."""
        free, _ = self.torch.cuda.mem_get_info()
        return int(free) // (2 * max(1, nbytes))
