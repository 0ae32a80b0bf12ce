"""Saved folders build and run by themselves: with a compiler, and without mbc.

The models have what host code must get right: prepared weights, views of inputs,
results that are views or inputs, scratch, and kernels that are called in steps.
"""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

import mbc
from mbc.codegen.host.layout import areas_of
from mbc.ir.types import Array
from mbc.runtime.toolchain import Found, find_qemu_riscv64
from tests.api.conftest import RunnerOn
from tests.api.models import imported_mlp

HEADER = Path("/usr/include/CL/cl.h")


def lacks(*commands: str) -> bool:
    return any(shutil.which(command) is None for command in commands)


needs = {
    "rvv": pytest.mark.skipif(
        lacks("make", "clang-19") or not isinstance(find_qemu_riscv64(), Found),
        reason="the Makefile needs make, clang-19 and qemu-riscv64",
    ),
    "opencl": pytest.mark.skipif(
        lacks("make", "cc") or not HEADER.exists(),
        reason="the Makefile needs make, a C compiler and the OpenCL headers",
    ),
    "cuda": pytest.mark.skipif(lacks("make", "nvcc"), reason="needs make and nvcc"),
}
RUN = [pytest.param(t, marks=needs[t]) for t in ("rvv", "opencl")]


class Views(torch.nn.Module):
    """Reads and returns parts of an input, an input itself, and a kernel's result."""

    def __init__(self):
        super().__init__()
        self.scale = torch.nn.Parameter(torch.arange(128.0))

    def forward(self, x: torch.Tensor) -> tuple[torch.Tensor, ...]:
        y = x[4] * self.scale
        return torch.exp(-y), x[1], x, y.reshape(8, 16)


def views() -> mbc.Module:
    return mbc.import_model(Views().eval(), (torch.zeros(8, 128),))


def lstm() -> mbc.Module:
    """One step for each element of a sequence."""
    model = torch.nn.LSTM(3, 5, batch_first=True).eval()
    return mbc.import_model(model, (torch.zeros(2, 4, 3),))


MODELS: list[Callable[[], mbc.Module]] = [imported_mlp, views, lstm]


def random_inputs(artifact: mbc.Artifact) -> dict[str, Array]:
    rng = np.random.default_rng(0)
    named = artifact.code.forward.program.by_name
    return {
        a.name: rng.standard_normal(named[a.buffer].shape, np.float32)
        for a in artifact.code.forward.arguments
        if a.kind == "input"
    }


def make(folder: Path, *arguments: str) -> None:
    command = ["make", *arguments]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "run" in arguments or "warning" not in done.stderr, done.stderr


def outputs_of(artifact: mbc.Artifact, folder: Path) -> list[Array]:
    """What `make run` left behind."""
    pieces = areas_of(artifact.code)["outputs"].pieces.values()
    raw = (folder / "outputs.bin").read_bytes()
    found: list[Any] = []
    for piece, result in zip(pieces, artifact.code.forward.results, strict=True):
        data = raw[piece.offset : piece.offset + piece.nbytes]
        found.append(np.frombuffer(data, np.float32).reshape(result.shape))
    return found


@pytest.mark.parametrize("target", RUN)
@pytest.mark.parametrize("build", MODELS)
def test_a_folder_builds_and_runs_by_itself(
    build: Callable[[], mbc.Module], target: str, runner_on: RunnerOn, tmp_path: Path
):
    artifact = mbc.lower(build(), target=target)
    artifact.use_runner(runner_on(target))
    artifact.save(tmp_path)
    given = random_inputs(artifact)
    raw = bytearray((tmp_path / "inputs.bin").read_bytes())
    for name, piece in areas_of(artifact.code)["inputs"].pieces.items():
        raw[piece.offset : piece.offset + piece.nbytes] = given[name].tobytes()
    (tmp_path / "inputs.bin").write_bytes(raw)
    make(tmp_path)
    make(tmp_path, "run")
    wanted = artifact.run_named(dict(given))
    for one, other in zip(outputs_of(artifact, tmp_path), wanted, strict=True):
        np.testing.assert_array_equal(one, other)


@needs["cuda"]
@pytest.mark.parametrize("build", MODELS)
def test_a_cuda_folder_builds(build: Callable[[], mbc.Module], tmp_path: Path):
    mbc.lower(build(), target="cuda").save(tmp_path)
    make(tmp_path)
    assert (tmp_path / "model").exists()


@needs["opencl"]
def test_a_source_that_does_not_build_is_told_of(tmp_path: Path):
    mbc.lower(imported_mlp(), target="opencl").save(tmp_path)
    make(tmp_path)
    (tmp_path / "model.cl").write_text("this is no C")
    done = subprocess.run(["make", "run"], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode != 0
    assert "model: model.cl: OpenCL error -11" in done.stderr


@pytest.mark.parametrize("target", RUN)
def test_a_missing_file_is_told_of(target: str, tmp_path: Path):
    mbc.lower(imported_mlp(), target=target).save(tmp_path)
    make(tmp_path)
    (tmp_path / "weights.bin").unlink()
    done = subprocess.run(["make", "run"], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode != 0
    assert not (tmp_path / "outputs.bin").exists()


@pytest.mark.parametrize("target", ["rvv", "opencl", "cuda"])
def test_a_text_without_its_weights_is_saved_without_them(target: str, tmp_path: Path):
    module = mbc.Module(imported_mlp().op, {}, imported_mlp().signature)
    mbc.lower(module, target=target).save(tmp_path)
    names = {path.name for path in tmp_path.iterdir()}
    assert "inputs.bin" in names
    assert "weights.bin" not in names
