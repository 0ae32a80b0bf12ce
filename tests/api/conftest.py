"""One runner per target for the folder; nothing runs where a target cannot."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

from mbc.runtime.outcome import EmitOnly
from mbc.runtime.runner import Runner, runner_for

RunnerOn = Callable[[str], Runner]


@pytest.fixture(scope="session")
def runner_on() -> Iterator[RunnerOn]:
    """Skips where the target can only be emitted."""
    runners: dict[str, Runner] = {}

    def runner(target: str) -> Runner:
        if target not in runners:
            runners[target] = runner_for(target)
        available = runners[target].availability()
        if isinstance(available, EmitOnly):
            pytest.skip(f"{available.reason}; install: {available.install}")
        return runners[target]

    yield runner
    for one in runners.values():
        one.close()
