"""Calls, each in a process of its own: what one uses or breaks is its own affair.

Processes are forked from a server that has loaded the modules they need, so that each
starts at once and its memory is that of one call. A model may print, and may be killed
for its memory; its standard output goes nowhere, and its death is a value.
"""

from __future__ import annotations

import multiprocessing
import os
import resource
import signal
import time
from collections.abc import Callable, Generator, Iterable, Sequence
from dataclasses import dataclass
from itertools import islice
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from typing import Any, Generic, TypeVar

from mbc.runtime.orphan import end_with_parent

Argument = TypeVar("Argument")
Result = TypeVar("Result")


@dataclass(frozen=True)
class Returned(Generic[Result]):
    value: Result
    peak_bytes: int
    """The most memory that was resident at once, loaded modules included."""


@dataclass(frozen=True)
class Died:
    reason: str


@dataclass(frozen=True)
class _Running(Generic[Argument]):
    argument: Argument
    process: BaseProcess
    deadline: float


def call_each(
    function: Callable[[Argument], Result],
    arguments: Iterable[Argument],
    jobs: int,
    seconds: float,
    preload: Sequence[str],
) -> Generator[tuple[Argument, Returned[Result] | Died]]:
    """What `function` makes of each argument, as they end, `jobs` at a time.

    A call that takes over `seconds` is killed; so are all when the caller stops.
    `function` and arguments are pickled; the server loads the modules of `preload`.
    An argument is taken only when its call can start, and may depend on what ended.
    """
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(list(preload))
    waiting = iter(arguments)
    running: dict[Connection, _Running[Argument]] = {}
    try:
        while True:
            for argument in islice(waiting, jobs - len(running)):
                ours, theirs = context.Pipe()
                process = context.Process(target=_serve, args=(theirs, function))
                process.start()
                theirs.close()
                ours.send(argument)
                running[ours] = _Running(argument, process, time.monotonic() + seconds)
            if not running:
                return
            for pipe in _ended(running):
                job = running.pop(pipe)
                yield job.argument, _outcome(pipe, job.process, seconds)
    finally:
        for pipe, job in running.items():
            _stop(pipe, job.process)


def _ended(running: dict[Connection, _Running[Any]]) -> list[Connection]:
    """Those that have answered, died or come to their time."""
    first = min(job.deadline for job in running.values())
    ready = wait(list(running), max(0.0, first - time.monotonic()))
    now = time.monotonic()
    return [p for p, job in running.items() if p in ready or job.deadline <= now]


def _outcome(
    pipe: Connection, process: BaseProcess, seconds: float
) -> Returned[Any] | Died:
    if not pipe.poll():
        _stop(pipe, process)
        return Died(f"it took more than {seconds:g} s")
    try:
        answer: Returned[Any] | Died = pipe.recv()
    except (EOFError, ConnectionResetError):
        process.join()
        code = process.exitcode or 0
        how = f"was killed by signal {-code}" if code < 0 else f"exited with {code}"
        answer = Died(f"its process {how}")
    _stop(pipe, process)
    return answer


def _stop(pipe: Connection, process: BaseProcess) -> None:
    process.kill()
    process.join()
    pipe.close()


def _serve(pipe: Connection, function: Callable[[Any], Any]) -> None:
    """The other side: one call."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent decides
    end_with_parent(pipe.fileno())
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    argument = pipe.recv()
    try:
        value = function(argument)
    except Exception as error:
        words = " ".join(str(error).split())
        pipe.send(Died(f"internal error: {type(error).__name__}: {words}"))
        return
    usage = resource.getrusage(resource.RUSAGE_SELF)
    pipe.send(Returned(value, usage.ru_maxrss * 1024))
