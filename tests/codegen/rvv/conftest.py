"""One runner for the folder; nothing runs where the tools are missing."""

from __future__ import annotations

import pytest

from mbc.runtime.outcome import EmitOnly
from mbc.runtime.rvv.runner import RvvRunner


@pytest.fixture(scope="session")
def runner() -> RvvRunner:
    found = RvvRunner()
    available = found.availability()
    if isinstance(available, EmitOnly):
        pytest.skip(f"{available.reason}; install: {available.install}")
    return found
