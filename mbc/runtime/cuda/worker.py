"""The process that touches the GPU: `python -m mbc.runtime.cuda.worker`.

It answers requests on stdin and stdout until stdin ends. It does not survive a device
error: the runner starts a fresh one.
"""

from __future__ import annotations

import os
import resource
from collections.abc import Sequence
from functools import cache
from itertools import count
from typing import Any

from mbc.codegen.program import Program
from mbc.runtime.compiler_log import first_error
from mbc.runtime.cuda.device import Clock, Gpu, Memory
from mbc.runtime.cuda.nvcc import arch_of
from mbc.runtime.cuda.nvrtc import Rejected, compile_cubin
from mbc.runtime.cuda.wire import Ended, Message, decode_program, receive, send
from mbc.runtime.orphan import end_with_parent

FILE_BYTES = 1 << 30
CALLS = count()
"""Every call poisons what it does not give in another way."""
Reply = tuple[dict[str, Any], Sequence[bytes]]


@cache
def gpu() -> Gpu:
    return Gpu()


def hello(request: Message) -> Reply:
    return {"device": gpu().name()}, ()


def compile_only(request: Message) -> Reply:
    program = decode_program(request.header["program"])
    cubin = compile_cubin(program.source, arch_of(program))
    return (_rejected(cubin) if isinstance(cubin, Rejected) else {}), ()


def run(request: Message) -> Reply:
    program = decode_program(request.header["program"])
    loaded = gpu().load(program)
    if isinstance(loaded, Rejected):
        return _rejected(loaded), ()
    memory = _memory(program, request.blobs)
    gpu().caller(program, memory)()
    gpu().synchronize()
    damage = memory.damage()
    if damage:
        return {"failed": "crash", "message": damage, "log": ""}, ()
    return {}, [memory.read(buffer) for buffer in program.outputs]


def measure(request: Message) -> Reply:
    """Programs that do not compile get their reason in place of samples."""
    blobs = iter(request.blobs)
    rows: list[dict[str, Any]] = []
    calls: list[Any] = []
    for data in request.header["programs"]:
        program = decode_program(data)
        own = [next(blobs) for _ in program.inputs]
        loaded = gpu().load(program)
        if isinstance(loaded, Rejected):
            rows.append(_rejected(loaded))
            continue
        calls.append(gpu().caller(program, _memory(program, own)))
        rows.append({})
    times, batches = Clock(gpu().torch).measure(calls, request.header["rounds"])
    timed = iter(zip(times, batches, strict=True))
    for row in rows:
        if not row:
            row["samples"], row["batch"] = next(timed)
    return {"rows": rows, "device": gpu().name()}, ()


HANDLERS = {"hello": hello, "compile": compile_only, "run": run, "measure": measure}


def _memory(program: Program, blobs: Sequence[bytes]) -> Memory:
    names = (buffer.name for buffer in program.inputs)
    inputs = dict(zip(names, blobs, strict=True))
    return Memory(gpu().torch, program, inputs, next(CALLS))


def _rejected(compiled: Rejected) -> dict[str, Any]:
    message = first_error(compiled.log)
    return {"failed": "compile_fail", "message": message, "log": compiled.log}


def limit() -> None:
    """No limit of addresses: the driver reserves more than a machine has memory."""
    limits = {resource.RLIMIT_CORE: 0, resource.RLIMIT_FSIZE: FILE_BYTES}
    for kind, value in limits.items():
        resource.setrlimit(kind, (value, value))


def main() -> None:
    limit()
    end_with_parent(0)
    # What libraries print must not end up between messages.
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    requests = os.fdopen(0, "rb")
    while True:
        try:
            request = receive(requests)
        except Ended:
            return
        header, blobs = HANDLERS[request.header["ask"]](request)
        send(answers, header, blobs)


if __name__ == "__main__":
    main()
