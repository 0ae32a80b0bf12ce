"""Messages between the runner and its worker: JSON and raw bytes, nothing executable.

8 bytes   length of the JSON text
JSON      {"body": ..., "sizes": [bytes of each blob]}
blobs     one after another
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

LENGTH_BYTES = 8
LARGEST_JSON = 64 << 20
LARGEST_BLOBS = 16 << 30


class BadMessage(Exception):
    """The other side sent something that is no message."""


@dataclass(frozen=True)
class Message:
    body: dict[str, Any]
    blobs: tuple[bytes, ...] = ()


def encode(body: dict[str, Any], blobs: Sequence[bytes] = ()) -> bytes:
    sizes = [len(blob) for blob in blobs]
    text = json.dumps({"body": body, "sizes": sizes}).encode()
    return b"".join([len(text).to_bytes(LENGTH_BYTES, "little"), text, *blobs])


def decode(read: Callable[[int], bytes]) -> Message:
    """One message from `read`, which returns exactly as many bytes as asked for."""
    length = int.from_bytes(read(LENGTH_BYTES), "little")
    if length > LARGEST_JSON:
        raise BadMessage("a message is too long")
    try:
        envelope = json.loads(read(length))
        body, sizes = dict(envelope["body"]), [int(size) for size in envelope["sizes"]]
    except (ValueError, KeyError, TypeError) as error:
        raise BadMessage("a message is not in the protocol") from error
    if min(sizes, default=0) < 0 or sum(sizes) > LARGEST_BLOBS:
        raise BadMessage("a message has impossible sizes")
    return Message(body, tuple(read(size) for size in sizes))
