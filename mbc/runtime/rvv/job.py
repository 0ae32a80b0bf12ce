"""The file that the harness reads and writes: a header, then buffers with fences.

Outputs are poisoned here, in another pattern for each `call`: NaN or a number for
floats, odd bytes for integers. The harness poisons the arena as it is told. Fences
between buffers must come back untouched, and so must inputs that no output shares
storage with. A guarded job asks the harness to put each buffer between pages without
access.
"""

from __future__ import annotations

import struct
from collections.abc import Mapping
from dataclasses import dataclass
from enum import IntEnum

import ml_dtypes
import numpy as np
import numpy.typing as npt

from mbc.codegen.program import Buffer, Program
from mbc.errors import InvalidInput
from mbc.runtime.poison import INTEGER_BYTE, float_byte
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
RESTORED = 1 << 31
"""Beside the number of warm-up calls: buffers and arena are restored after each."""
FENCE = b"\xa5" * ALIGNMENT
QUIET_NAN = {
    "f16": (2, 0x7E00),
    "bf16": (2, 0x7FC0),
    "f32": (4, 0x7FC0DE00),
    "f64": (8, 0x7FF8DEAD00000000),
}
"""Bytes and bits of a NaN whose lowest six bits are free."""
NUMBER = {
    "f16": (2, 0x7040),
    "bf16": (2, 0x4B40),
    "f32": (4, 0x4B3C6140),
    "f64": (8, 0x41678C2800000000),
}
"""The same for a number that no result is likely to be: 12,345,664 in f32."""


class Placement(IntEnum):
    """Where buffers lie: as in the file, or each flush with a page without access."""

    TOGETHER = 0
    FLUSH_TO_END = 1
    FLUSH_TO_START = 2


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
    call: int = 0
    restored: bool = False
    """Whether the last call finds what the first one found."""

    def outputs(self, result: bytes) -> dict[str, Array] | Damage:
        """The program's outputs out of what the harness wrote."""
        if len(result) != len(self.image):
            return Damage("the kernel left an incomplete result")
        return self._damage(result) or {
            buffer.name: self._read(result, buffer) for buffer in self.program.outputs
        }

    def unwritten(
        self, outputs: Mapping[str, Array]
    ) -> dict[str, npt.NDArray[np.bool_]]:
        """Where integers still are the poison, by output with storage of its own."""
        poison = bytes([_integer_poison(self.call)])
        found: dict[str, npt.NDArray[np.bool_]] = {}
        for buffer in self.program.outputs:
            if buffer.dtype in FLOATS or buffer.view_of:
                continue
            dtype = NUMPY_DTYPES[buffer.dtype]
            value = np.frombuffer(poison * dtype.itemsize, f"u{dtype.itemsize}")
            found[buffer.name] = outputs[buffer.name].view(value.dtype) == value
        return found

    def hit(self, said: str) -> Damage | None:
        """What the harness says of a guard, in words."""
        match said.split():
            case ["hit", index, how, where, *_]:
                own = separate_buffers(self.program)
                k = int(index)
                if k >= len(own):
                    name = "the scratch arena"
                else:
                    name = f"buffer '{own[k].name}'"
                if where == "inside" and k < len(own):
                    return Damage(f"the kernel wrote to input '{own[k].name}'")
                verb = "read" if how == "read" else "wrote"
                return Damage(f"the kernel {verb} outside {name}")
            case _:
                return None

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


def make_job(
    program: Program,
    inputs: Mapping[str, Array],
    warm_calls: int,
    placement: Placement = Placement.TOGETHER,
    call: int = 0,
    restored: bool = False,
) -> Job:
    for buffer in program.outputs:
        if storage_of(program, buffer)[0].role == "scratch":
            raise InvalidInput(f"output '{buffer.name}' lies in the scratch arena")
    own = separate_buffers(program)
    guards = _guards(program) if placement else ()
    at = 8 * (5 + len(own) + len(guards))
    offsets: list[int] = []
    for buffer in own:
        at = _aligned(at) + ALIGNMENT
        offsets.append(at)
        at += buffer.nbytes
    size = _aligned(at) + ALIGNMENT
    magic = MAGIC + placement
    sizes = (size, program.arena_bytes)
    calls = (warm_calls | RESTORED * restored, float_byte(call))
    header = struct.pack("<3Q2IQ", magic, *sizes, *calls, len(own))
    header += struct.pack(f"<{len(offsets) + len(guards)}Q", *offsets, *guards)
    image = bytearray(FENCE * (size // ALIGNMENT))
    image[: len(header)] = header
    for buffer, start in zip(own, offsets, strict=True):
        image[start : start + buffer.nbytes] = _initial_bytes(buffer, inputs, call)
    return Job(program, bytes(image), tuple(offsets), call, restored)


def _guards(program: Program) -> tuple[int, ...]:
    """Bytes of each buffer, and 1 if the program may write to it."""
    shared = {storage_of(program, b)[0].name for b in program.outputs}
    pairs = (
        (b.nbytes, int(b.role != "input" or b.name in shared))
        for b in separate_buffers(program)
    )
    return tuple(number for pair in pairs for number in pair)


def _initial_bytes(buffer: Buffer, inputs: Mapping[str, Array], call: int) -> bytes:
    if buffer.role != "input":
        return _poison(buffer.dtype, call) * buffer.elements
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


def _poison(dtype: str, call: int) -> bytes:
    """NaN, and a number in every other call: what works on either alone differs."""
    if dtype in FLOATS:
        size, bits = (NUMBER if call % 2 else QUIET_NAN)[dtype]
        return (bits | call % 64).to_bytes(size, "little")
    return bytes([_integer_poison(call)]) * NUMPY_DTYPES[dtype].itemsize


def _integer_poison(call: int) -> int:
    """Never 0 or 1, which are the bools."""
    return INTEGER_BYTE ^ (call % 16 << 1)


def _aligned(size: int) -> int:
    return -(-size // ALIGNMENT) * ALIGNMENT
