"""CUDA in this process, on torch's current stream and in torch's memory.

Tensors on the GPU are used in place. Calls on one stream follow each other; a model
that is called on several streams at once needs to be loaded once for each.
"""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from dataclasses import dataclass, field
from importlib import import_module
from importlib.util import find_spec
from typing import Any, cast

import numpy as np

from mbc.codegen.model import ModelCode, Result
from mbc.codegen.program import Buffer, Launch
from mbc.ir.types import Array
from mbc.runtime.cuda.device import TorchStream, cuda_core
from mbc.runtime.cuda.nvcc import arch_of
from mbc.runtime.cuda.nvrtc import INSTALL, Rejected, compile_cubin, is_installed
from mbc.runtime.outcome import Failed

DTYPES = {
    "i1": "bool",
    "i8": "int8",
    "i16": "int16",
    "i32": "int32",
    "i64": "int64",
    "index": "int64",
    "f16": "float16",
    "bf16": "bfloat16",
    "f32": "float32",
    "f64": "float64",
}
"""torch's names of element types."""


@dataclass(frozen=True)
class Pointer:
    """An address on the GPU, and the tensor that keeps it allocated."""

    address: int
    tensor: Any


@dataclass
class CudaMemory:
    torch: Any
    core: Any
    device: Any
    module: Any
    kernels: dict[str, Any] = field(default_factory=dict[str, Any])
    streams: dict[int, Any] = field(default_factory=dict[int, Any])

    def constant(self, array: Array) -> Pointer:
        raw = np.ascontiguousarray(array).reshape(-1).view(np.uint8)
        return self._at(self.torch.from_numpy(raw.copy()).cuda())

    def given(self, value: Any) -> Pointer:
        if isinstance(value, np.ndarray):
            return self.constant(cast(Array, value))
        return self._at(value.detach().cuda().contiguous())

    def empty(self, nbytes: int) -> Pointer:
        options = {"dtype": self.torch.uint8, "device": "cuda"}
        return self._at(self.torch.empty(max(nbytes, 1), **options))

    def result(self, buffer: Buffer) -> Pointer:
        dtype = getattr(self.torch, DTYPES[buffer.dtype])
        return self._at(self.torch.empty(buffer.shape, dtype=dtype, device="cuda"))

    def part(self, whole: Pointer, offset: int, nbytes: int) -> Pointer:
        return Pointer(whole.address + offset, whole.tensor)

    def enqueue(self, launch: Launch, arguments: Sequence[Pointer]) -> None:
        config = self.core.LaunchConfig(grid=launch.grid, block=launch.block)
        kernel, stream = self._kernel(launch.function), self._stream()
        addresses = [argument.address for argument in arguments]
        for step in range(launch.steps):
            last = [ctypes.c_int(step)] if launch.steps > 1 else []
            self.core.launch(stream, config, kernel, *addresses, *last)

    def finish(self) -> None:
        """Nothing: torch orders what reads the results behind them."""

    def value(self, handle: Pointer, offset: int, result: Result) -> Any:
        """A result's own tensor; a copy of what is a part of another."""
        dtype = getattr(self.torch, DTYPES[result.dtype])
        tensor = handle.tensor
        if tensor.dtype == dtype and tensor.numel() == int(np.prod(result.shape)):
            return tensor.reshape(result.shape)
        raw = tensor.reshape(-1).view(self.torch.uint8)
        count = int(np.prod(result.shape)) * dtype.itemsize
        return raw[offset : offset + count].clone().view(dtype).reshape(result.shape)

    def _at(self, tensor: Any) -> Pointer:
        return Pointer(tensor.data_ptr(), tensor)

    def _kernel(self, name: str) -> Any:
        if name not in self.kernels:
            self.kernels[name] = self.module.get_kernel(name)
        return self.kernels[name]

    def _stream(self) -> Any:
        handle = self.torch.cuda.current_stream().cuda_stream
        if handle not in self.streams:
            self.streams[handle] = self.device.create_stream(TorchStream(handle))
        return self.streams[handle]


def open_memory(code: ModelCode) -> CudaMemory | Failed:
    """On torch's current GPU."""
    if not is_installed() or find_spec("torch") is None:
        return Failed("blocked", f"cuda-core is not installed; install: {INSTALL}")
    torch: Any = import_module("torch")
    if not torch.cuda.is_available():
        return Failed("blocked", "torch sees no GPU")
    cubin = compile_cubin(code.source, arch_of(code.forward.program))
    if isinstance(cubin, Rejected):
        return Failed("compile_fail", "the CUDA code does not build", cubin.log)
    core = cuda_core()
    device = core.Device(torch.cuda.current_device())
    device.set_current()
    return CudaMemory(torch, core, device, core.ObjectCode.from_cubin(cubin))
