"""Timed calls on OpenCL: several allocations of a program's buffers, filled anew.

Calls are timed one by one by profiling events, and caches are as the filling leaves
them: warm where the buffers fit.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pyopencl as cl

from mbc.runtime.opencl.memory import Buffers, Bytes, images_of, plain
from mbc.runtime.rounds import Draw, Results

PLACES = 3
EMPTY = "__kernel void empty(__global int *x) {}"
PROBES = 32
Described = Any


@dataclass
class Timed:
    """A loaded program; see `mbc.runtime.rounds.Subject`."""

    queue: Any
    at: Sequence[tuple[Buffers, Callable[[], int]]]
    """Places: the buffers, and a call that returns its nanoseconds."""
    contents: Sequence[dict[str, Bytes]]
    """Per case, what each storage that inputs live in holds before a call."""
    batch: int = 1
    results: Results = field(default_factory=Results)

    @property
    def cases(self) -> int:
        return len(self.contents)

    @property
    def places(self) -> int:
        return len(self.at)

    def sample(self, draws: Sequence[Draw]) -> float:
        total = 0
        for draw in draws:
            buffers, call = self.at[draw.place]
            self._fill(buffers, draw)
            total += call()
            self._keep(buffers, draw)
        return float(total)

    def _fill(self, buffers: Buffers, draw: Draw) -> None:
        inputs = self.contents[draw.case]
        integers = {b["name"] for b in buffers.described if not b["floating"]}
        for name, storage in buffers.storage.items():
            if name in inputs:
                cl.enqueue_copy(
                    self.queue, storage.device, inputs[name], is_blocking=False
                )
                continue
            byte = storage.image[0] if name in integers else draw.poison
            cl.enqueue_fill_buffer(
                self.queue, storage.device, bytes([byte]), 0, storage.image.size
            )
        self.queue.finish()

    def _keep(self, buffers: Buffers, draw: Draw) -> None:
        """What the call returned; and whether it left its inputs alone."""
        after: dict[str, Bytes] = {}
        for name, storage in buffers.storage.items():
            after[name] = np.empty_like(storage.image)
            cl.enqueue_copy(self.queue, after[name], storage.device)
        outputs = [b for b in buffers.described if b["role"] == "output"]
        updated = {buffers.homes[b["name"]][0] for b in outputs}
        for name, image in self.contents[draw.case].items():
            if name not in updated and not np.array_equal(after[name], image):
                problem = f"a timed call changed its input '{name}'"
                self.results.blame("changed input", problem)
        result: list[bytes] = []
        for buffer in outputs:
            home, start = buffers.homes[buffer["name"]]
            result.append(after[home][start : start + buffer["nbytes"]].tobytes())
        self.results.keep(draw.case, tuple(result))


def timed(
    context: Any,
    queue: Any,
    described: Sequence[Described],
    cases: Sequence[Sequence[bytes]],
    caller: Callable[[Buffers], Callable[[], int]],
) -> Timed:
    """`cases` are the bytes of the program's inputs, in order, for each case."""
    inputs = {b["name"] for b in described if b["role"] == "input" and not b["view_of"]}
    contents = [
        {n: i for n, i in images_of(described, case, 0).items() if n in inputs}
        for case in cases
    ]
    places = [plain(context, described, cases[0]) for _ in range(PLACES)]
    return Timed(queue, [(place, caller(place)) for place in places], contents)


def granularity(context: Any, queue: Any) -> float:
    """Nanoseconds: the shortest event that is told apart from no time at all."""
    kernel = cl.Kernel(cl.Program(context, EMPTY).build(), "empty")
    buffer = cl.Buffer(context, cl.mem_flags.READ_WRITE, 4)  # no kernel keeps it alive
    kernel.set_arg(0, buffer)
    found = [float(queue.device.profiling_timer_resolution)]
    events: list[Any] = []
    for _ in range(PROBES):
        events.append(cl.enqueue_nd_range_kernel(queue, kernel, (1,), (1,)))
        queue.finish()
    spans = [float(event.profile.end - event.profile.start) for event in events]
    found.append(min((span for span in spans if span > 0), default=0.0))
    return max(found)
