"""Runners that live as long as a module's tests, with caches of their own."""

from collections.abc import Iterator

import pytest

from mbc.runtime.outcome import EmitOnly
from mbc.runtime.runner import Runner, runner_for


@pytest.fixture(scope="session")
def build_cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("MBC_CACHE_DIR", str(tmp_path_factory.mktemp("cache")))
        yield


@pytest.fixture(scope="session")
def runners(build_cache: None) -> Iterator[dict[str, Runner]]:
    found = {name: runner_for(name) for name in ("rvv", "opencl", "cuda")}
    yield found
    for runner in found.values():
        runner.close()


@pytest.fixture(params=["rvv", "opencl"])
def target(request: pytest.FixtureRequest) -> str:
    return request.param


@pytest.fixture
def runner(runners: dict[str, Runner], target: str) -> Runner:
    available = runners[target].availability()
    if isinstance(available, EmitOnly):
        pytest.skip(f"{available.reason}; install: {available.install}")
    return runners[target]
