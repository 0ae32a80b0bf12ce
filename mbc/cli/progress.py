"""Progress of a search on standard error: a live line on a terminal, else lines."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Generator
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from mbc.agent.records import Outcome
    from mbc.api.tune import Step

Show = Callable[["Step"], None]


@contextmanager
def shown_progress() -> Generator[Show]:
    if not sys.stderr.isatty():
        yield lambda step: print(described(step), file=sys.stderr, flush=True)
        return
    # NO_COLOR and TERM=dumb are rich's business.
    from rich.console import Console

    console = Console(stderr=True)
    with console.status("starting") as status:
        yield lambda step: status.update(_escaped(described(step)))


def described(step: Step) -> str:
    """`kernel 2 of 9: k3 contract 7/60: improved 1.42x set-tile{...}; best 1.83x`"""
    place = f"kernel {step.position + 1} of {step.kernels}: {step.label}"
    progress = step.progress
    if progress is None:
        return place
    outcome, best = progress.outcome, progress.best
    limit = progress.budget.measurements
    count = f"{progress.measured}" if limit is None else f"{progress.measured}/{limit}"
    found = f"; best {_speedup(best)}" if best is not None else ""
    return (
        f"{place} {outcome.kernel.family} {count}: {outcome.verdict} "
        f"{_speedup(outcome)} {outcome.action.id or 'default schedule'}{found}"
    )


def _speedup(outcome: Outcome) -> str:
    from mbc.runtime.outcome import NotMeasured

    match outcome.result:
        case NotMeasured(reason):
            return f"({reason})"
        case timed:
            return f"{math.exp(timed.log_default):.2f}x"


def _escaped(text: str) -> str:
    from rich.markup import escape

    return escape(text)
