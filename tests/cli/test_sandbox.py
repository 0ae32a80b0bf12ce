"""`--require-sandbox`: every command that builds or runs candidates takes it."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from mbc.runtime.toolchain import Missing
from tests.cli.conftest import Command
from tests.ir.samples import module_of
from tests.runtime.gates.kernels import KERNELS

COMMANDS = {
    "tune": ("tune", "m.mlir"),
    "run": ("run", "m.mlir", "--inputs", "in.npz", "--outputs", "out.npz"),
    "bisect": ("bisect", "m.mlir"),
    "verify": ("verify", "-", "--kernel", "m.mlir:k0"),
}


@pytest.mark.parametrize("target", ["rvv", "opencl", "cuda"])
@pytest.mark.parametrize("name", COMMANDS)
def test_without_isolation_nothing_starts(
    mbc: Command,
    here: Path,
    monkeypatch: pytest.MonkeyPatch,
    name: str,
    target: str,
):
    (here / "m.mlir").write_text(str(module_of(*KERNELS["map"])))
    np.savez(here / "in.npz", np.ones(37, np.float32))
    monkeypatch.setattr(
        "mbc.runtime.isolation.find_bwrap",
        lambda: Missing("bwrap is not here", "apt-get install bubblewrap"),
    )
    monkeypatch.setattr("mbc.runtime.process.subprocess.Popen", None)
    ended = mbc(*COMMANDS[name], "--target", target, "--require-sandbox")
    assert ended.complains(code=3) == (
        "mbc: error: no sandbox: bwrap is not here; install: apt-get install "
        "bubblewrap\n"
    )
    assert not (here / "out.npz").exists()
    assert not (here.parent / "kb.db").exists()
