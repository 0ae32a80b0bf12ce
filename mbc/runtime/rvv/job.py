"""The file that the harness reads and writes: a header, then buffers with fences.

Outputs are poisoned here (the harness poisons the arena): NaN for floats, 0xA5 bytes
for integers. Fences between buffers must come back untouched, and so must inputs that
no output shares storage with.
"""

from __future__ import annotations

import struct
from collections.abc import Mapping
from dataclasses import dataclass

import ml_dtypes
import numpy as np
import numpy.typing as npt

from mbc.codegen.program import Buffer, Program
from mbc.errors import InvalidInput
from mbc.runtime.rvv.dispatch import separate_buffers, storage_of

Array = npt.NDArray[np.generic]

NUMPY_DTYPES: dict[str, np.dtype[np.generic]] = {
    "i1": np.dtype(np.bool_),
    "i8": np.dtype(np.int8),
    "i16": np.dtype(np.int16),
    "i32": np.dtype(np.int32),
    "i64": np.dtype(np.int64),
    "index": np.dtype(np.int64),
    "f16": np.dtype(np.float16),
    "bf16": np.dtype(ml_dtypes.bfloat16),
    "f32": np.dtype(np.float32),
    "f64": np.dtype(np.float64),
}
FLOATS = ("f16", "bf16", "f32", "f64")
MAGIC = 0x314A42434D
ALIGNMENT = 64
FENCE = b"\xa5" * ALIGNMENT
FLOAT_POISON = b"\xff"
INTEGER_POISON = b"\xa5"


@dataclass(frozen=True)
class Damage:
    """What a kernel wrote where it must not, in one sentence."""

    message: str


@dataclass(frozen=True)
class Job:
    program: Program
    image: bytes
    offsets: tuple[int, ...]
    """Of `separate_buffers(program)`, from the start of the image."""

    def outputs(self, result: bytes) -> dict[str, Array] | Damage:
        """The program's outputs out of what the harness wrote."""
        if len(result) != len(self.image):
            return Damage("the kernel left an incomplete result")
        return self._damage(result) or {
            buffer.name: self._read(result, buffer) for buffer in self.program.outputs
        }

    def _read(self, result: bytes, buffer: Buffer) -> Array:
        root, start = storage_of(self.program, buffer)
        own = separate_buffers(self.program)
        at = self.offsets[own.index(root)] + start
        dtype = NUMPY_DTYPES[buffer.dtype]
        flat = np.frombuffer(result, dtype, count=buffer.elements, offset=at)
        return flat.reshape(buffer.shape).copy()

    def _damage(self, result: bytes) -> Damage | None:
        own = separate_buffers(self.program)
        shared = {storage_of(self.program, b)[0].name for b in self.program.outputs}
        for buffer, at in zip(own, self.offsets, strict=True):
            end = at + buffer.nbytes
            fences = (slice(at - ALIGNMENT, at), slice(end, end + ALIGNMENT))
            if any(result[f] != self.image[f] for f in fences):
                return Damage(f"the kernel wrote outside buffer '{buffer.name}'")
            kept = buffer.role == "input" and buffer.name not in shared
            if kept and result[at:end] != self.image[at:end]:
                return Damage(f"the kernel wrote to input '{buffer.name}'")
        return None


def make_job(program: Program, inputs: Mapping[str, Array], warm_calls: int) -> Job:
    for buffer in program.outputs:
        if storage_of(program, buffer)[0].role == "scratch":
            raise InvalidInput(f"output '{buffer.name}' lies in the scratch arena")
    own = separate_buffers(program)
    at = 8 * (5 + len(own))
    offsets: list[int] = []
    for buffer in own:
        at = _aligned(at) + ALIGNMENT
        offsets.append(at)
        at += buffer.nbytes
    size = _aligned(at) + ALIGNMENT
    header = (MAGIC, size, program.arena_bytes, warm_calls, len(own), *offsets)
    image = bytearray(FENCE * (size // ALIGNMENT))
    image[: 8 * len(header)] = struct.pack(f"<{len(header)}Q", *header)
    for buffer, start in zip(own, offsets, strict=True):
        image[start : start + buffer.nbytes] = _initial_bytes(buffer, inputs)
    return Job(program, bytes(image), tuple(offsets))


def _initial_bytes(buffer: Buffer, inputs: Mapping[str, Array]) -> bytes:
    if buffer.role != "input":
        poison = FLOAT_POISON if buffer.dtype in FLOATS else INTEGER_POISON
        return poison * buffer.nbytes
    if buffer.name not in inputs:
        raise InvalidInput(f"input '{buffer.name}' was not given")
    array = inputs[buffer.name]
    wanted = NUMPY_DTYPES[buffer.dtype]
    if array.shape != buffer.shape or array.dtype.itemsize != wanted.itemsize:
        raise InvalidInput(
            f"input '{buffer.name}' is {array.dtype}{list(array.shape)}, "
            f"not {wanted}{list(buffer.shape)}"
        )
    return array.tobytes()


def _aligned(size: int) -> int:
    return -(-size // ALIGNMENT) * ALIGNMENT
