"""A worker ends with the process that started it, even in the middle of a kernel.

The kernel's own signal for that (PDEATHSIG) is about the thread that started a process,
which may end long before the worker is done with. A pipe that nobody can write to any
more says the same of the whole process.
"""

from __future__ import annotations

import os
import select
import threading


def end_with_parent(pipe: int) -> None:
    """Watch `pipe`, the end that this process reads from; its closing ends it."""
    threading.Thread(target=_watch, args=(pipe,), daemon=True).start()


def _watch(pipe: int) -> None:
    poll = select.poll()
    poll.register(pipe, 0)  # no events asked for: only its hanging up
    poll.poll()
    os._exit(1)
