"""Emitted CUDA runs under the emulation, with a build cache of its own."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import pytest

from mbc.runtime.cuda.emulation import EmulatedCudaRunner
from mbc.runtime.outcome import Completed, EmitOnly, Failed
from tests.codegen.cuda.samples import Sample, disagreements, inputs_of, program_of

Check = Callable[[Sequence[Sample]], None]


@pytest.fixture(scope="session")
def emulated(tmp_path_factory: pytest.TempPathFactory) -> Iterator[EmulatedCudaRunner]:
    available = EmulatedCudaRunner().availability()
    if isinstance(available, EmitOnly):
        pytest.skip(f"{available.reason}; install: {available.install}")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("MBC_CACHE_DIR", str(tmp_path_factory.mktemp("cache")))
        yield EmulatedCudaRunner()


@pytest.fixture
def check(emulated: EmulatedCudaRunner) -> Check:
    """Runs samples as one program and compares every result with the reference."""

    def run(samples: Sequence[Sample]) -> None:
        inputs = inputs_of(samples)
        outcome = emulated.run(program_of(samples), inputs)
        if isinstance(outcome, Failed):
            pytest.fail(f"{outcome.kind}: {outcome.message}\n{outcome.log[:4000]}")
        assert isinstance(outcome, Completed)
        assert disagreements(samples, inputs, outcome.outputs) == []

    return run
