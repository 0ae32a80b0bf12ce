"""OpenCL in this process: arrays of the host are used in place where the device can.

A buffer made over a caller's array keeps that array alive, and is read and written by
nothing but the launches of one call.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass, field
from importlib.util import find_spec
from typing import Any

import numpy as np

from mbc.codegen.model import ModelCode, Result
from mbc.codegen.program import Buffer, Launch
from mbc.errors import ToolMissing
from mbc.ir.types import NUMPY_DTYPES, Array
from mbc.runtime.outcome import Failed

ALIGNMENT = 64
"""Bytes; what kernels with vector accesses may rely on."""


@dataclass
class HostArray:
    """Memory of the device, and the host's array behind it where it is a result.

    A part starts `start` bytes into `root`: a sub-buffer has no sub-buffers.
    """

    buffer: Any
    array: Array | None = None
    root: Any = None
    start: int = 0


@dataclass
class OpenclMemory:
    cl: Any
    """pyopencl."""
    context: Any
    queue: Any
    program: Any
    shared: bool
    """Whether the device computes in the host's memory."""
    kernels: dict[str, Any] = field(default_factory=dict[str, Any])
    images: list[Any] = field(default_factory=list[Any])

    def constant(self, array: Array) -> HostArray:
        return self._copied(np.ascontiguousarray(array))

    def given(self, value: Any) -> HostArray:
        array: Array = np.ascontiguousarray(value)
        aligned = array.nbytes > 0 and array.ctypes.data % ALIGNMENT == 0
        if self.shared and aligned and array.flags.writeable:
            return HostArray(self._over(array))
        return self._copied(array)

    def empty(self, nbytes: int) -> HostArray:
        flags = self.cl.mem_flags.READ_WRITE
        return HostArray(self.cl.Buffer(self.context, flags, max(nbytes, 1)))

    def result(self, buffer: Buffer) -> HostArray:
        if not self.shared or buffer.nbytes == 0:
            return self.empty(buffer.nbytes)
        array = aligned_empty(buffer.nbytes)
        return HostArray(self._over(array), array)

    def part(self, whole: HostArray, offset: int, nbytes: int) -> HostArray:
        root, start = whole.root or whole.buffer, whole.start + offset
        buffer = root.get_sub_region(start, max(nbytes, 1))
        return HostArray(buffer, root=root, start=start)

    def enqueue(self, launch: Launch, arguments: Sequence[HostArray]) -> None:
        """Images are kept until a call has finished."""
        kernel = self._kernel(launch.function)
        size = tuple(g * b for g, b in zip(launch.grid, launch.block, strict=True))
        for position, argument in enumerate(arguments):
            kernel.set_arg(position, argument.buffer)
        for position in launch.images:
            kernel.set_arg(position, self._image(arguments[position].buffer))
        for step in range(launch.steps):
            if launch.steps > 1:
                kernel.set_arg(len(arguments), np.int32(step))
            self.cl.enqueue_nd_range_kernel(self.queue, kernel, size, launch.block)

    def finish(self) -> None:
        self.queue.finish()
        self.images.clear()

    def value(self, handle: HostArray, offset: int, result: Result) -> Array:
        dtype = NUMPY_DTYPES[result.dtype]
        count = int(np.prod(result.shape, dtype=np.int64))
        if handle.array is not None:
            self._synchronize(handle)
            raw = handle.array[offset : offset + count * dtype.itemsize]
            return raw.view(dtype).reshape(result.shape)
        array = np.empty(count, dtype)
        if count:
            options = {"src_offset": offset, "is_blocking": True}
            self.cl.enqueue_copy(self.queue, array, handle.buffer, **options)
        return array.reshape(result.shape)

    def _synchronize(self, handle: HostArray) -> None:
        """Make what kernels wrote visible in the host's array (OpenCL 1.2, 5.2.3)."""
        flags = self.cl.map_flags.READ
        assert handle.array is not None
        shape = (handle.array.nbytes,)
        mapped, _ = self.cl.enqueue_map_buffer(
            self.queue, handle.buffer, flags, 0, shape, np.uint8
        )
        mapped.base.release()

    def _over(self, array: Array) -> Any:
        flags = self.cl.mem_flags
        kind = flags.READ_WRITE | flags.USE_HOST_PTR
        raw = array.reshape(-1).view(np.uint8)
        return self.cl.Buffer(self.context, kind, hostbuf=raw)

    def _copied(self, array: Array) -> HostArray:
        if array.nbytes == 0:
            return self.empty(0)
        flags = self.cl.mem_flags
        kind = flags.READ_WRITE | flags.COPY_HOST_PTR
        raw = array.reshape(-1).view(np.uint8)
        return HostArray(self.cl.Buffer(self.context, kind, hostbuf=raw))

    def _image(self, buffer: Any) -> Any:
        from mbc.runtime.opencl.texels import Trouble, texels

        try:
            shown = texels(self.context, buffer)
        except Trouble as trouble:
            raise ToolMissing(trouble.message) from trouble
        shown.refresh(self.queue)
        self.images.append(shown)
        return shown.image

    def _kernel(self, name: str) -> Any:
        """Made once: creating a kernel costs more than launching a small one."""
        if name not in self.kernels:
            self.kernels[name] = self.cl.Kernel(self.program, name)
        return self.kernels[name]


def aligned_empty(nbytes: int) -> Array:
    raw = np.empty(nbytes + ALIGNMENT, np.uint8)
    start = -raw.ctypes.data % ALIGNMENT
    return raw[start : start + nbytes]


def open_memory(code: ModelCode) -> OpenclMemory | Failed:
    """On the device that the target's runner takes by default."""
    if find_spec("pyopencl") is None:
        return Failed("blocked", "pyopencl is not installed")
    import pyopencl as cl

    from mbc.runtime.opencl.memory import Trouble
    from mbc.runtime.opencl.session import BUILD_OPTIONS, choose_device

    try:
        device, _ = choose_device("")
    except Trouble as trouble:
        return Failed("blocked", str(trouble))
    context = cl.Context([device])
    try:
        with warnings.catch_warnings():  # of what compilers say about good code, too
            warnings.simplefilter("ignore", cl.CompilerWarning)
            program = cl.Program(context, code.source).build(BUILD_OPTIONS)
    except cl.RuntimeError as error:
        return Failed("compile_fail", "the OpenCL code does not build", str(error))
    queue = cl.CommandQueue(context)
    return OpenclMemory(cl, context, queue, program, bool(device.host_unified_memory))
