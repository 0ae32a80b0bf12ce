"""Timed calls on the GPU: captured launches over several places, filled anew.

A captured launch keeps its addresses, so places are captured in groups and each sample
draws one group; what lies in the places changes from sample to sample. The calls of
one sample each have a place of their own, so that every result can be looked at.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from mbc.codegen.program import Program
from mbc.runtime.cuda.device import Clock, Memory
from mbc.runtime.rounds import MOST_DISTINCT, Draw, Results, batch_of

GROUPS = 2
MOST_PLACES = 32

Caller = Callable[[Memory], Callable[[], object]]


@dataclass
class Place:
    """One allocation of a program's buffers, and where its contents come from."""

    memory: Memory
    inputs: Sequence[dict[str, Any]]
    """Per case, the bytes of each input, on the GPU."""

    def fill(self, draw: Draw) -> None:
        self.memory.refill(self.inputs[draw.case], draw.poison)

    def problem(self, draw: Draw) -> str:
        return self.memory.harm(self.inputs[draw.case])

    def result(self) -> list[Any]:
        """The outputs' bytes, on the GPU."""
        outputs = self.memory.program.outputs
        return [self.memory.view(buffer) for buffer in outputs]


@dataclass(frozen=True)
class Seen:
    """A result of one case, on the GPU and as bytes."""

    case: int
    result: Sequence[Any]
    data: tuple[bytes, ...]


@dataclass
class Captured:
    """A loaded program; see `mbc.runtime.rounds.Subject`."""

    clock: Clock
    groups: Sequence[Sequence[Place]]
    graphs: Sequence[Callable[[], object]]
    cases: int
    batch: int
    results: Results = field(default_factory=Results)
    seen: list[Seen] = field(default_factory=list[Seen])

    @property
    def places(self) -> int:
        return len(self.groups)

    def sample(self, draws: Sequence[Draw]) -> float:
        chosen = draws[0].place
        pairs = list(zip(self.groups[chosen], draws, strict=True))
        for place, draw in pairs:
            place.fill(draw)
        nanoseconds = self.clock.time(self.graphs[chosen])
        for place, draw in pairs:
            problem = place.problem(draw)
            if problem:
                self.results.blame("changed memory", problem)
            self._keep(draw.case, place.result())
        return nanoseconds

    def _keep(self, case: int, result: Sequence[Any]) -> None:
        """Compared on the GPU; only what is new crosses the bus."""
        equal = self.clock.torch.equal
        for seen in self.seen:
            if seen.case == case and all(map(equal, seen.result, result)):
                self.results.keep(case, seen.data)
                return
        data = tuple(view.cpu().numpy().tobytes() for view in result)
        if len(self.seen) < MOST_DISTINCT:
            self.seen.append(Seen(case, [view.clone() for view in result], data))
        self.results.keep(case, data)


def captured(
    clock: Clock,
    program: Program,
    cases: Sequence[dict[str, bytes]],
    caller: Caller,
) -> Captured:
    """`cases` are the bytes of each input by name."""
    images = [
        {name: clock.tensor(data) for name, data in case.items()} for case in cases
    ]

    def place() -> Place:
        return Place(Memory(clock.torch, program, cases[0], 0), images)

    first = place()
    call = caller(first.memory)
    nanoseconds = clock.shortest(call)
    most = min(MOST_PLACES, clock.room(first.memory.nbytes)) // GROUPS
    batch = max(1, min(batch_of(nanoseconds, clock.granularity), most))
    groups = [[place() for _ in range(batch)] for _ in range(GROUPS)]
    calls = [[caller(each.memory) for each in group] for group in groups]
    graphs = [clock.capture(each) for each in calls]
    return Captured(clock, groups, graphs, len(cases), batch)
