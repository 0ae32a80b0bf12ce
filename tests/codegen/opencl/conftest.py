"""One runner, and so one worker process, for all emission tests."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from mbc.runtime.opencl.runner import OpenclRunner
from mbc.runtime.outcome import EmitOnly


@pytest.fixture(scope="session")
def runner() -> Iterator[OpenclRunner]:
    runner = OpenclRunner(run_seconds=120)
    available = runner.availability()
    if isinstance(available, EmitOnly):
        pytest.skip(f"{available.reason}; install: {available.install}")
    yield runner
    runner.close()
