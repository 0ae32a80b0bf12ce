"""Messages between the runner and its worker: one JSON header, then raw arrays.

Nothing that comes from a worker is executed or unpickled: it has run candidates.
"""

from __future__ import annotations

import json
import os
import select
import struct
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import IO, Any

from mbc.codegen.program import Buffer, Launch, Program

LENGTH = struct.Struct("<Q")
LONGEST_HEADER = 64 << 20
LARGEST_BLOBS = 64 << 30


@dataclass(frozen=True)
class Message:
    header: dict[str, Any]
    blobs: list[bytes]


class Ended(Exception):
    """The other side closed the channel, or what it sends is no message."""


class Silent(Exception):
    """The other side did not answer in time."""


def send(
    stream: IO[bytes], header: Mapping[str, object], blobs: Sequence[bytes] = ()
) -> None:
    text = json.dumps({**header, "sizes": [len(blob) for blob in blobs]}).encode()
    stream.write(LENGTH.pack(len(text)) + text)
    for blob in blobs:
        stream.write(blob)
    stream.flush()


def receive(stream: IO[bytes]) -> Message:
    """The next message; `Ended` at the end of the stream."""

    def read(size: int) -> bytes:
        data = stream.read(size)
        if len(data) != size:
            raise Ended
        return data

    return _message(read)


def receive_within(stream: IO[bytes], seconds: float) -> Message:
    """The next message of an unbuffered pipe; `Silent` if it takes longer."""
    deadline = time.monotonic() + seconds
    handle = stream.fileno()

    def read(size: int) -> bytes:
        data = bytearray()
        while len(data) < size:
            left = deadline - time.monotonic()
            if left <= 0 or not select.select([handle], [], [], left)[0]:
                raise Silent
            part = os.read(handle, min(size - len(data), 1 << 20))
            if not part:
                raise Ended
            data += part
        return bytes(data)

    return _message(read)


def _message(read: Callable[[int], bytes]) -> Message:
    (length,) = LENGTH.unpack(read(LENGTH.size))
    if length > LONGEST_HEADER:
        raise Ended
    header, sizes = _parsed(read(length))
    return Message(header, [read(size) for size in sizes])


def _parsed(text: bytes) -> tuple[dict[str, Any], list[int]]:
    """A header and the sizes of its blobs; a candidate may have written anything."""
    try:
        header = dict(json.loads(text))
        sizes = [int(size) for size in header.pop("sizes")]
    except (ValueError, TypeError, KeyError) as error:
        raise Ended from error
    if any(size < 0 for size in sizes) or sum(sizes) > LARGEST_BLOBS:
        raise Ended
    return header, sizes


def encode_program(program: Program) -> dict[str, object]:
    return {
        "target": program.target,
        "source": program.source,
        "buffers": [asdict(buffer) for buffer in program.buffers],
        "launches": [asdict(launch) for launch in program.launches],
        "arena_bytes": program.arena_bytes,
        "options": program.options,
    }


def decode_program(data: Mapping[str, Any]) -> Program:
    return Program(
        data["target"],
        data["source"],
        tuple(_buffer(**buffer) for buffer in data["buffers"]),
        tuple(_launch(**launch) for launch in data["launches"]),
        data["arena_bytes"],
        tuple((name, value) for name, value in data["options"]),
    )


def _buffer(shape: Sequence[int], **rest: Any) -> Buffer:
    return Buffer(shape=tuple(shape), **rest)


def _launch(function: str, steps: int, **sequences: Sequence[Any]) -> Launch:
    fields: dict[str, Any] = {name: tuple(s) for name, s in sequences.items()}
    return Launch(function, steps=steps, **fields)
