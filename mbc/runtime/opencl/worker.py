"""The process that OpenCL lives in: `python -m mbc.runtime.opencl.worker BYTES DEVICE`.

Answers one message at a time on its standard streams and keeps context, queue and
built programs between them. Kernels run in this process; whatever one of them breaks
is confined to it.
"""

from __future__ import annotations

import os
import resource
import sys
from typing import Any, BinaryIO

from mbc.runtime.opencl.session import Reply, Session, Trouble
from mbc.runtime.opencl.wire import Message, decode, encode
from mbc.runtime.orphan import end_with_parent

FILE_BYTES = 1 << 30


def main() -> None:
    memory, device = int(sys.argv[1]), sys.argv[2]
    _limit(memory)
    end_with_parent(sys.stdin.fileno())
    # Kernels may print to standard output, which must not reach the protocol.
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    session: Session | None = None
    while (message := _next(sys.stdin.buffer)) is not None:
        try:
            session = session or Session.open(device)
            reply = session.answer(message)
        except Trouble as trouble:
            reply = Reply(trouble.body())
        answers.write(encode(reply.body, reply.blobs))
        answers.flush()


def _limit(memory: int) -> None:
    limits: dict[int, Any] = {
        resource.RLIMIT_AS: memory,
        resource.RLIMIT_CORE: 0,
        resource.RLIMIT_FSIZE: FILE_BYTES,
    }
    for kind, value in limits.items():
        resource.setrlimit(kind, (value, value))


def _next(stream: BinaryIO) -> Message | None:
    try:
        return decode(lambda size: _exactly(stream, size))
    except EOFError:
        return None


def _exactly(stream: BinaryIO, size: int) -> bytes:
    data = stream.read(size)
    if len(data) < size:
        raise EOFError
    return data


if __name__ == "__main__":
    main()
