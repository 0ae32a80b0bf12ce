"""The adreno style: right operands as images, in kernels, models and folders."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import pytest
import torch
from xdsl.ir import SSAValue

import mbc
from mbc.errors import ToolMissing
from mbc.ir.ops.contract import ContractOp
from mbc.runtime.opencl.runner import OpenclRunner
from tests.api.test_host import HEADER, make, outputs_of, random_inputs
from tests.codegen.opencl.harness import Build, Case, check, emit_case, target_named
from tests.codegen.opencl.test_emission import Shapes, alone, sweep

STYLE = "adreno"


def einsum(letters: str) -> Build:
    def product(x: SSAValue, y: SSAValue) -> SSAValue:
        return ContractOp.einsum(letters, x, y).result

    return product


IMAGES: dict[str, tuple[str, Shapes]] = {
    "rows along n, tails": ("mk,kn->mn", [(37, 19), (19, 68)]),
    "rows along k, tails": ("mk,nk->mn", [(37, 68), (21, 68)]),
    "batches": ("bmk,bkn->bmn", [(3, 9, 7), (3, 7, 12)]),
    "one row": ("mk,nk->mn", [(1, 8), (5, 8)]),
}
BUFFERS: dict[str, tuple[str, Shapes]] = {
    "rows of 67": ("mk,kn->mn", [(37, 19), (19, 67)]),
    "rows of 67 along k": ("mk,nk->mn", [(37, 67), (21, 67)]),
}


def cases(table: dict[str, tuple[str, Shapes]]) -> list[Case]:
    found: list[Case] = []
    for name, (letters, shapes) in table.items():
        take = sweep if name == "rows along n, tails" else alone
        found += take("contract", STYLE, name, shapes, einsum(letters))
    return found


def test_contractions_through_images(runner: OpenclRunner):
    found = cases(IMAGES)
    target = target_named("opencl", {"style": STYLE})
    for case in found:
        _, code = emit_case("k0", case, target)
        assert "read_imagef(a1" in code.source, case.name
        assert all(launch.images == (1,) for launch in code.launches)
    check(runner, found, STYLE)


def test_rows_that_are_no_whole_texels_stay_in_buffers(runner: OpenclRunner):
    found = cases(BUFFERS)
    target = target_named("opencl", {"style": STYLE})
    for case in found:
        assert "read_imagef" not in emit_case("k0", case, target)[1].source
    check(runner, found, STYLE)


class Products(torch.nn.Module):
    """By a weight, and by what another kernel made, which lies in the arena."""

    def __init__(self) -> None:
        super().__init__()
        torch.manual_seed(0)
        self.linear = torch.nn.Linear(16, 8)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y = torch.cumsum(self.linear(x), 0)
        return x.t() @ torch.cumsum(y, 1)


def lowered() -> tuple[mbc.Artifact, torch.Tensor]:
    x = torch.linspace(-1, 1, 12 * 16).reshape(12, 16)
    module = mbc.import_model(Products().eval(), [x])
    return mbc.lower(module, "opencl", {"style": STYLE}), x


def test_a_model_reads_weights_and_intermediates_as_images(runner: OpenclRunner):
    artifact, x = lowered()
    launches = artifact.code.forward.program.launches
    assert sum(launch.images != () for launch in launches) == 2
    wanted = Products().eval()(x)
    torch.testing.assert_close(artifact(x), wanted, atol=1e-5, rtol=1e-5)
    artifact.use_runner(runner)
    torch.testing.assert_close(artifact(x), wanted, atol=1e-5, rtol=1e-5)


@pytest.mark.skipif(
    shutil.which("make") is None or shutil.which("cc") is None or not HEADER.exists(),
    reason="the Makefile needs make, a C compiler and the OpenCL headers",
)
def test_a_folder_makes_the_images_itself(runner: OpenclRunner, tmp_path: Path):
    artifact, _ = lowered()
    artifact.save(tmp_path)
    make(tmp_path)
    make(tmp_path, "run")
    given = random_inputs(artifact)
    (tmp_path / "inputs.bin").write_bytes(given["x"].tobytes())
    make(tmp_path, "run")
    loaded = mbc.load(tmp_path)
    loaded.use_runner(runner)
    for one, other in zip(
        outputs_of(artifact, tmp_path), loaded.run_named(dict(given)), strict=True
    ):
        np.testing.assert_array_equal(one, other)


def test_an_image_too_large_for_the_device_is_one_sentence(
    runner: OpenclRunner, monkeypatch: pytest.MonkeyPatch
):
    from mbc.runtime.opencl import texels

    monkeypatch.setattr(texels, "TEXEL_BYTES", 1e-9)  # so many texels
    artifact, x = lowered()
    with pytest.raises(ToolMissing, match=r"reads an image of .* emit for style=gpu"):
        artifact(x)
