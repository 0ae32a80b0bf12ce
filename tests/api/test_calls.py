"""What a call may be given, what it gives back, and what it refuses."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor, nn

import mbc
from mbc.errors import InvalidInput
from mbc.runtime.outcome import Failed
from tests.api.conftest import RunnerOn
from tests.api.models import (
    Accumulate,
    Affine,
    Select,
    Structured,
    Sums,
    Tied,
    normalizer,
)

TARGETS = ("rvv", "opencl", "cuda")
RESIDENT = ("opencl",)
"""Targets that also run in this process, without a runner."""
Compile = Callable[..., mbc.Artifact]


WAYS = [*((target, "runner") for target in TARGETS)]
WAYS += [(target, "resident") for target in RESIDENT]


@pytest.fixture(params=WAYS, ids="-".join)
def compiled(request: pytest.FixtureRequest, runner_on: RunnerOn) -> Compile:
    """A model on each target, without a gradient."""
    target, way = request.param
    runner = runner_on(target)

    def compile(model: nn.Module, *inputs: Tensor) -> mbc.Artifact:
        artifact = mbc.lower(mbc.import_model(model, inputs), target=target)
        if way == "runner":
            artifact.use_runner(runner)
        else:
            assert not isinstance(artifact.resident(), Failed)
        return artifact

    return compile


@pytest.fixture(scope="module")
def affine() -> mbc.Artifact:
    """Never run: what is wrong about a call shows before anything does."""
    module = mbc.import_model(Affine(), [torch.zeros(3, 4)])
    return mbc.lower(module, target="opencl")


WRONG: dict[str, list[Any]] = {
    "shape": [torch.zeros(4, 3)],
    "rank": [torch.zeros(12)],
    "dtype": [torch.zeros(3, 4, dtype=torch.float64)],
    "integers": [np.zeros((3, 4), np.int32)],
    "too many": [torch.zeros(3, 4), torch.zeros(3, 4)],
    "none": [],
    "not an array": ["text"],
}
SAYS = {
    "shape": r"is float32 \[4, 3\], the model takes float32 \[3, 4\]",
    "rank": r"is float32 \[12\], the model takes float32 \[3, 4\]",
    "dtype": r"is float64 \[3, 4\], the model takes float32 \[3, 4\]",
    "integers": r"is int32 \[3, 4\], the model takes float32 \[3, 4\]",
    "too many": "takes 1 inputs here, 2 were given",
    "none": "takes 1 inputs here, 0 were given",
    "not an array": "the model takes float32",
}


@pytest.mark.parametrize("case", WRONG)
def test_wrong_inputs_are_one_sentence(affine: mbc.Artifact, case: str):
    with pytest.raises(InvalidInput, match=SAYS[case]) as raised:
        affine(*WRONG[case])
    assert "\n" not in str(raised.value)


def strided(kind: str) -> Tensor:
    whole = torch.arange(48, dtype=torch.float32).reshape(8, 6)
    return {
        "transposed": whole[:4, :3].t(),
        "strided": whole[1:7:2, :4],
        "expanded": whole[0, :4].expand(3, 4),
        "offset": whole.flatten()[1:13].reshape(3, 4),
    }[kind]


KINDS = ("transposed", "strided", "expanded", "offset")


def test_inputs_may_lie_in_memory_in_any_way(compiled: Compile):
    artifact = compiled(Affine(), torch.zeros(3, 4))
    for kind in KINDS:
        x = strided(kind)
        np.testing.assert_array_equal(artifact(x).numpy(), x * 2 + 1, kind)
        np.testing.assert_array_equal(artifact(x.numpy()), x * 2 + 1, kind)


def test_a_call_leaves_its_inputs_as_they_were(compiled: Compile):
    x = strided("transposed")
    before = x.clone()
    compiled(Affine(), x)(x)
    np.testing.assert_array_equal(x, before)


def test_a_result_is_the_callers_own(compiled: Compile):
    artifact = compiled(Affine(), torch.zeros(3, 4))
    (first,) = artifact.run(torch.zeros(3, 4))
    artifact.run(torch.ones(3, 4))
    np.testing.assert_array_equal(first, np.ones((3, 4)))


def test_booleans_and_wide_integers(compiled: Compile):
    mask = torch.tensor([[True, False, True]])
    n = torch.tensor([[2**40 + 1], [-5]])
    found = compiled(Select(), mask, n)(mask, n)
    for got, wanted in zip(found, Select()(mask, n), strict=True):
        assert got.dtype == wanted.dtype
        np.testing.assert_array_equal(got, wanted)


@pytest.mark.parametrize("shape", [(0, 4), (4, 0), (0, 0)])
def test_empty_inputs(compiled: Compile, shape: tuple[int, int]):
    x = torch.zeros(shape)
    found = compiled(Sums(), x)(x)
    for got, wanted in zip(found, Sums()(x), strict=True):
        np.testing.assert_array_equal(got, wanted)
        assert got.shape == wanted.shape


def test_a_number_is_an_input_without_axes(compiled: Compile):
    x = torch.tensor(2.5)
    found = compiled(Affine(), x)(x)
    assert found.shape == ()
    assert found.item() == 6.0


def test_results_come_back_in_their_structure(compiled: Compile):
    x = torch.tensor([1.0, 2.0])
    found = compiled(Structured(), x)(x)
    assert list(found) == ["y", "parts"]
    first, nothing, number, (same, double) = found["parts"]
    assert isinstance(found["parts"], list)
    assert nothing is None
    assert number == 3
    np.testing.assert_array_equal(same, x)
    np.testing.assert_array_equal(found["y"], [2.0, 3.0])
    np.testing.assert_array_equal(first, [2.0, 3.0])
    np.testing.assert_array_equal(double, [4.0, 6.0])


def test_tied_weights_are_one_parameter(compiled: Compile):
    model, x = Tied(), torch.randn(3, 6)
    artifact = compiled(model, x)
    assert len(artifact.parameters) == 1
    with torch.no_grad():
        np.testing.assert_allclose(artifact(x), model(x), rtol=1e-5, atol=1e-6)


def test_a_buffer_that_a_model_updates_is_kept(compiled: Compile):
    model, batches = normalizer(), torch.randn(3, 4, 5)
    artifact = compiled(normalizer(), batches[0])
    with torch.no_grad():
        for x in batches:
            np.testing.assert_allclose(artifact(x), model(x), rtol=1e-4, atol=1e-5)
    for name, buffer in model.named_buffers():
        np.testing.assert_allclose(artifact.parameters[name], buffer, rtol=1e-5)


def test_artifacts_of_one_module_have_buffers_of_their_own(runner_on: RunnerOn):
    x = torch.randn(4, 5)
    module = mbc.import_model(normalizer(), [x])
    first, second = (mbc.lower(module, target="opencl") for _ in range(2))
    for artifact in (first, second):
        artifact.use_runner(runner_on("opencl"))
    first(x)
    first(x)
    second(x)
    assert first.parameters["num_batches_tracked"] == 2
    assert second.parameters["num_batches_tracked"] == 1
    assert module.parameters["num_batches_tracked"] == 0


def test_a_model_in_another_state_still_passes_its_check(runner_on: RunnerOn):
    x = torch.randn(4, 5)
    module = mbc.import_model(normalizer(), [x])
    artifact = mbc.lower(module, target="opencl")
    artifact.use_runner(runner_on("opencl"))
    artifact(x)
    (name,) = module.signature.input_values([x])
    assert mbc.check(artifact, module, {name: x}).passed


def test_an_input_that_a_model_updates_is_written_back(compiled: Compile):
    x = torch.tensor([1.0, 2.0, 3.0])
    artifact = compiled(Accumulate(), torch.zeros(3), x)
    total = torch.ones(3)
    np.testing.assert_array_equal(artifact(total, x), [4.0, 6.0, 8.0])
    np.testing.assert_array_equal(total, [2.0, 3.0, 4.0])
    array = np.ones(3, np.float32)
    artifact(array, x.numpy())
    np.testing.assert_array_equal(array, [2.0, 3.0, 4.0])


def test_an_update_reaches_an_input_that_is_not_contiguous(compiled: Compile):
    x = torch.tensor([1.0, 2.0, 3.0])
    artifact = compiled(Accumulate(), torch.zeros(3), x)
    whole = torch.zeros(3, 2)
    artifact(whole[:, 1], x)
    np.testing.assert_array_equal(whole, [[0, 1], [0, 2], [0, 3]])
