"""Device buffers of a program: poisoned and fenced for a run, plain for
timing (`timing`).

Scratch buffers get storage of their own each, whatever the arena's plan is, so that
every one of them has guards.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt
import pyopencl as cl

GUARD = 4096
GUARD_BYTE = 0x5A

Bytes = npt.NDArray[np.uint8]
Described = Mapping[str, Any]
"""A buffer in a message: name, nbytes, role, floating, poison, view_of, and offset in
bytes."""


class Trouble(Exception):
    """What goes back to the runner as `Failed`."""

    def __init__(self, kind: str, message: str, log: str = ""):
        super().__init__(message)
        self.kind, self.message, self.log = kind, message, log

    def body(self) -> dict[str, Any]:
        failure = {"kind": self.kind, "message": self.message, "log": self.log}
        return {"failed": failure}


@dataclass(frozen=True)
class Storage:
    """One allocation: `image` is what it holds before a run, guards included."""

    image: Bytes
    device: Any
    guard: int


@dataclass(frozen=True)
class Buffers:
    described: Sequence[Described]
    storage: dict[str, Storage]
    homes: dict[str, tuple[str, int]]
    """Name of the storage of each buffer, and where in it the buffer starts."""
    arguments: dict[str, Any]


def guarded(
    context: Any, described: Sequence[Described], inputs: Sequence[bytes]
) -> Buffers:
    return _allocated(context, described, inputs, GUARD)


def plain(
    context: Any, described: Sequence[Described], inputs: Sequence[bytes]
) -> Buffers:
    return _allocated(context, described, inputs, 0)


def unguarded(
    context: Any, described: Sequence[Described], inputs: Sequence[bytes]
) -> Buffers:
    """For a simulator that knows what was written: only inputs hold anything."""
    bare = _allocated(context, described, inputs, 0)
    homes = {role: _homes_of(bare, role) for role in ("input", "output")}
    storage = {
        name: replace(
            each,
            device=_bare(
                context, each.image, name in homes["input"], name in homes["output"]
            ),
        )
        for name, each in bare.storage.items()
    }
    arguments = {b["name"]: _argument(b, storage, bare.homes) for b in described}
    return replace(bare, storage=storage, arguments=arguments)


def _homes_of(buffers: Buffers, role: str) -> set[str]:
    return {buffers.homes[b["name"]][0] for b in buffers.described if b["role"] == role}


def _bare(context: Any, image: Bytes, given: bool, changes: bool) -> Any:
    if not given:
        return cl.Buffer(context, cl.mem_flags.READ_WRITE, image.size)
    access = cl.mem_flags.READ_WRITE if changes else cl.mem_flags.READ_ONLY
    return cl.Buffer(context, access | cl.mem_flags.COPY_HOST_PTR, hostbuf=image)


def images_of(
    described: Sequence[Described], inputs: Sequence[bytes], guard: int
) -> dict[str, Bytes]:
    """What each storage holds before a call."""
    homes = _homes(described, guard)
    images = {
        b["name"]: _image(b, guard)
        for b in described
        if homes[b["name"]][0] == b["name"]
    }
    data = iter(inputs)
    for buffer in described:
        if buffer["role"] == "input" and not buffer["view_of"]:
            home, start = homes[buffer["name"]]
            values = np.frombuffer(next(data), np.uint8)
            images[home][start : start + values.size] = values
    return images


def _allocated(
    context: Any, described: Sequence[Described], inputs: Sequence[bytes], guard: int
) -> Buffers:
    homes = _homes(described, guard)
    images = images_of(described, inputs, guard)
    flags = cl.mem_flags.READ_WRITE | cl.mem_flags.COPY_HOST_PTR
    storage = {
        name: Storage(image, cl.Buffer(context, flags, hostbuf=image), guard)
        for name, image in images.items()
    }
    arguments = {b["name"]: _argument(b, storage, homes) for b in described}
    return Buffers(described, storage, homes, arguments)


def _homes(described: Sequence[Described], guard: int) -> dict[str, tuple[str, int]]:
    by_name = {b["name"]: b for b in described}
    homes: dict[str, tuple[str, int]] = {}
    for buffer in described:
        start, owner = guard, buffer
        while owner["view_of"]:
            start += owner["offset"]
            owner = by_name[owner["view_of"]]
        homes[buffer["name"]] = (owner["name"], start)
    return homes


def _image(buffer: Described, guard: int) -> Bytes:
    # An empty buffer still needs an allocation.
    size = max(buffer["nbytes"], 1)
    image = np.full(size + 2 * guard, GUARD_BYTE, np.uint8)
    image[guard : guard + buffer["nbytes"]] = buffer["poison"]
    return image


def _argument(
    buffer: Described,
    storage: Mapping[str, Storage],
    homes: Mapping[str, tuple[str, int]],
) -> Any:
    home, start = homes[buffer["name"]]
    owner = storage[home]
    if start == 0 and not buffer["view_of"]:
        return owner.device
    try:
        return owner.device.get_sub_region(start, max(buffer["nbytes"], 1))
    except cl.LogicError as error:
        message = f"'{buffer['name']}' starts where this device allows no buffer"
        raise Trouble("blocked", message) from error


def reviewed(queue: Any, buffers: Buffers) -> tuple[bytes, ...]:
    """The outputs after a run, if nothing else was written."""
    after: dict[str, Bytes] = {}
    for name, storage in buffers.storage.items():
        after[name] = np.empty_like(storage.image)
        cl.enqueue_copy(queue, after[name], storage.device)
    for name, storage in buffers.storage.items():
        guards = np.ones(storage.image.size, np.bool_)
        guards[storage.guard : storage.image.size - storage.guard] = False
        if (after[name][guards] != GUARD_BYTE).any():
            raise Trouble("crash", f"wrote outside of buffer '{name}'")
    outputs: list[bytes] = []
    updated = _homes_of(buffers, "output")
    for buffer in buffers.described:
        home, start = buffers.homes[buffer["name"]]
        place = slice(start, start + buffer["nbytes"])
        before, now = buffers.storage[home].image[place], after[home][place]
        fixed = buffer["role"] == "input" and home not in updated
        if fixed and (before != now).any():
            raise Trouble("crash", f"changed its input '{buffer['name']}'")
        if buffer["role"] == "output":
            outputs.append(now.tobytes())
    return tuple(outputs)
