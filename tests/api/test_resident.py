"""Models loaded into this process: the same results as elsewhere, without copies."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from torch import Tensor, nn

import mbc
from mbc.errors import InvalidInput
from mbc.runtime.opencl.resident import aligned_empty
from mbc.runtime.outcome import Failed
from mbc.runtime.resident import ResidentModel
from tests.api.conftest import RunnerOn
from tests.api.models import TwoProducts, imported_mlp, mlp_inputs


class Cache(nn.Module):
    """Keeps rows that it has seen, and takes a product with all of them."""

    rows: Tensor

    def __init__(self) -> None:
        super().__init__()
        torch.manual_seed(0)
        self.weight = nn.Parameter(torch.randn(4, 4))
        self.register_buffer("rows", torch.zeros(3, 4))

    def forward(self, x: Tensor) -> Tensor:
        self.rows = torch.cat([self.rows[1:], x @ self.weight])
        return self.rows * 2


@pytest.fixture(autouse=True)
def opencl(runner_on: RunnerOn) -> None:
    """Skips where there is no OpenCL."""
    runner_on("opencl")


def loaded(artifact: mbc.Artifact) -> ResidentModel:
    resident = artifact.resident()
    assert isinstance(resident, ResidentModel)
    return resident


def test_results_are_those_of_the_runner():
    artifact = mbc.lower(imported_mlp(), target="opencl")
    inputs = mlp_inputs()
    loaded(artifact)
    np.testing.assert_array_equal(artifact(*inputs).numpy(), artifact.run(*inputs)[0])


def test_results_stay_as_they_are_when_the_model_is_called_again():
    artifact = mbc.lower(imported_mlp(), target="opencl")
    (x,) = mlp_inputs()
    first = artifact(x)
    kept = first.clone()
    assert not torch.equal(artifact(-x), kept)
    assert torch.equal(first, kept)


def test_an_aligned_array_is_read_in_place():
    artifact = mbc.lower(imported_mlp(), target="opencl")
    memory = loaded(artifact).memory
    array = aligned_empty(7 * 12 * 4).view(np.float32)
    handle = memory.given(array)
    array[:] = 3  # after the buffer was made
    part = np.empty(4, np.float32)
    memory.cl.enqueue_copy(memory.queue, part, handle.buffer)
    assert part.tolist() == [3, 3, 3, 3]


def test_a_view_of_an_intermediate_is_part_of_the_arena():
    """Queries, keys and values are parts of one product, which is part of it, too."""

    class Parts(nn.Module):
        def forward(self, x: Tensor) -> Tensor:
            first, second = torch.cumsum(x, 1).unbind(0)
            return torch.cumsum(second, 0) * 2 - first

    x = torch.arange(2 * 32 * 64, dtype=torch.float32).reshape(2, 32, 64) % 7
    artifact = mbc.lower(mbc.import_model(Parts(), [x]), target="opencl")
    buffers = loaded(artifact).forward.function.program.buffers
    whole = {b.name for b in buffers if b.role == "scratch" and not b.view_of}
    assert any(b.view_of in whole and b.offset for b in buffers)
    torch.testing.assert_close(artifact(x), Parts()(x))


@pytest.mark.parametrize("kind", ["unaligned", "read-only", "strided"])
def test_other_arrays_are_copied(kind: str):
    artifact = mbc.lower(imported_mlp(), target="opencl")
    x = mlp_inputs()[0].numpy()
    raw = np.zeros(x.size + 1, np.float32)
    raw[1:] = x.ravel()
    given = {
        "unaligned": raw[1:].reshape(x.shape),
        "read-only": x.copy(),
        "strided": np.asfortranarray(x),
    }[kind]
    given.flags.writeable = kind != "read-only"
    np.testing.assert_array_equal(artifact(given), artifact(x))


def test_a_state_is_kept_between_calls_and_prepared_weights_with_it():
    torch.manual_seed(1)
    steps = [torch.randn(1, 4) for _ in range(4)]
    model = Cache().eval()
    artifact = mbc.lower(mbc.import_model(model, (steps[0],)), target="opencl")
    loaded(artifact)
    with torch.no_grad():
        for x in steps:
            torch.testing.assert_close(artifact(x), model(x))
    np.testing.assert_allclose(artifact.parameters["rows"], model.rows, rtol=1e-5)


def test_a_replaced_parameter_is_prepared_again():
    module = mbc.import_model(TwoProducts().eval(), (torch.ones(32, 32),) * 2)
    artifact = mbc.lower(module, target="opencl")
    assert artifact.code.prepare is not None
    x = torch.eye(32)
    artifact(x, x)
    loaded(artifact).replace("w", np.full((32, 32), 7, np.float32))
    product, _ = artifact(x, x)
    assert torch.equal(product, torch.full((32, 32), 7.0))


def test_source_that_a_person_wrote_does_not_run_in_this_process(tmp_path):
    module = imported_mlp()
    pipeline = mbc.lower(module, target="opencl").pipeline
    source = tmp_path / "k.cl"
    source.write_text("__kernel void k2(__global float *x) {}")
    with_source = f'{pipeline},use-source{{kernel=k2 file="{source}"}}'
    artifact = mbc.lower(module, target="opencl", pipeline=with_source)
    resident = artifact.resident()
    assert isinstance(resident, Failed)
    assert "source that mbc did not write" in resident.message


def test_a_call_that_would_need_a_gradient_is_refused():
    artifact = mbc.lower(imported_mlp(), target="opencl")
    x = mlp_inputs()[0].requires_grad_()
    with pytest.raises(InvalidInput, match="mbc does inference only"):
        artifact(x)
    with torch.no_grad():
        artifact(x)
