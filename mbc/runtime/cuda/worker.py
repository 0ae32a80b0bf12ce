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
from mbc.runtime.cuda.device import Call, Clock, Gpu, Memory
from mbc.runtime.cuda.loaded import Loaded
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


@cache
def clock() -> Clock:
    return Clock(gpu().torch)


@cache
def loaded() -> Loaded:
    return Loaded(clock())


def load(request: Message) -> Reply:
    program = decode_program(request.header["program"])
    module = gpu().load(program)
    if isinstance(module, Rejected):
        return _rejected(module), ()

    def caller(memory: Memory) -> Call:
        return gpu().caller(program, memory)

    return loaded().load(program, request.blobs, request.header, caller), ()


def unload(request: Message) -> Reply:
    loaded.cache_clear()
    gpu().torch.cuda.empty_cache()
    return {}, ()


def take(request: Message) -> Reply:
    return loaded().time(request.header), ()


def results(request: Message) -> Reply:
    return loaded().results(request.header["index"])


HANDLERS = {
    "hello": hello,
    "compile": compile_only,
    "run": run,
    "load": load,
    "unload": unload,
    "time": take,
    "results": results,
}


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
